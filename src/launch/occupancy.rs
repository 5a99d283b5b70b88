//! Occupancy: how many blocks of a kernel fit.
#![allow(unsafe_code, reason = "calls the driver, which calls back")]

use crate::call::{answer, name};
use crate::device::DeviceAttribute;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::launch::{ExtendedLaunch, LaunchConfig};
use crate::stack::PushedGuard;
use bitflags::bitflags;
use ffi::{CUoccupancy_flags, CUoccupancyB2DSize};
use std::any::Any;
use std::cell::Cell;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

const BLOCK_SIZE: &str = name!(cuOccupancyMaxPotentialBlockSizeWithFlags);

bitflags! {
    /// How occupancy is counted.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct OccupancyFlags: u32 {
        /// Global memory is cached in L1 even where that leaves less room for blocks.
        const DISABLE_CACHING_OVERRIDE = CUoccupancy_flags::CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE.bits();
    }
}

/// A size of blocks, and how many of them fill the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockSize {
    /// Threads of a block.
    pub threads: u32,
    /// Blocks that run at a time on the whole device: a grid of fewer leaves some of it idle.
    pub min_grid: u32,
}

/// Questions about how many blocks of a kernel fit: [`PushedGuard::occupancy`].
///
/// The answers are for a device that runs nothing else. They take the place of no launch, and cost about 50 ns (F311).
#[derive(Clone, Copy, Debug)]
pub struct Occupancy<'g, 'ctx> {
    gpu: &'g PushedGuard<'ctx>,
    function: &'g Function<'ctx>,
    flags: OccupancyFlags,
}

impl<'ctx> PushedGuard<'ctx> {
    /// How many blocks of a kernel fit.
    #[must_use]
    pub fn occupancy<'g>(&'g self, function: &'g Function<'ctx>) -> Occupancy<'g, 'ctx> {
        Occupancy { gpu: self, function, flags: OccupancyFlags::empty() }
    }
}

impl LaunchConfig {
    /// One-dimensional, at least one thread for each of `n` elements, in blocks of the size for which most threads
    /// of the kernel fit on the device, each with `shared_bytes` of dynamic shared memory: as
    /// [`for_num_elems`](Self::for_num_elems), for one kernel. A kernel that was compiled for one shape of block
    /// takes no other, whatever this finds.
    ///
    /// # Errors
    /// As [`Occupancy::block_size`].
    #[doc(alias = "cuOccupancyMaxPotentialBlockSize")]
    pub fn by_occupancy<'ctx>(
        gpu: &PushedGuard<'ctx>,
        function: &Function<'ctx>,
        n: u32,
        shared_bytes: u32,
    ) -> Result<LaunchConfig> {
        let BlockSize { threads, .. } = gpu.occupancy(function).block_size(shared_bytes, None)?;
        Ok(LaunchConfig::new(n.div_ceil(threads), threads).with_shared_bytes(shared_bytes))
    }
}

/// More shared memory than a block of any device has. The driver is asked about no more, since it counts modulo 2^32 (F311).
const TOO_MUCH: u32 = 1 << 20;

/// A count as the driver takes it.
fn count(call: &'static str, number: u32) -> Result<c_int> {
    let reason = "a number of threads or blocks that no device has: ask for less";
    c_int::try_from(number).map_err(|_| Error::InvalidArgument { call, reason })
}

impl<'ctx> Occupancy<'_, 'ctx> {
    /// The same questions, counted in another way.
    #[must_use]
    pub fn with_flags(self, flags: OccupancyFlags) -> Self {
        Occupancy { flags, ..self }
    }

    /// Every question needs a current context (F311).
    fn enter(&self, call: &'static str) -> Result {
        if self.function.context() != self.gpu.context() {
            return Err(Error::OtherContext { call });
        }
        self.gpu.enter(call)
    }

    /// Blocks of so many threads, with so many bytes of dynamic shared memory each, that a multiprocessor runs at a
    /// time. 0 for a block that cannot be launched.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a block without threads; [`NotCurrent`](Error::NotCurrent);
    /// [`OtherContext`](Error::OtherContext); a sticky error (F60).
    #[doc(alias = "cuOccupancyMaxActiveBlocksPerMultiprocessor")]
    #[doc(alias = "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")]
    pub fn active_blocks(&self, threads: u32, shared_bytes: u32) -> Result<u32> {
        const CALL: &str = name!(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
        let threads = count(CALL, threads)?;
        self.enter(CALL)?;
        let mut blocks = 0;
        // SAFETY: writes one `c_int` to `blocks`, which is valid for it; the function is loaded; the
        // context that `enter` found to be the guard's is current. The driver checks the numbers.
        unsafe {
            answer!(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                &raw mut blocks,
                self.function.raw(),
                threads,
                shared_bytes.min(TOO_MUCH) as usize,
                self.flags.bits(),
            ))
        }
        .check()?;
        Ok(blocks.unsigned_abs())
    }

    /// Blocks of a [cooperative](ExtendedLaunch::cooperative) launch, at most: those that the whole device runs at a
    /// time.
    ///
    /// # Errors
    /// As [`active_blocks`](Self::active_blocks).
    pub fn cooperative_blocks(&self, threads: u32, shared_bytes: u32) -> Result<u32> {
        let blocks = self.active_blocks(threads, shared_bytes)?;
        let attribute: DeviceAttribute = ffi::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        let multiprocessors = self.gpu.device().attribute(attribute)?;
        Ok(blocks.saturating_mul(multiprocessors.unsigned_abs()))
    }

    /// The size of block for which most threads run at a time, each block with so many bytes of dynamic shared memory;
    /// of no more threads than `limit`, if there is one.
    ///
    /// # Errors
    /// [`Error::NothingFits`] if no block fits; else as [`active_blocks`](Self::active_blocks).
    #[doc(alias = "cuOccupancyMaxPotentialBlockSize")]
    #[doc(alias = "cuOccupancyMaxPotentialBlockSizeWithFlags")]
    pub fn block_size(&self, shared_bytes: u32, limit: Option<u32>) -> Result<BlockSize> {
        // SAFETY: there is no function to be called.
        unsafe { self.ask_block_size(None, shared_bytes.min(TOO_MUCH) as usize, limit) }
    }

    /// The same with dynamic shared memory, in bytes, that depends on the threads of a block: what `shared_bytes` says
    /// of a number of them. It is called a few times, on this thread (F312). A panic of it goes on in the caller.
    ///
    /// # Errors
    /// As [`block_size`](Self::block_size).
    ///
    /// # Panics
    /// If `shared_bytes` does.
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
    unsafe fn ask_block_size(
        &self,
        sizes: CUoccupancyB2DSize,
        bytes: usize,
        limit: Option<u32>,
    ) -> Result<BlockSize> {
        let limit = count(BLOCK_SIZE, limit.unwrap_or(0))?;
        self.enter(BLOCK_SIZE)?;
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

    /// Bytes of dynamic shared memory that each of so many blocks of so many threads can have, if all are to run on one
    /// multiprocessor. The driver's number leaves out what it takes itself of each block (1 KiB on an H200, F313): ask
    /// [`active_blocks`](Self::active_blocks) whether it really fits.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for more blocks than fit with none, and as [`active_blocks`](Self::active_blocks).
    #[doc(alias = "cuOccupancyAvailableDynamicSMemPerBlock")]
    pub fn available_shared_bytes(&self, blocks: u32, threads: u32) -> Result<usize> {
        const CALL: &str = name!(cuOccupancyAvailableDynamicSMemPerBlock);
        let (blocks, threads) = (count(CALL, blocks)?, count(CALL, threads)?);
        self.enter(CALL)?;
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
        .check()?;
        Ok(bytes)
    }

    /// Blocks of the largest cluster that a launch can have; 0 if not even a block fits.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for extents of 0; as [`active_blocks`](Self::active_blocks).
    #[doc(alias = "cuOccupancyMaxPotentialClusterSize")]
    pub fn max_cluster_size(&self, launch: &ExtendedLaunch<'_, 'ctx>) -> Result<u32> {
        self.enter(name!(cuOccupancyMaxPotentialClusterSize))?;
        let mut size = 0;
        // SAFETY: writes one `c_int` to `size`, which is valid for it; the function is loaded, and the
        // configuration with its attributes lives during the call; the null stream stands for the
        // current context, which `enter` found to be the guard's.
        let answer = launch.with_raw(ptr::null_mut(), |raw| unsafe {
            answer!(cuOccupancyMaxPotentialClusterSize(&raw mut size, self.function.raw(), raw))
        });
        answer.check()?;
        Ok(size.unsigned_abs())
    }

    /// Clusters of a launch that the whole device runs at a time; 0 for a launch without clusters.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_CLUSTER_SIZE` for clusters that the grid is not made of, or that are too large (F314); as
    /// [`max_cluster_size`](Self::max_cluster_size).
    #[doc(alias = "cuOccupancyMaxActiveClusters")]
    pub fn active_clusters(&self, launch: &ExtendedLaunch<'_, 'ctx>) -> Result<u32> {
        self.enter(name!(cuOccupancyMaxActiveClusters))?;
        let mut clusters = 0;
        // SAFETY: as in `max_cluster_size`.
        let answer = launch.with_raw(ptr::null_mut(), |raw| unsafe {
            answer!(cuOccupancyMaxActiveClusters(&raw mut clusters, self.function.raw(), raw))
        });
        answer.check()?;
        Ok(clusters.unsigned_abs())
    }
}

/// A closure on its way through the driver, which has no room for a pointer to it.
struct Asked<'a> {
    shared_bytes: &'a mut dyn FnMut(u32) -> u32,
    panic: Option<Box<dyn Any + Send>>,
}

thread_local! {
    /// The closure that the running call of this thread asks, null while that runs itself.
    static ASKED: Cell<*mut Asked<'static>> = const { Cell::new(ptr::null_mut()) };
}

/// A closure in the place for it, until dropped.
struct Lent {
    before: *mut Asked<'static>,
}

impl Lent {
    fn new(asked: &mut Asked<'_>) -> Lent {
        // The lifetime ends here; the value is taken out of the place before that ends.
        Lent { before: ASKED.replace(ptr::from_mut(asked).cast()) }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        ASKED.set(self.before);
    }
}

/// What the driver calls: no block fits of which there is nobody to ask.
unsafe extern "C" fn size_of_shared(threads: c_int) -> usize {
    const NONE: usize = TOO_MUCH as usize;
    // Null meanwhile, so that there is one reference, whatever the closure does.
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
