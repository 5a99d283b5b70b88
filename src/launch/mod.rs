//! Launch configurations: extents, attributes, and how many blocks fit on a device.

mod extended;
mod occupancy;
mod policy;
pub(crate) mod refusals;
mod shape;
mod spec;

pub use extended::ExtendedLaunch;
pub use occupancy::{BlockSize, Occupancy, OccupancyFlags};
pub use policy::{ClusterPortability, ClusterScheduling, SharedMemoryMode};
pub use shape::LaunchShape;
pub use spec::LaunchSpec;
pub(crate) use spec::sealed::{Prepared, Spec};

use crate::error::{Error, Result};

/// The most blocks of a grid in x ([F61](crate::driver_facts#F61)).
const MAX_BLOCKS: u32 = i32::MAX as u32;

#[cold]
#[inline]
fn too_many(n: usize, threads: u32) -> Error {
    let reason = format!(
        "a grid has at most 2^31 - 1 blocks, here of {threads} threads, and {n} threads were requested: launch fewer, of \
         which each takes several elements"
    );
    Error::InvalidArgument { call: "LaunchConfig::for_num_elems", reason: reason.into() }
}

/// Extents in the dimensions x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// Extent in x.
    pub x: u32,
    /// Extent in y.
    pub y: u32,
    /// Extent in z.
    pub z: u32,
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Dim3 { x, y: 1, z: 1 }
    }
}
impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Dim3 { x, y, z: 1 }
    }
}
impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Dim3 { x, y, z }
    }
}
impl From<[u32; 3]> for Dim3 {
    fn from([x, y, z]: [u32; 3]) -> Self {
        Dim3 { x, y, z }
    }
}

/// The grid, the blocks and the dynamic shared memory of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct LaunchConfig {
    /// The number of blocks in the grid.
    pub grid: Dim3,
    /// The number of threads in a block.
    pub block: Dim3,
    /// The dynamic shared memory of a block, in bytes.
    ///
    /// A block may have as much as the [device](ffi::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) has for it, less
    /// the static shared memory of the kernel. The first launch of a [`Function`](crate::Function) with any of it asks how
    /// much the driver allows, and raises that if it is less ([F310](crate::driver_facts#F310)).
    pub shared_bytes: u32,
}

impl LaunchConfig {
    /// The number of threads per block in [`for_num_elems`](Self::for_num_elems).
    pub const THREADS: u32 = 256;

    /// Creates a configuration with a grid of blocks, without dynamic shared memory.
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        LaunchConfig { grid: grid.into(), block: block.into(), shared_bytes: 0 }
    }

    /// Creates a one-dimensional configuration with at least one thread for each of `n` elements, in blocks of
    /// [`THREADS`](Self::THREADS).
    ///
    /// The kernel must compare its index with `n`, since the last block may have more threads than elements are
    /// left. For 0 elements the grid is [empty](Self::is_empty), and the launch does nothing.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for more elements than a grid has threads: 2³¹ − 1 blocks, about 5 · 10¹¹.
    #[inline]
    pub fn for_num_elems(n: usize) -> Result<Self> {
        Self::in_line(n, Self::THREADS)
    }

    /// Creates a one-dimensional configuration with at least one thread for each of `n` elements.
    #[inline]
    pub(crate) fn in_line(n: usize, threads: u32) -> Result<Self> {
        match u32::try_from(n.div_ceil(threads as usize)) {
            Ok(blocks) if blocks <= MAX_BLOCKS => {
                let others = blocks.min(1);
                Ok(Self::new((blocks, others, others), threads))
            }
            _ => Err(too_many(n, threads)),
        }
    }

    /// Returns whether the grid is empty, as for 0 elements: 0 in each of x, y and z.
    ///
    /// A launch with an empty grid makes no driver call, in a capture adds no node, and records no
    /// [event](ExtendedLaunch) among its attributes. Contexts are compared as for other launches. A grid with a 0 beside
    /// other numbers, such as `LaunchConfig::new(0, 256)`, is an error of the driver, because it rather is a mistake.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        let Dim3 { x, y, z } = self.grid;
        x | y | z == 0
    }

    /// Sets the dynamic shared memory of each block, in bytes.
    pub fn with_shared_bytes(self, shared_bytes: u32) -> Self {
        LaunchConfig { shared_bytes, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_a_thread_and_no_block_is_empty() {
        const MOST: u64 = MAX_BLOCKS as u64 * LaunchConfig::THREADS as u64;
        for n in [1, 2, 255, 256, 257, 1 << 20, u64::from(u32::MAX), MOST - 1, MOST] {
            let config = LaunchConfig::for_num_elems(n as usize).unwrap();
            let LaunchConfig { grid, block, .. } = config;
            let threads = u64::from(grid.x) * u64::from(block.x);
            assert!(threads >= n && threads - u64::from(block.x) < n, "{n}");
            assert!(!config.is_empty());
        }
        assert!(LaunchConfig::for_num_elems(0).unwrap().is_empty());
        // Elsewhere the driver refuses a grid with a 0.
        for grid in [(5, 5, 0), (4, 3, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0)] {
            assert!(!LaunchConfig::new(grid, 1).is_empty(), "{grid:?}");
        }
        assert!(!LaunchConfig::new(0, 256).is_empty());
    }

    #[test]
    fn more_elements_than_a_grid_has_threads_are_refused() {
        for n in [(1 << 39) - 255, usize::MAX - 255, usize::MAX] {
            let refused = LaunchConfig::for_num_elems(n).unwrap_err();
            assert!(matches!(refused, Error::InvalidArgument { .. }), "{refused}");
        }
    }
}
