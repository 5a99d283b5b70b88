//! Images: code that a driver loads. Each kind has its own type.

mod cubin;
mod elf;
mod entries;
mod fatbin;
mod foreign;
mod header;
mod known;
mod packed;
mod ptx;
mod scan;
mod text;
mod tokens;
#[cfg(feature = "compressed")]
mod unpack;

pub use cubin::Cubin;
#[cfg(any(test, feature = "guard"))]
pub(crate) use entries::PtxParam;
pub(crate) use entries::{Class, PtxContents, PtxEntry};
pub use fatbin::Fatbin;
pub(crate) use header::{PtxHeader, first_ptx, newest_ptx};
pub use ptx::Ptx;
pub(crate) use scan::MOST;
use tokens::{Token, Tokens, number};

pub(crate) use crate::error::image::LOAD;
pub use crate::error::{ImageError, ImageKind, ImageProblem};

use crate::error::{Error, Result};
use std::path::Path;

/// An image that a driver can load: `&Ptx`, `&Cubin`, `&Fatbin`. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an image",
    label = "expected `&Ptx`, `&Cubin` or `&Fatbin`",
    note = "create one from bytes or text: `Cubin::new(include_bytes!(\"kernel.cubin\"))` checks them"
)]
pub trait Image: sealed::Sealed {}

pub(crate) mod sealed {
    use super::Bytes;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `Image`, which is sealed",
        label = "only `&Ptx`, `&Cubin` and `&Fatbin` do"
    )]
    pub trait Sealed: Copy {
        #[doc(hidden)]
        fn kind(self) -> super::ImageKind;
        #[doc(hidden)]
        fn bytes<'a>(self) -> &'a Bytes
        where
            Self: 'a;
    }
}

macro_rules! images {
    ($($image:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Image for &$image {}
        #[diagnostic::do_not_recommend]
        impl sealed::Sealed for &$image {
            fn kind(self) -> ImageKind {
                ImageKind::$image
            }
            fn bytes<'a>(self) -> &'a Bytes where Self: 'a {
                &self.0
            }
        }
    )* };
}
images! { Ptx Cubin Fatbin }

/// A copy of an image for the driver: aligned, and followed by zeros, because the driver reads some bytes to
/// recognise the kind of an image, whatever its length ([F113](crate::driver_facts#F113)).
#[derive(Clone, PartialEq, Eq)]
#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "not public: bytes")]
pub struct Bytes {
    words: Box<[u64]>,
    len: usize,
}

/// The number of zeros after an image.
const PADDING: usize = 128;

impl Bytes {
    #[inline]
    fn new(bytes: &[u8]) -> Bytes {
        let mut words = vec![0_u64; (bytes.len() + PADDING).div_ceil(8)].into_boxed_slice();
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Bytes { words, len: bytes.len() }
    }

    /// Returns the bytes without the zeros.
    #[inline]
    pub(crate) fn get(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len]
    }
}

/// Returns the kind of image that the first bytes suggest.
#[inline]
fn looks_like(bytes: &[u8]) -> Option<ImageKind> {
    let text = bytes.trim_ascii_start();
    let begins = |with: &[u8]| text.starts_with(with);
    if bytes.starts_with(&fatbin::MAGIC) {
        Some(ImageKind::Fatbin)
    } else if bytes.starts_with(b"\x7fELF") {
        Some(ImageKind::Cubin)
    } else if begins(b".version") || begins(b"//") || begins(b"/*") {
        Some(ImageKind::Ptx)
    } else {
        None
    }
}

/// Refuses bytes that do not look like an image of the kind.
#[inline]
fn expect(kind: ImageKind, bytes: &[u8]) -> Result {
    let problem = match looks_like(bytes) {
        Some(found) if found == kind => return Ok(()),
        Some(found) => ImageProblem::IsA(found),
        None if bytes.trim_ascii().is_empty() => ImageProblem::Empty,
        None => foreign::looks_like(bytes).map_or(ImageProblem::Unknown, ImageProblem::Foreign),
    };
    Err(ImageError::new(kind, problem).into())
}

/// Reads the bytes of a file.
#[inline]
fn read(path: &Path) -> Result<Vec<u8>> {
    let failed = |kind| Error::File { call: LOAD, path: Box::new(path.to_owned()), kind };
    std::fs::read(path).map_err(|error| failed(error.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_begins_with_a_comment_looks_like_ptx() {
        for text in [".version 7.0", "  // A comment.", "\n/* A comment. */"] {
            assert_eq!(looks_like(text.as_bytes()), Some(ImageKind::Ptx), "{text}");
        }
        for text in ["", ".target sm_70", "/ * no comment */"] {
            assert_eq!(looks_like(text.as_bytes()), None, "{text}");
        }
    }
}
