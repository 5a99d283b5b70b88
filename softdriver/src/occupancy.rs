//! Occupancy: how many blocks of a kernel fit (F311 to F314).
//!
//! The numbers are those of an H200 for the registers that [`Kernel`](crate::ptx::Kernel) reports. These are a
//! guess, since it is the compiler of machine code that decides; they count as 64 at most, so that what can be
//! launched here has room. How clusters fit depends on the floor plan of the one chip that was measured.
#![allow(unsafe_code, reason = "exported functions; the caller's function is called")]

use crate::device::{MAX_THREADS, MULTIPROCESSORS};
use crate::entry::{self, Answer, driver};
use crate::function::{self, Function};
use crate::launch_attributes::{Attributes, read_attributes};
use crate::{library, stack, stream};
use core::ffi::{c_int, c_uint};
use cuscope_sys::*;
use std::ptr;
use std::sync::Arc;

/// Threads of a warp.
const WARP: u32 = 32;
/// Of a multiprocessor: threads, blocks, and blocks in clusters.
const THREADS: u32 = 2048;
const BLOCKS: u32 = 32;
const BLOCKS_IN_CLUSTERS: u32 = 8;
/// Registers of a quarter of a multiprocessor, and what a warp gets a multiple of.
const REGISTERS: u32 = 16_384;
const REGISTER_UNIT: u32 = 256;
/// Registers of a thread with which every block can run.
const MOST_REGISTERS: u32 = 64;
/// Shared memory of a multiprocessor, what a block gets a multiple of, and what the driver takes of it.
const SHARED: usize = 233_472;
const SHARED_UNIT: usize = 128;
const RESERVED: usize = 1024;
/// Blocks of a cluster, and where the kernel allows more.
pub(crate) const CLUSTER: u32 = 8;
pub(crate) const LARGE_CLUSTER: u32 = 16;

/// Blocks of so many threads and so much dynamic shared memory that fit on a multiprocessor.
pub(crate) fn active_blocks(function: &Function, threads: u32, dynamic: usize) -> u32 {
    let kernel = function.kernel();
    let dynamic = dynamic as u32 as usize;
    if threads > MAX_THREADS || dynamic > function.max_dynamic() {
        return 0;
    }
    let of_warp =
        (kernel.registers.clamp(1, MOST_REGISTERS) * WARP).next_multiple_of(REGISTER_UNIT);
    let warps = (REGISTERS / of_warp * 4).min(THREADS / WARP);
    let shared = (kernel.static_shared + dynamic).next_multiple_of(SHARED_UNIT) + RESERVED;
    (warps / threads.div_ceil(WARP)).min(BLOCKS).min((SHARED / shared) as u32)
}

/// Blocks of a cooperative launch that the device can hold.
pub(crate) fn resident(function: &Function, threads: u32, dynamic: usize) -> u64 {
    u64::from(active_blocks(function, threads, dynamic)) * u64::from(MULTIPROCESSORS)
}

/// The size for which most threads fit, and the blocks that then fill the device; zeros if none fits.
fn potential(function: &Function, limit: u32, dynamic: impl Fn(u32) -> usize) -> (u32, u32) {
    let most = if limit == 0 { MAX_THREADS } else { limit.min(MAX_THREADS) };
    let most = most.min(function.kernel().block.max_threads.unwrap_or(most));
    let mut best = (0, 0);
    let mut size = most;
    while size > 0 {
        let blocks = active_blocks(function, size, dynamic(size));
        if blocks * size > best.0 * best.1 {
            best = (blocks, size);
        }
        if blocks * size == THREADS {
            break;
        }
        size = (size - 1) / WARP * WARP;
    }
    (best.0 * MULTIPROCESSORS, best.1)
}

/// Clusters of a size that one chip holds, with 1, 2, 4 and 8 blocks on a multiprocessor.
fn clusters(size: u32, blocks: u32) -> u32 {
    let held: [u32; 4] = match size {
        1 => [132, 264, 528, 1056],
        2 => [66, 132, 264, 528],
        3 => [39, 79, 163, 327],
        4 => [30, 62, 124, 248],
        5 => [22, 47, 94, 193],
        6 => [17, 39, 79, 163],
        7 => [15, 32, 69, 139],
        8 => [15, 30, 62, 124],
        12 => [8, 16, 37, 74],
        16 => [7, 14, 28, 58],
        other => [1, 2, 4, 8].map(|blocks| 112 * blocks / other),
    };
    held.iter().enumerate().filter(|(bit, _)| blocks >> bit & 1 == 1).map(|(_, held)| held).sum()
}

/// The function of a handle, or what the kernel of a library is in the context of a stream, null meaning the
/// current one (F532).
fn function_or_kernel(func: CUfunction, stream: CUstream) -> Answer<Arc<Function>> {
    if !library::is_kernel(func.cast()) {
        return function::function(func);
    }
    let life = match stream.is_null() {
        true => stack::current_home()?,
        false => stream::look_up(stream)?.life.home(),
    };
    function::function(library::function_in(func.cast(), &life)?)
}

/// What is asked about clusters of a launch: the kernel, and the launch.
fn launch_of(
    func: CUfunction,
    config: *const CUlaunchConfig,
) -> Answer<(Arc<Function>, CUlaunchConfig, Attributes)> {
    let config = entry::read(config)?;
    entry::wanted(func)?;
    let function = function_or_kernel(func, config.hStream)?;
    let extents = [config.gridDimX, config.gridDimY, config.gridDimZ];
    let threads = [config.blockDimX, config.blockDimY, config.blockDimZ];
    if extents.contains(&0) || threads.contains(&0) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if config.hStream.is_null() {
        let _current = stack::current()?;
    } else {
        let _target = stream::look_up(config.hStream)?;
    }
    let attributes = read_attributes(&config, None)?;
    Ok((function, config, attributes))
}

/// Threads of a block.
fn threads(config: &CUlaunchConfig) -> u32 {
    let extents = [config.blockDimX, config.blockDimY, config.blockDimZ];
    extents.into_iter().fold(1, u32::saturating_mul)
}

/// Refuses flags that are none.
fn check_flags(flags: c_uint) -> Answer {
    CUoccupancy_flags::from_bits(flags).map(drop).ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// The answer of both functions about blocks.
fn write_active(to: *mut c_int, func: CUfunction, size: c_int, dynamic: usize) -> Answer {
    entry::wanted(to)?;
    let function = function_or_kernel(func, ptr::null_mut())?;
    let _current = stack::current()?;
    let size = u32::try_from(size).ok().filter(|&size| size > 0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    entry::write(to, active_blocks(&function, size, dynamic) as c_int)
}

/// The answer of both functions about sizes.
fn write_potential(
    (grid, block): (*mut c_int, *mut c_int),
    func: CUfunction,
    sizes: CUoccupancyB2DSize,
    dynamic: usize,
    limit: c_int,
) -> Answer {
    entry::wanted(grid)?;
    entry::wanted(block)?;
    let function = function_or_kernel(func, ptr::null_mut())?;
    let _current = stack::current()?;
    let limit = u32::try_from(limit).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
    let (blocks, size) = potential(&function, limit, |size| match sizes {
        // SAFETY: the caller promises that its function can be called with the size of a block.
        Some(sizes) => unsafe { sizes(size as c_int) },
        None => dynamic,
    });
    entry::write(grid, blocks as c_int)?;
    entry::write(block, size as c_int)
}

driver! {
    /// Blocks that fit on a multiprocessor.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        numBlocks: *mut c_int,
        func: CUfunction,
        blockSize: c_int,
        dynamicSMemSize: usize,
    ) {
        write_active(numBlocks, func, blockSize, dynamicSMemSize)
    }
    /// The same; the flag changes nothing.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks: *mut c_int,
        func: CUfunction,
        blockSize: c_int,
        dynamicSMemSize: usize,
        flags: c_uint,
    ) {
        check_flags(flags)?;
        write_active(numBlocks, func, blockSize, dynamicSMemSize)
    }
    /// The size of a block for which most threads fit; the function, if there is one, says how much
    /// dynamic shared memory a size needs (F312).
    fn cuOccupancyMaxPotentialBlockSize(
        minGridSize: *mut c_int,
        blockSize: *mut c_int,
        func: CUfunction,
        blockSizeToDynamicSMemSize: CUoccupancyB2DSize,
        dynamicSMemSize: usize,
        blockSizeLimit: c_int,
    ) {
        let (to, sizes) = ((minGridSize, blockSize), blockSizeToDynamicSMemSize);
        write_potential(to, func, sizes, dynamicSMemSize, blockSizeLimit)
    }
    /// The same; the flag changes nothing.
    fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        minGridSize: *mut c_int,
        blockSize: *mut c_int,
        func: CUfunction,
        blockSizeToDynamicSMemSize: CUoccupancyB2DSize,
        dynamicSMemSize: usize,
        blockSizeLimit: c_int,
        flags: c_uint,
    ) {
        check_flags(flags)?;
        let (to, sizes) = ((minGridSize, blockSize), blockSizeToDynamicSMemSize);
        write_potential(to, func, sizes, dynamicSMemSize, blockSizeLimit)
    }
    /// Dynamic shared memory of a block if so many are to fit on a multiprocessor; what the driver
    /// takes for itself is not left out (F313).
    fn cuOccupancyAvailableDynamicSMemPerBlock(
        dynamicSmemSize: *mut usize,
        func: CUfunction,
        numBlocks: c_int,
        blockSize: c_int,
    ) {
        let function = function_or_kernel(func, ptr::null_mut())?;
        let _current = stack::current()?;
        let positive = |number: c_int| u32::try_from(number).ok().filter(|&number| number > 0);
        let (Some(blocks), Some(size)) = (positive(numBlocks), positive(blockSize)) else {
            return Err(CUDA_ERROR_INVALID_VALUE);
        };
        if active_blocks(&function, size, 0) < blocks {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let share = SHARED / blocks as usize / SHARED_UNIT * SHARED_UNIT;
        let free = share.saturating_sub(function.kernel().static_shared);
        entry::write(dynamicSmemSize, free.min(function.max_dynamic()))
    }
    /// The largest cluster that a launch can have (F314).
    fn cuOccupancyMaxPotentialClusterSize(
        clusterSize: *mut c_int,
        func: CUfunction,
        config: *const CUlaunchConfig,
    ) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        null(1) = CUDA_ERROR_INVALID_VALUE,
        null(2) = CUDA_ERROR_INVALID_VALUE,
    ] {
        entry::wanted(clusterSize)?;
        let (function, config, _) = launch_of(func, config)?;
        let fits = active_blocks(&function, threads(&config), config.sharedMemBytes as usize) > 0;
        let size = if function.large_clusters() { LARGE_CLUSTER } else { CLUSTER };
        entry::write(clusterSize, if fits { size as c_int } else { 0 })
    }
    /// Clusters of a launch that fit on the device; 0 for a launch without (F314).
    fn cuOccupancyMaxActiveClusters(
        numClusters: *mut c_int,
        func: CUfunction,
        config: *const CUlaunchConfig,
    ) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        null(1) = CUDA_ERROR_INVALID_VALUE,
        null(2) = CUDA_ERROR_INVALID_VALUE,
    ] {
        entry::wanted(numClusters)?;
        let (function, config, attributes) = launch_of(func, config)?;
        attributes.check_cluster(&function, [config.gridDimX, config.gridDimY, config.gridDimZ])?;
        let blocks = active_blocks(&function, threads(&config), config.sharedMemBytes as usize);
        let blocks = blocks.min(BLOCKS_IN_CLUSTERS);
        let held = attributes.cluster_size().map_or(0, |size| match size {
            0..=LARGE_CLUSTER => clusters(size, blocks),
            _ => 0,
        });
        entry::write(numClusters, held as c_int)
    }
}
