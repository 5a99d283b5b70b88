//! Occupancy: how many blocks of a kernel fit (F311 to F314).
//!
//! The numbers are those of an H200 for the registers that [`Kernel`](cuscope_ptx::Kernel) reports. These are a
//! guess, since it is the compiler of machine code that decides; they count as 64 at most, so that what can be
//! launched here has room. How clusters fit depends on the floor plan of the one chip that was measured.

use crate::model::device::{MAX_THREADS, MULTIPROCESSORS};
use crate::model::function::Function;
use cuscope_sys::*;

/// Threads of a warp.
pub(crate) const WARP: u32 = 32;
/// Of a multiprocessor: threads, blocks, and blocks in clusters.
pub(crate) const THREADS: u32 = 2048;
const BLOCKS: u32 = 32;
/// Registers of a quarter of a multiprocessor, and what a warp gets a multiple of.
const REGISTERS: u32 = 16_384;
const REGISTER_UNIT: u32 = 256;
/// Registers of a thread with which every block can run.
const MOST_REGISTERS: u32 = 64;
/// Shared memory of a multiprocessor, what a block gets a multiple of, and what the driver takes of it.
pub(crate) const SHARED: usize = 233_472;
pub(crate) const SHARED_UNIT: usize = 128;
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

/// Threads of a block.
pub(crate) fn threads(config: &CUlaunchConfig) -> u32 {
    let extents = [config.blockDimX, config.blockDimY, config.blockDimZ];
    extents.into_iter().fold(1, u32::saturating_mul)
}
