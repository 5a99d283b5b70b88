//! Rows and planes in memory.

use super::buffer::too_large;
use super::view::part;
use crate::error::Result;
use ffi::{CUarray, CUdeviceptr};
use std::ops::RangeBounds;
use std::ptr;

/// The size of two- or three-dimensional memory: the elements of a row, the rows of a plane, and the planes.
///
/// `(width, height)` converts to an extent of one plane, and `(width, height, depth)` to one of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    /// The number of elements in a row.
    pub width: usize,
    /// The number of rows in a plane.
    pub height: usize,
    /// The number of planes.
    pub depth: usize,
}

impl From<(usize, usize)> for Extent {
    fn from((width, height): (usize, usize)) -> Self {
        Extent { width, height, depth: 1 }
    }
}
impl From<(usize, usize, usize)> for Extent {
    fn from((width, height, depth): (usize, usize, usize)) -> Self {
        Extent { width, height, depth }
    }
}

impl std::fmt::Display for Extent {
    #[inline]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Extent { width, height, depth } = self;
        write!(f, "{width} x {height} x {depth}")
    }
}

impl Extent {
    /// Returns the number of elements, or `None` if an address space holds fewer. The product of two extents is a number
    /// then, also if the third is 0.
    #[inline]
    pub(super) fn checked_len(&self) -> Option<usize> {
        let rows = self.height.checked_mul(self.depth)?;
        self.width.checked_mul(self.height)?;
        self.width.checked_mul(rows)
    }

    /// Returns the number of elements of memory that exists.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.width * self.height * self.depth
    }
}

/// The arrangement of rows and planes in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// The size in elements.
    pub(crate) extent: Extent,
    /// The number of bytes from row to row.
    pub(crate) pitch: usize,
    /// The number of rows from plane to plane.
    pub(crate) rows: usize,
    /// The array that the elements are in. Its addresses only stand for places in it.
    pub(crate) array: Option<InArray>,
}

/// An array, which the driver reaches by a handle and coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InArray {
    /// The handle, a `CUarray`.
    pub(super) raw: usize,
    /// The address that stands for its first element.
    pub(super) base: CUdeviceptr,
    /// The size of all of it.
    pub(super) extent: Extent,
}

/// The direction in which memory is split.
#[derive(Clone, Copy)]
pub(crate) enum Axis {
    Columns,
    Rows,
    Planes,
}

/// The alignment of the rows of a buffer from a pool in bytes: that of textures, on all devices.
const ROW: usize = 512;

impl Grid {
    /// Returns the arrangement of a buffer with aligned rows of elements of type `T`, and its size in bytes.
    pub(crate) fn aligned<T>(call: &'static str, extent: Extent) -> Result<(Grid, usize)> {
        let row = extent
            .width
            .checked_mul(size_of::<T>())
            .and_then(|row| row.checked_next_multiple_of(ROW));
        let rows = extent.height.checked_mul(extent.depth);
        let bytes = row.zip(rows).and_then(|(row, rows)| row.checked_mul(rows));
        match (row, bytes) {
            (Some(pitch), Some(bytes)) => Ok((Grid::of(extent, pitch), bytes)),
            _ => Err(too_large(call)),
        }
    }

    /// Returns the arrangement of memory whose planes follow each other.
    pub(super) fn of(extent: Extent, pitch: usize) -> Grid {
        Grid { extent, pitch, rows: extent.height, array: None }
    }

    /// Returns the handle of the array, or null.
    #[inline]
    pub(crate) fn raw_array(&self) -> CUarray {
        ptr::with_exposed_provenance_mut(self.array.map_or(0, |array| array.raw))
    }

    /// Returns where elements with this address are in the array: bytes of a row, rows and planes.
    #[inline]
    pub(crate) fn place(&self, address: CUdeviceptr) -> [usize; 3] {
        let base = self.array.map_or(address, |array| array.base);
        let offset = (address - base) as usize;
        let in_plane = offset % self.plane().max(1);
        [in_plane % self.pitch.max(1), in_plane / self.pitch.max(1), offset / self.plane().max(1)]
    }

    /// Returns the number of bytes from plane to plane.
    pub(crate) fn plane(&self) -> usize {
        self.pitch * self.rows
    }

    /// Returns the number of bytes from the first element to the end of the last one, which have `element` bytes
    /// each.
    #[inline]
    pub(super) fn span(&self, element: usize) -> usize {
        let Extent { width, height, depth } = self.extent;
        if self.extent.len() == 0 {
            return 0;
        }
        (depth - 1) * self.plane() + (height - 1) * self.pitch + width * element
    }

    /// Returns the offset in bytes and the grid of a part, for elements of type `T`.
    pub(super) fn part<T>(
        &self,
        call: &'static str,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<(usize, Grid)> {
        let (x, width) = part(call, columns, self.extent.width)?;
        let (y, height) = part(call, rows, self.extent.height)?;
        let (z, depth) = part(call, planes, self.extent.depth)?;
        let offset = z * self.plane() + y * self.pitch + x * size_of::<T>();
        Ok((offset, Grid { extent: Extent { width, height, depth }, ..*self }))
    }

    /// Returns whether a part of the same memory, so many bytes behind the first element, lies inside.
    #[inline]
    pub(crate) fn holds(&self, element: usize, offset: usize, part: &Grid) -> bool {
        let (z, in_plane) = (offset / self.plane(), offset % self.plane());
        let (y, x) = (in_plane / self.pitch, in_plane % self.pitch);
        part.pitch == self.pitch
            && part.rows == self.rows
            && x + part.extent.width * element <= self.extent.width * element
            && y + part.extent.height <= self.extent.height
            && z + part.extent.depth <= self.extent.depth
    }

    /// Returns the parts before and after a position in one direction.
    pub(super) fn halves<T>(
        &self,
        call: &'static str,
        axis: Axis,
        middle: usize,
    ) -> Result<[(usize, Grid); 2]> {
        Ok(match axis {
            Axis::Columns => {
                [self.part::<T>(call, ..middle, .., ..)?, self.part::<T>(call, middle.., .., ..)?]
            }
            Axis::Rows => {
                [self.part::<T>(call, .., ..middle, ..)?, self.part::<T>(call, .., middle.., ..)?]
            }
            Axis::Planes => {
                [self.part::<T>(call, .., .., ..middle)?, self.part::<T>(call, .., .., middle..)?]
            }
        })
    }

    /// Returns the number of rows in all planes.
    pub(crate) fn all_rows(&self) -> usize {
        self.extent.height * self.extent.depth
    }

    /// Returns the runs of rows that are one pitch apart, each as its offset in bytes and its number of rows: all
    /// rows if the planes have no rows between them, else those of each plane.
    #[inline]
    pub(crate) fn runs(&self) -> impl ExactSizeIterator<Item = (usize, usize)> {
        let Extent { height, depth, .. } = self.extent;
        let (plane, joined) = (self.plane(), height == self.rows || depth == 1);
        let (runs, rows) = if joined { (1, self.all_rows()) } else { (depth, height) };
        (0..runs).map(move |run| (run * plane, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 planes of 4 rows of 5 numbers, in rows of 32 bytes.
    const GRID: Grid =
        Grid { extent: Extent { width: 5, height: 4, depth: 3 }, pitch: 32, rows: 4, array: None };

    #[test]
    fn parts_lie_inside() {
        let (offset, part) = GRID.part::<u32>("x", 1..3, 2.., ..=1).unwrap();
        assert_eq!(offset, 2 * 32 + 4);
        assert_eq!(part.extent, Extent { width: 2, height: 2, depth: 2 });
        assert_eq!(part.span(4), (4 * 32) + 32 + 2 * 4);
        let (inner, part) = part.part::<u32>("x", 1.., 1.., 1..).unwrap();
        assert_eq!((inner, part.extent), (4 * 32 + 32 + 4, Extent::from((1, 1))));
        for refused in [
            GRID.part::<u32>("x", 0..6, .., ..),
            GRID.part::<u32>("x", .., 5.., ..),
            GRID.part::<u32>("x", .., .., 4..4),
            part.part::<u32>("x", ..2, .., ..),
        ] {
            assert!(refused.is_err());
        }
        let (_, empty) = GRID.part::<u32>("x", .., .., 1..1).unwrap();
        assert_eq!((empty.extent.len(), empty.span(4)), (0, 0));
    }

    #[test]
    fn a_grid_holds_its_parts_alone() {
        let (at, middle) = GRID.part::<u32>("x", 1..4, 1..3, ..2).unwrap();
        let holds =
            |(offset, part): (usize, Grid)| offset >= at && middle.holds(4, offset - at, &part);
        let part = |x, y, z| GRID.part::<u32>("x", x, y, z).unwrap();
        assert!(holds((at, middle)));
        assert!(holds(part(2..4, 2..3, 1..2)));
        for outside in [
            part(1..5, 1..2, 0..1),
            part(0..2, 2..3, 1..2),
            part(1..2, 3..4, 0..1),
            part(1..2, 0..1, 1..2),
            part(1..2, 1..2, 1..3),
            part(2..4, 2..4, 0..1),
        ] {
            assert!(!holds(outside), "{outside:?}");
        }
        let last_rows = |z: usize| part(0..5, 3..4, z..z + 1);
        assert!((0..3).all(|z| GRID.holds(4, last_rows(z).0, &last_rows(z).1)));
    }

    #[test]
    fn runs_are_all_rows() {
        let runs = |grid: Grid| grid.runs().collect::<Vec<_>>();
        assert_eq!(runs(GRID), [(0, 12)]);
        let (_, few) = GRID.part::<u32>("x", .., 1..3, ..).unwrap();
        assert_eq!(runs(few), [(0, 2), (128, 2), (256, 2)]);
        let (_, plane) = GRID.part::<u32>("x", .., 1..3, 1..2).unwrap();
        assert_eq!(runs(plane), [(0, 2)]);
    }

    #[test]
    fn halves_share_nothing() {
        for (axis, offset) in [(Axis::Columns, 8), (Axis::Rows, 64), (Axis::Planes, 256)] {
            let [(first, a), (second, b)] = GRID.halves::<u32>("x", axis, 2).unwrap();
            assert_eq!((first, second), (0, offset));
            assert_eq!(a.extent.len() + b.extent.len(), GRID.extent.len());
            let [(_, none), (_, all)] = GRID.halves::<u32>("x", axis, 0).unwrap();
            assert_eq!((none.extent.len(), all.extent), (0, GRID.extent));
        }
    }
}
