//! The driver functions about [`occupancy`](crate::model::occupancy).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::launch_attributes::read_attributes;
use crate::entry;
use crate::entry::Answer;
use crate::model::device::{MAX_THREADS, MULTIPROCESSORS};
use crate::model::function::Function;
use crate::model::launch_attributes::Attributes;
use crate::model::occupancy::{
    CLUSTER, LARGE_CLUSTER, SHARED, SHARED_UNIT, THREADS, WARP, active_blocks, threads,
};
use crate::model::{function, library, stack, stream};
use core::ffi::{c_int, c_uint};
use cuscope_sys::*;
use std::ptr;
use std::sync::Arc;

const BLOCKS_IN_CLUSTERS: u32 = 8;

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
        true => crate::calls::stack::current_home()?,
        false => stream::look_up(stream)?.life.home(),
    };
    function::function(library::function_in(func.cast(), &life)?)
}

/// Reads a question about the clusters of a launch: the kernel, and the launch.
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
