//! Occupancy: how many blocks of a kernel fit.

use crate::types::*;
use core::ffi::{c_int, c_uint};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! occupancy_functions { ($with:path) => { $with! {
    /// Blocks of `blockSize` threads that fit on a multiprocessor at once.
    6050 fn cuOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks: *mut c_int, func: CUfunction, blockSize: c_int, dynamicSMemSize: usize) -> CUresult;
    /// As `cuOccupancyMaxActiveBlocksPerMultiprocessor`, with flags on caching.
    7000 fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks: *mut c_int, func: CUfunction, blockSize: c_int, dynamicSMemSize: usize, flags: c_uint) -> CUresult;
    /// The threads of a block for which most threads fit, and the blocks that fill the device.
    6050 fn cuOccupancyMaxPotentialBlockSize(minGridSize: *mut c_int, blockSize: *mut c_int, func: CUfunction, blockSizeToDynamicSMemSize: CUoccupancyB2DSize, dynamicSMemSize: usize, blockSizeLimit: c_int) -> CUresult;
    /// As `cuOccupancyMaxPotentialBlockSize`, with flags on caching.
    7000 fn cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize: *mut c_int, blockSize: *mut c_int, func: CUfunction, blockSizeToDynamicSMemSize: CUoccupancyB2DSize, dynamicSMemSize: usize, blockSizeLimit: c_int, flags: c_uint) -> CUresult;
    /// Bytes of dynamic shared memory that `numBlocks` blocks can have on one multiprocessor, each.
    10020 fn cuOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize: *mut usize, func: CUfunction, numBlocks: c_int, blockSize: c_int) -> CUresult;
    /// The largest cluster, in blocks, that a launch can have.
    11070 fn cuOccupancyMaxPotentialClusterSize(clusterSize: *mut c_int, func: CUfunction, config: *const CUlaunchConfig) -> CUresult;
    /// Clusters of a launch that fit on the device at once.
    11070 fn cuOccupancyMaxActiveClusters(numClusters: *mut c_int, func: CUfunction, config: *const CUlaunchConfig) -> CUresult;
} } }
occupancy_functions!(declare);
