//! How much memory an argument is.

use super::Extent;
use super::access::Access;
use std::fmt;

/// How much memory a kernel argument is, as the check of a [`TrustedKernel`](crate::TrustedKernel) sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySize {
    extent: Extent,
    /// The number of bytes from row to row, and from plane to plane.
    pitch: usize,
    plane: usize,
    /// The size of an element in bytes.
    element: usize,
}

impl MemorySize {
    /// Returns the number of elements that follow each other without a gap, from the first one on.
    ///
    /// For memory with rows, such as a [`PitchedBuffer`](crate::memory::PitchedBuffer), these are the elements of a row,
    /// unless the rows follow each other without a gap: behind a row there may be memory that is not the argument's.
    #[must_use]
    pub fn len(&self) -> usize {
        let Extent { width, height, depth } = self.extent;
        if width == 0 || height == 0 || depth == 0 {
            return 0;
        }
        match self.pitch == width * self.element {
            true if self.plane == self.pitch * height => width * height * depth,
            true => width * height,
            false => width,
        }
    }

    /// Returns whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of bytes of the [elements](Self::len) that follow each other without a gap.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.len() * self.element
    }

    /// Returns the size in elements: one row of all of them for memory without rows.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Returns the number of bytes from row to row. Memory without rows has as many as all of it.
    #[must_use]
    pub fn pitch(&self) -> usize {
        self.pitch
    }

    /// Returns the number of bytes from plane to plane. Memory without planes has as many as all of it.
    #[must_use]
    pub fn plane(&self) -> usize {
        self.plane
    }
}

/// Writes the number of elements, as `1024`, or the extent of memory with rows, as `64 x 32 x 1`.
impl fmt::Display for MemorySize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.extent {
            Extent { width, height: 1, depth: 1 } => write!(f, "{width}"),
            extent => write!(f, "{extent}"),
        }
    }
}

impl Access<'_> {
    /// Returns how many bytes from its address on a guarded kernel may read and write.
    ///
    /// A part of memory with rows may have rows of others between its own. The kernel may read them, but write only the
    /// first row.
    #[cfg(feature = "guard")]
    #[inline]
    pub(crate) fn extents(&self) -> [u64; 2] {
        if self.is_array() {
            return [0; 2];
        }
        let range = self.range();
        let read = range.end - range.start;
        let written = match self.grid {
            _ if !self.writes => 0,
            Some(_) if self.whole().is_none() => self.size().bytes() as u64,
            _ => read,
        };
        [read, written]
    }

    /// Returns how much memory it is to.
    #[inline]
    pub(crate) fn size(&self) -> MemorySize {
        let element = self.element();
        match self.grid {
            None => {
                let (extent, pitch) = (Extent::from((self.len, 1)), self.len * element);
                MemorySize { extent, pitch, plane: pitch, element }
            }
            Some(grid) => {
                let (extent, pitch, plane) = (grid.extent, grid.pitch, grid.plane());
                MemorySize { extent, pitch, plane, element }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(extent: impl Into<Extent>, pitch: usize, plane: usize) -> MemorySize {
        MemorySize { extent: extent.into(), pitch, plane, element: 4 }
    }

    #[test]
    fn only_elements_without_a_gap_count() {
        for (size, len) in [
            (size((8, 1), 32, 32), 8),
            (size((8, 4), 32, 128), 32),
            (size((8, 4), 512, 2048), 8),
            (size((8, 4, 2), 32, 128), 64),
            (size((8, 4, 2), 32, 256), 32),
            (size((8, 4, 2), 64, 256), 8),
            (size((8, 0), 32, 0), 0),
            (size((8, 0), 512, 0), 0),
            (size((8, 4, 0), 32, 256), 0),
            (size((8, 4, 0), 512, 2048), 0),
            (size((0, 4), 0, 0), 0),
            (size((8, 4, 0), 32, 128), 0),
        ] {
            assert_eq!((size.len(), size.bytes(), size.is_empty()), (len, 4 * len, len == 0));
        }
    }
}
