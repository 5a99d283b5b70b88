//! The reasons for which the driver refuses a launch, a kernel node, or a question about how many blocks fit.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{Dim3, LaunchConfig};
use crate::call::answer;
use crate::function::FunctionInner;
use ffi::{CUdevice_attribute, CUresult};
use std::ffi::c_int;
use std::fmt;

/// What a driver may refuse of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub config: LaunchConfig,
    pub cluster: Option<Dim3>,
    pub preferred_cluster: Option<Dim3>,
    pub cooperative: bool,
}

impl From<LaunchConfig> for Shape {
    #[inline]
    fn from(config: LaunchConfig) -> Shape {
        Shape { config, cluster: None, preferred_cluster: None, cooperative: false }
    }
}

/// Returns the extents with the names of their dimensions.
#[inline]
fn named(extents: Dim3) -> [(char, u32); 3] {
    [('x', extents.x), ('y', extents.y), ('z', extents.z)]
}

/// Extents as a message shows them: `32 x 8 x 1`.
struct Shown(Dim3);

impl fmt::Display for Shown {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Dim3 { x, y, z } = self.0;
        write!(f, "{x} x {y} x {z}")
    }
}

#[inline]
fn times(Dim3 { x, y, z }: Dim3) -> u64 {
    u64::from(x).saturating_mul(y.into()).saturating_mul(z.into())
}

/// A kernel, and the limits of its device.
pub(crate) struct Limits<'a>(pub(crate) &'a FunctionInner);

impl Limits<'_> {
    #[inline]
    fn device(&self, attribute: CUdevice_attribute) -> Option<u64> {
        let value = self.0.owner().context().device().attribute(attribute).ok()?;
        u64::try_from(value).ok()
    }

    #[inline]
    fn function(&self, attribute: ffi::CUfunction_attribute) -> Option<u64> {
        self.0.attribute(attribute).ok()?.try_into().ok()
    }

    /// Returns why a launch, with so many arguments, was refused.
    #[inline]
    pub(crate) fn launch(&self, shape: Shape, arguments: usize, code: CUresult) -> Option<String> {
        self.shape(shape, code).or_else(|| {
            (code == ffi::CUDA_ERROR_INVALID_VALUE).then(|| self.arguments(arguments))?
        })
    }

    /// Returns why the extents and attributes of a launch were refused.
    #[inline]
    pub(crate) fn shape(&self, shape: Shape, code: CUresult) -> Option<String> {
        match code {
            ffi::CUDA_ERROR_INVALID_VALUE => self
                .grid(shape.config.grid)
                .or_else(|| self.block(shape.config.block))
                .or_else(|| self.shared(shape.config.shared_bytes))
                .or_else(|| self.cluster(shape)),
            ffi::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => {
                self.block(shape.config.block).or_else(|| self.shared(shape.config.shared_bytes))
            }
            ffi::CUDA_ERROR_INVALID_CLUSTER_SIZE => self.cluster(shape),
            ffi::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => self.cooperative(shape.config),
            ffi::CUDA_ERROR_NOT_SUPPORTED if shape.cooperative => {
                let supported = self.device(ffi::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)?;
                let reason = "the device has no cooperative launches: launch without `cooperative`";
                (supported == 0).then(|| reason.to_owned())
            }
            _ => None,
        }
    }

    #[inline]
    fn grid(&self, grid: Dim3) -> Option<String> {
        let shown = Shown(grid);
        let most = [
            ffi::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
            ffi::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
            ffi::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
        ];
        named(grid).into_iter().zip(most).find_map(|((dimension, blocks), most)| {
            if blocks == 0 {
                return Some(format!(
                    "the grid is {shown} blocks, with 0 in {dimension}: each extent is at least 1, and \
                     `LaunchConfig::for_num_elems(0)` launches nothing"
                ));
            }
            let most = self.device(most)?;
            (u64::from(blocks) > most).then(|| {
                format!(
                    "the grid has {blocks} blocks in {dimension}, and the device takes at most {most} \
                     there: launch fewer blocks that do more each, or move the extent to x"
                )
            })
        })
    }

    /// Returns why a block of these extents was refused.
    #[inline]
    pub(crate) fn block(&self, block: Dim3) -> Option<String> {
        let shown = Shown(block);
        let most = [
            ffi::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
            ffi::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
            ffi::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
        ];
        let extent = named(block).into_iter().zip(most).find_map(|((dimension, threads), most)| {
            if threads == 0 {
                return Some(format!(
                    "the block is {shown} threads, with 0 in {dimension}: each extent is at least 1"
                ));
            }
            let most = self.device(most)?;
            (u64::from(threads) > most).then(|| {
                format!(
                    "the block has {threads} threads in {dimension}, and the device takes at most \
                     {most} there: launch smaller blocks, and more of them"
                )
            })
        });
        extent.or_else(|| {
            let (threads, all) =
                (times(block), self.device(ffi::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?);
            let own = self.function(ffi::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK).unwrap_or(all);
            if threads > all {
                return Some(format!(
                    "the block of {shown} has {threads} threads, and the device takes at most {all}: \
                     launch smaller blocks, and more of them"
                ));
            }
            let registers = self.function(ffi::CU_FUNC_ATTRIBUTE_NUM_REGS)?;
            (threads > own).then(|| {
                format!(
                    "the block of {shown} has {threads} threads, and this kernel takes at most {own} on \
                     this device, by its `__launch_bounds__` or its {registers} registers a thread: \
                     launch smaller blocks"
                )
            })
        })
    }

    /// Returns why so much dynamic shared memory was refused.
    #[inline]
    fn shared(&self, dynamic: u32) -> Option<String> {
        let own = self.function(ffi::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        let all = self.device(ffi::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        (u64::from(dynamic) + own > all).then(|| {
            format!(
                "the launch requests {dynamic} bytes of dynamic shared memory and the kernel has {own} \
                 bytes of its own, and a block has at most {all} on this device: request at most {}",
                all.saturating_sub(own)
            )
        })
    }

    #[inline]
    fn cluster(&self, shape: Shape) -> Option<String> {
        let cluster = shape.cluster?;
        let shown = Shown(cluster);
        let pairs = named(shape.config.grid).into_iter().zip(named(cluster));
        for ((dimension, blocks), (_, size)) in pairs {
            if size == 0 {
                return Some(format!(
                    "the cluster is {shown} blocks, with 0 in {dimension}: each extent is at least 1"
                ));
            }
            if blocks % size != 0 {
                return Some(format!(
                    "the grid has {blocks} blocks in {dimension}, which are no whole clusters of {size}: \
                     launch a multiple of {size} blocks there"
                ));
            }
        }
        if let Some(preferred) = shape.preferred_cluster {
            for ((dimension, size), (_, more)) in named(cluster).into_iter().zip(named(preferred)) {
                if more == 0 || more % size != 0 {
                    return Some(format!(
                        "the preferred cluster has {more} blocks in {dimension}, which are no multiple of \
                         the {size} of the cluster"
                    ));
                }
            }
        }
        // Eight are portable. With `non_portable_clusters` a function may have more.
        let blocks = times(cluster);
        (blocks > 8).then(|| {
            format!(
                "the cluster of {shown} has {blocks} blocks: every device takes 8, and \
                 `Occupancy::max_cluster_size` returns how many this one takes with \
                 `Function::set_attribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)`"
            )
        })
    }

    #[inline]
    fn arguments(&self, given: usize) -> Option<String> {
        let wanted = self.0.parameters().ok()?.len();
        (given != wanted).then(|| {
            format!(
                "the kernel has {wanted} parameters and the launch passes {given} arguments: pass one \
                 for each, as the `Signature` of `Module::kernel` makes sure"
            )
        })
    }

    #[inline]
    fn cooperative(&self, config: LaunchConfig) -> Option<String> {
        let LaunchConfig { grid, block, shared_bytes } = config;
        let threads = c_int::try_from(times(block)).ok()?;
        let (function, mut each) = (self.0.raw(), 0);
        // SAFETY: writes one `c_int` to `each`, which is valid for it; the function is loaded. The driver checks the
        // numbers, and refuses without a current context.
        let answer = unsafe {
            answer!(cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &raw mut each,
                function,
                threads,
                shared_bytes as usize,
            ))
        };
        answer.check().ok()?;
        let processors = self.device(ffi::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        Some(format!(
            "the grid of {} has {} blocks, and the device runs {} of them at once, as \
             `Occupancy::cooperative_blocks` returns: launch at most that many",
            Shown(grid),
            times(grid),
            u64::from(each.unsigned_abs()) * processors
        ))
    }
}
