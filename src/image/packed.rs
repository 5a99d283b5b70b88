//! Compressed code in a fatbin. Data that no compressor writes crashes the driver in many cases
//! ([F264](crate::driver_facts#F264)), so the code is unpacked first, or refused without the feature `compressed`.

use super::ImageProblem;
#[cfg(feature = "compressed")]
use super::unpack::{block, frame};

/// The compression of an entry.
#[derive(Clone, Copy)]
pub(super) enum Packing {
    /// One block, without a frame.
    Lz4,
    /// One frame.
    Zstd,
}

/// Returns the maximum size of all unpacked code in a fatbin of `len` bytes. Code has about 10 bytes for each
/// byte of its own; a table of zeros has more.
pub(super) fn room(len: usize) -> u64 {
    (64 << 20) + 256 * len as u64
}

impl Packing {
    /// Returns the compression that the flags of an entry give. Returns an error for two that contradict each
    /// other, and for the one between them, which no compiler sets and which has crashed the driver
    /// ([F267](crate::driver_facts#F267)).
    #[inline]
    pub(super) fn of(flags: u64) -> Result<Option<Packing>, ()> {
        match flags & 0xe000 {
            0 => Ok(None),
            0x2000 => Ok(Some(Packing::Lz4)),
            0x8000 => Ok(Some(Packing::Zstd)),
            _ => Err(()),
        }
    }

    /// Unpacks the code at `at`, if it is whole and has `size` bytes.
    #[cfg(feature = "compressed")]
    #[inline]
    pub(super) fn unpack(
        self,
        packed: &[u8],
        size: u64,
        at: usize,
    ) -> Result<Vec<u8>, ImageProblem> {
        let code = match self {
            Packing::Lz4 => block(packed, size),
            Packing::Zstd => frame(packed, size),
        };
        code.ok_or(ImageProblem::Damaged { what: "compressed code", at })
    }

    /// Refuses the code at `at`.
    #[cfg(not(feature = "compressed"))]
    pub(super) fn unpack(
        self,
        _packed: &[u8],
        _size: u64,
        at: usize,
    ) -> Result<Vec<u8>, ImageProblem> {
        Err(ImageProblem::Compressed { at })
    }
}
