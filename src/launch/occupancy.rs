//! Occupancy: the number of blocks of a kernel that fit.
#![allow(unsafe_code, reason = "calls the driver, which calls back")]

use crate::call::{answer, name};
use crate::device::DeviceAttribute;
use crate::error::{Error, Result};
use crate::function::{Function, FunctionInner};
use crate::launch::refusals::Limits;
use crate::launch::spec::sealed::Spec as _;
use crate::launch::{ExtendedLaunch, LaunchConfig};
use crate::stack::PushedGuard;
use ffi::{CUoccupancy_flags, CUoccupancyB2DSize};
use std::any::Any;
use std::cell::Cell;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

const BLOCK_SIZE: &str = name!(cuOccupancyMaxPotentialBlockSizeWithFlags);

ffi::flags! {
    /// Flags that control how occupancy is computed.
    #[derive(Default)]
    pub struct OccupancyFlags: u32 {
        /// Global memory is cached in L1 even if that leaves less room for blocks.
        const DISABLE_CACHING_OVERRIDE = CUoccupancy_flags::CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE.bits();
    }
}

/// A block size, and the number of such blocks that fill the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockSize {
    /// The number of threads in a block.
    pub threads: u32,
    /// The number of blocks that the whole device runs simultaneously. A smaller grid leaves part of the device
    /// idle.
    pub min_grid: u32,
}

/// Queries of how many blocks of a kernel fit, from [`PushedGuard::occupancy`].
///
/// The results assume a device that runs nothing else. Queries launch nothing; each costs about 50 ns
/// ([F311](crate::driver_facts#F311)).
#[derive(Clone, Copy, Debug)]
pub struct Occupancy<'g, 'ctx> {
    gpu: &'g PushedGuard<'ctx>,
    function: &'g FunctionInner,
    flags: OccupancyFlags,
}

/// # Occupancy
impl<'ctx> PushedGuard<'ctx> {
    /// Returns the occupancy queries for a kernel.
    #[doc(alias = "cudaOccupancyMaxActiveBlocksPerMultiprocessor")]
    #[must_use]
    #[inline]
    pub fn occupancy<'g>(&'g self, function: &'g Function<'_>) -> Occupancy<'g, 'ctx> {
        Occupancy { gpu: self, function: &function.inner, flags: OccupancyFlags::empty() }
    }
}

impl LaunchConfig {
    /// Creates a one-dimensional configuration with at least one thread for each of `n` elements, in blocks of
    /// the size that gives the kernel the maximum occupancy.
    ///
    /// Each block has `shared_bytes` of dynamic shared memory. [`for_num_elems`](Self::for_num_elems) has a
    /// fixed block size instead. A kernel that was compiled for one block shape accepts no other, whatever this
    /// returns.
    ///
    /// # Errors
    /// The errors of [`Occupancy::block_size`] and [`for_num_elems`](Self::for_num_elems).
    #[doc(alias = "cuOccupancyMaxPotentialBlockSize")]
    #[doc(alias = "cudaOccupancyMaxPotentialBlockSize")]
    #[inline]
    pub fn by_occupancy(
        gpu: &PushedGuard<'_>,
        function: &Function<'_>,
        n: usize,
        shared_bytes: u32,
    ) -> Result<LaunchConfig> {
        let BlockSize { threads, .. } = gpu.occupancy(function).block_size(shared_bytes, None)?;
        Ok(LaunchConfig::in_line(n, threads)?.with_shared_bytes(shared_bytes))
    }
}

/// More shared memory than a block of any device has. Larger values never reach the driver, which counts modulo
/// 2^32 ([F311](crate::driver_facts#F311)).
const TOO_MUCH: u32 = 1 << 20;

/// Converts a count to the driver's type.
#[inline]
fn count(call: &'static str, number: u32) -> Result<c_int> {
    c_int::try_from(number).map_err(|_| {
        let reason = format!("no device has so many threads or blocks, {number}: request fewer");
        Error::InvalidArgument { call, reason: reason.into() }
    })
}

impl<'ctx> Occupancy<'_, 'ctx> {
    /// Returns the same queries with other flags.
    #[must_use]
    pub fn with_flags(self, flags: OccupancyFlags) -> Self {
        Occupancy { flags, ..self }
    }

    /// Checks the current context, which every query needs ([F311](crate::driver_facts#F311)).
    #[inline]
    fn enter(&self, call: &'static str) -> Result {
        if self.function.key() != self.gpu.context().key() {
            return Err(Error::OtherContext { call });
        }
        self.gpu.enter(call)
    }

    fn limits(&self) -> Limits<'_> {
        Limits(self.function)
    }

    /// Returns why so many blocks of so many threads do not run on one multiprocessor.
    #[cold]
    fn too_many_blocks(&self, blocks: u32, threads: u32) -> Option<String> {
        if blocks == 0 {
            return Some("there are 0 blocks: ask for at least 1".to_owned());
        }
        self.limits().block(threads.into()).or_else(|| {
            let most = self.active_blocks(threads, 0).ok()?;
            Some(format!(
                "a multiprocessor runs {most} blocks of {threads} threads at once without dynamic \
                 shared memory, and not {blocks}"
            ))
        })
    }

    /// Returns the number of blocks that a multiprocessor runs simultaneously, for blocks of `threads` threads
    /// with `shared_bytes` bytes of dynamic shared memory each.
    ///
    /// The result is 0 for a block that cannot be launched.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a block without threads; [`NotCurrent`](Error::NotCurrent);
    /// [`OtherContext`](Error::OtherContext); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuOccupancyMaxActiveBlocksPerMultiprocessor")]
    #[doc(alias = "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")]
    #[inline]
    pub fn active_blocks(&self, threads: u32, shared_bytes: u32) -> Result<u32> {
        const CALL: &str = name!(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
        let threads = count(CALL, threads)?;
        self.enter(CALL)?;
        self.function.allow_shared(shared_bytes)?;
        let shared_bytes = shared_bytes.min(TOO_MUCH);
        let (answer, blocks) = self.limits().active_blocks(threads, shared_bytes, self.flags);
        answer.explain(|_| self.limits().block(threads.unsigned_abs().into()))?;
        Ok(blocks)
    }

    /// Returns the maximum number of blocks of a [cooperative](ExtendedLaunch::cooperative) launch: the blocks
    /// that the whole device runs simultaneously.
    ///
    /// # Errors
    /// The errors of [`active_blocks`](Self::active_blocks).
    #[inline]
    pub fn cooperative_blocks(&self, threads: u32, shared_bytes: u32) -> Result<u32> {
        let blocks = self.active_blocks(threads, shared_bytes)?;
        let attribute: DeviceAttribute = ffi::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        let multiprocessors = self.gpu.device().attribute(attribute)?;
        Ok(blocks.saturating_mul(multiprocessors.unsigned_abs()))
    }

    /// Returns the block size with which the maximum number of threads runs simultaneously. Each block has
    /// `shared_bytes` bytes of dynamic shared memory and, with a `limit`, at most that many threads.
    ///
    /// # Errors
    /// [`Error::NothingFits`] if no block fits; the errors of [`active_blocks`](Self::active_blocks).
    #[doc(alias = "cuOccupancyMaxPotentialBlockSize")]
    #[doc(alias = "cuOccupancyMaxPotentialBlockSizeWithFlags")]
    #[inline]
    pub fn block_size(&self, shared_bytes: u32, limit: Option<u32>) -> Result<BlockSize> {
        // SAFETY: there is no function to be called.
        unsafe { self.ask_block_size(None, shared_bytes.min(TOO_MUCH) as usize, limit) }
    }

    /// Returns the best block size if the dynamic shared memory depends on the number of threads.
    ///
    /// Like [`block_size`](Self::block_size), but `shared_bytes` returns the bytes for a number of threads. It
    /// is called a few times, on this thread ([F312](crate::driver_facts#F312)). If it panics, the panic
    /// continues in the caller.
    ///
    /// # Errors
    /// The errors of [`block_size`](Self::block_size).
    ///
    /// # Panics
    /// If `shared_bytes` panics.
    #[doc(alias = "cuOccupancyMaxPotentialBlockSize")]
    #[doc(alias = "cuOccupancyMaxPotentialBlockSizeWithFlags")]
    pub fn block_size_with(
        &self,
        mut shared_bytes: impl FnMut(u32) -> u32,
        limit: Option<u32>,
    ) -> Result<BlockSize> {
        let mut asked = Asked { shared_bytes: &mut shared_bytes, panic: None };
        let found = {
            let _lent = Lent::new(&mut asked);
            // SAFETY: the function can be called at any time, on any thread.
            unsafe { self.ask_block_size(Some(size_of_shared), 0, limit) }
        };
        match asked.panic {
            Some(panic) => resume_unwind(panic),
            None => found,
        }
    }

    /// # Safety
    /// The function can be called with a number during the call.
    #[inline]
    unsafe fn ask_block_size(
        &self,
        sizes: CUoccupancyB2DSize,
        bytes: usize,
        limit: Option<u32>,
    ) -> Result<BlockSize> {
        let limit = count(BLOCK_SIZE, limit.unwrap_or(0))?;
        self.enter(BLOCK_SIZE)?;
        // What a function returns is known only in the call.
        self.function.allow_shared(if sizes.is_some() { TOO_MUCH } else { bytes as u32 })?;
        let (mut blocks, mut threads) = (0, 0);
        // SAFETY: 1. Writes two `c_int`, which are valid for it; the function is loaded; the context that
        // `enter` found to be the guard's is current. 2. What `sizes` asks for is the caller's obligation.
        unsafe {
            answer!(cuOccupancyMaxPotentialBlockSizeWithFlags(
                &raw mut blocks,
                &raw mut threads,
                self.function.raw(),
                sizes,
                bytes,
                limit,
                self.flags.bits(),
            ))
        }
        .check()?;
        if threads == 0 {
            return Err(Error::NothingFits { call: BLOCK_SIZE });
        }
        Ok(BlockSize { threads: threads.unsigned_abs(), min_grid: blocks.unsigned_abs() })
    }

    /// Returns the number of bytes of dynamic shared memory that each of `blocks` blocks of `threads` threads
    /// can have if all are to run on one multiprocessor.
    ///
    /// The driver's number ignores the memory that it takes from each block itself (1 KiB on an H200,
    /// [F313](crate::driver_facts#F313)). Ask [`active_blocks`](Self::active_blocks) whether the blocks really
    /// fit.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for more blocks than fit without shared memory; the errors of
    /// [`active_blocks`](Self::active_blocks).
    #[doc(alias = "cuOccupancyAvailableDynamicSMemPerBlock")]
    #[inline]
    pub fn available_shared_bytes(&self, blocks: u32, threads: u32) -> Result<usize> {
        const CALL: &str = name!(cuOccupancyAvailableDynamicSMemPerBlock);
        let (blocks, threads) = (count(CALL, blocks)?, count(CALL, threads)?);
        self.enter(CALL)?;
        self.function.allow_shared(TOO_MUCH)?;
        let mut bytes = 0;
        // SAFETY: writes one `usize` to `bytes`, which is valid for it and not null (F313); the rest as in
        // `active_blocks`.
        unsafe {
            answer!(cuOccupancyAvailableDynamicSMemPerBlock(
                &raw mut bytes,
                self.function.raw(),
                blocks,
                threads,
            ))
        }
        .explain(|_| self.too_many_blocks(blocks.unsigned_abs(), threads.unsigned_abs()))?;
        Ok(bytes)
    }

    /// Returns the number of blocks of the largest cluster that a launch can have, or 0 if not even one block
    /// fits.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for extents of 0; the errors of [`active_blocks`](Self::active_blocks).
    #[doc(alias = "cuOccupancyMaxPotentialClusterSize")]
    #[inline]
    pub fn max_cluster_size(&self, launch: &ExtendedLaunch<'_, 'ctx>) -> Result<u32> {
        self.enter(name!(cuOccupancyMaxPotentialClusterSize))?;
        self.function.allow_shared(launch.shared_bytes())?;
        let mut size = 0;
        // SAFETY: writes one `c_int` to `size`, which is valid for it; the function is loaded, and the
        // configuration with its attributes lives during the call; the null stream stands for the
        // current context, which `enter` found to be the guard's.
        let answer = launch.with_raw(ptr::null_mut(), |raw| unsafe {
            answer!(cuOccupancyMaxPotentialClusterSize(&raw mut size, self.function.raw(), raw))
        });
        answer.explain(|code| self.limits().shape(launch.details(), code))?;
        Ok(size.unsigned_abs())
    }

    /// Returns the number of clusters of a launch that the whole device runs simultaneously, or 0 for a launch
    /// without clusters.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_CLUSTER_SIZE` for clusters that do not divide the grid or are too large
    /// ([F314](crate::driver_facts#F314)); the errors of [`max_cluster_size`](Self::max_cluster_size).
    #[doc(alias = "cuOccupancyMaxActiveClusters")]
    #[inline]
    pub fn active_clusters(&self, launch: &ExtendedLaunch<'_, 'ctx>) -> Result<u32> {
        self.enter(name!(cuOccupancyMaxActiveClusters))?;
        self.function.allow_shared(launch.shared_bytes())?;
        let mut clusters = 0;
        // SAFETY: as in `max_cluster_size`.
        let answer = launch.with_raw(ptr::null_mut(), |raw| unsafe {
            answer!(cuOccupancyMaxActiveClusters(&raw mut clusters, self.function.raw(), raw))
        });
        answer.explain(|code| self.limits().shape(launch.details(), code))?;
        Ok(clusters.unsigned_abs())
    }
}

/// A closure on its way through the driver, which takes no pointer to it.
struct Asked<'a> {
    shared_bytes: &'a mut dyn FnMut(u32) -> u32,
    panic: Option<Box<dyn Any + Send>>,
}

thread_local! {
    /// The closure that the running call of this thread queries. Null while the closure itself runs.
    static ASKED: Cell<*mut Asked<'static>> = const { Cell::new(ptr::null_mut()) };
}

/// A closure stored in `ASKED` until this is dropped.
struct Lent {
    before: *mut Asked<'static>,
}

impl Lent {
    #[inline]
    fn new(asked: &mut Asked<'_>) -> Lent {
        // The lifetime ends here. The value is removed from `ASKED` before that.
        Lent { before: ASKED.replace(ptr::from_mut(asked).cast()) }
    }
}

impl Drop for Lent {
    #[inline]
    fn drop(&mut self) {
        ASKED.set(self.before);
    }
}

/// The function that the driver calls. Without a closure it answers that no block fits.
#[inline]
unsafe extern "C" fn size_of_shared(threads: c_int) -> usize {
    const NONE: usize = TOO_MUCH as usize;
    // Null meanwhile, so that there is only one reference, whatever the closure does.
    let asked = ASKED.replace(ptr::null_mut());
    if asked.is_null() {
        return NONE;
    }
    let bytes = {
        // SAFETY: the value lives on this thread's stack in `block_size_with`, which waits for the call
        // that brought us here and takes it out of the place when that returns; there is no other
        // reference to it, as it is out of the place.
        let asked = unsafe { &mut *asked };
        if asked.panic.is_some() {
            NONE
        } else {
            let call = AssertUnwindSafe(|| (asked.shared_bytes)(threads.unsigned_abs()));
            catch_unwind(call).map_or_else(
                |panic| {
                    asked.panic = Some(panic);
                    NONE
                },
                |bytes| bytes.min(TOO_MUCH) as usize,
            )
        }
    };
    ASKED.set(asked);
    bytes
}
