//! The reasons for which the driver refuses a launch, a kernel node, or a question about how many blocks fit.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{Dim3, LaunchConfig, LaunchShape, OccupancyFlags};
use crate::call::{Answer, answer};
use crate::driver::driver_version;
use crate::function::{Carveout, FunctionInner};
use ffi::{CUdevice_attribute, CUresult};
use std::ffi::c_int;
use std::fmt;

/// Everything about a launch that a driver may refuse.
#[derive(Clone, Copy, Debug)]
pub struct Details {
    pub shape: LaunchShape,
    pub domain_map: Option<(u8, u8)>,
    pub window_bytes: Option<usize>,
    pub carveout: Carveout,
    /// The name of an attribute that older drivers do not know.
    pub newer: Option<&'static str>,
}

impl From<LaunchConfig> for Details {
    #[inline]
    fn from(config: LaunchConfig) -> Details {
        Details {
            shape: config.into(),
            domain_map: None,
            window_bytes: None,
            carveout: Carveout::Default,
            newer: None,
        }
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
    pub(crate) fn launch(
        &self,
        details: Details,
        arguments: usize,
        code: CUresult,
    ) -> Option<String> {
        self.shape(details, code).or_else(|| {
            (code == ffi::CUDA_ERROR_INVALID_VALUE).then(|| self.arguments(arguments))?
        })
    }

    /// Returns why the extents and attributes of a launch were refused.
    #[inline]
    pub(crate) fn shape(&self, details: Details, code: CUresult) -> Option<String> {
        let shape = details.shape;
        match code {
            ffi::CUDA_ERROR_INVALID_VALUE => self
                .grid(shape.grid)
                .or_else(|| self.block(shape.block))
                .or_else(|| self.shared(shape.shared_bytes))
                .or_else(|| self.cluster(shape))
                .or_else(|| self.attributes(details)),
            ffi::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => {
                self.block(shape.block).or_else(|| self.shared(shape.shared_bytes))
            }
            ffi::CUDA_ERROR_INVALID_CLUSTER_SIZE => self.cluster(shape).or_else(|| {
                let shown = Shown(shape.preferred_cluster?);
                Some(format!(
                    "the device does not take the preferred cluster of {shown} blocks for this kernel: leave it out, or \
                     compare it with `Occupancy::max_cluster_size`"
                ))
            }),
            ffi::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => self.cooperative(shape),
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

    /// Returns why the other attributes of a launch were refused.
    #[inline]
    fn attributes(&self, details: Details) -> Option<String> {
        let Details { shape, domain_map, window_bytes, carveout, newer } = details;
        let preferred_cluster = shape.preferred_cluster;
        let domains = domain_map.and_then(|(default, remote)| {
            let count = self.device(ffi::CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT)?;
            (u64::from(default.max(remote)) >= count).then(|| {
                format!(
                    "the map has the domains {default} and {remote}, and the device has {count}, from 0"
                )
            })
        });
        let window = || {
            let (bytes, most) = (
                window_bytes? as u64,
                self.device(ffi::CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE)?,
            );
            (bytes > most).then(|| {
                format!(
                    "the access policy window has {bytes} bytes, and the device's windows have at most {most}"
                )
            })
        };
        let percent = || match carveout {
            Carveout::Percent(percent @ 101..) => Some(format!(
                "a carve-out of {percent} percent was requested: pass from 0 to 100, or `Carveout::Default`"
            )),
            _ => None,
        };
        let unknown = || {
            let (name, driver) = (newer?, driver_version().ok()?);
            Some(format!(
                "this driver, of CUDA {driver}, does not take `{name}`: leave it out, or update the driver"
            ))
        };
        // A launch takes it, a node does not (F554).
        let of_node = || {
            preferred_cluster.map(|_| {
                "a kernel node has no preferred cluster: leave `preferred_cluster` out, or capture the launch"
                    .to_owned()
            })
        };
        domains.or_else(window).or_else(percent).or_else(unknown).or_else(of_node)
    }

    #[inline]
    fn cluster(&self, shape: LaunchShape) -> Option<String> {
        let grid = shape.grid;
        let whole = |what: &str, cluster: Dim3| {
            let mut pairs = named(grid).into_iter().zip(named(cluster));
            pairs.find_map(|((dimension, blocks), (_, size))| {
                if size == 0 {
                    let shown = Shown(cluster);
                    return Some(format!(
                        "the {what} is {shown} blocks, with 0 in {dimension}: each extent is at least 1"
                    ));
                }
                (blocks % size != 0).then(|| {
                    format!(
                        "the grid has {blocks} blocks in {dimension}, and the {what} {size}: a grid consists of whole \
                         clusters, so launch a multiple of {size} blocks there"
                    )
                })
            })
        };
        if let Some(reason) = shape.cluster.and_then(|cluster| whole("cluster", cluster)) {
            return Some(reason);
        }
        if let Some(preferred) = shape.preferred_cluster {
            if let Some(reason) = whole("preferred cluster", preferred) {
                return Some(reason);
            }
            let cluster = shape.cluster.unwrap_or(Dim3 { x: 1, y: 1, z: 1 });
            let mut pairs = named(cluster).into_iter().zip(named(preferred));
            let uneven = pairs.find(|((_, size), (_, more))| more % size != 0);
            if let Some(((dimension, size), (_, more))) = uneven {
                return Some(format!(
                    "the preferred cluster has {more} blocks in {dimension}, which are no multiple of the {size} of \
                     the cluster"
                ));
            }
        }
        // Eight are portable. The kernel may allow more, of which the device may have as many.
        let cluster = shape.cluster?;
        let (shown, blocks) = (Shown(cluster), times(cluster));
        (blocks > 8).then(|| {
            format!(
                "the cluster of {shown} has {blocks} blocks: 8 are possible everywhere, and more, as many as \
                 `Occupancy::max_cluster_size` returns, only for a kernel that allows it \
                 (CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)"
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

    /// Asks how many blocks run on a multiprocessor at once, of the device of the current context.
    #[inline]
    pub(super) fn active_blocks(
        &self,
        threads: c_int,
        shared_bytes: u32,
        flags: OccupancyFlags,
    ) -> (Answer, u32) {
        let mut blocks = 0;
        // SAFETY: writes one `c_int` to `blocks`, which is valid for it; the function is loaded. The driver checks the
        // numbers, and refuses without a current context.
        let answer = unsafe {
            answer!(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                &raw mut blocks,
                self.0.raw(),
                threads,
                shared_bytes as usize,
                flags.bits(),
            ))
        };
        (answer, blocks.unsigned_abs())
    }

    #[inline]
    fn cooperative(&self, shape: LaunchShape) -> Option<String> {
        let LaunchShape { grid, block, shared_bytes, .. } = shape;
        let threads = c_int::try_from(times(block)).ok()?;
        let (answer, each) = self.active_blocks(threads, shared_bytes, OccupancyFlags::empty());
        answer.check().ok()?;
        let processors = self.device(ffi::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        Some(format!(
            "the grid of {} has {} blocks, and the device runs {} of them at once, as \
             `Occupancy::cooperative_blocks` returns: launch at most that many",
            Shown(grid),
            times(grid),
            u64::from(each) * processors
        ))
    }
}
