//! PTX text.

use super::text::with_nul;
use super::{Bytes, ImageError, ImageKind, expect, read, scan};
use crate::error::Result;
use crate::name::Text;
use std::fmt;
use std::path::Path;

/// PTX text for the driver's compiler. The NUL at its end is added.
///
/// Text that is known to crash the driver's compiler is refused. Unknown crashes are possible: see [known
/// holes](https://docs.rs/crate/cuscope/latest/source/SOUNDNESS.md).
#[derive(Clone, PartialEq, Eq)]
pub struct Ptx(pub(super) Bytes);

impl Ptx {
    /// Creates an image from text in memory: `include_str!("kernel.ptx")`.
    ///
    /// # Errors
    /// [`Error::Image`](crate::Error::Image) for text that begins neither with `.version` nor with a comment,
    /// for a character outside of ASCII, also in a comment ([F638](crate::driver_facts#F638)), and for text that is
    /// known to crash the driver's compiler ([F293](crate::driver_facts#F293)): a string or number of more than
    /// 4 KiB, a name of more than 16 KiB, more than 2^20 registers, as many threads, blocks or bytes of an
    /// alignment, an initialiser of an array that is no list, an atomic operation on a variable in local memory by
    /// its name, a third element of a register of two, a call with a constant for a result, a function within a
    /// function, and a division by anything but a plain number.
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for text that contains a NUL.
    pub fn new(text: impl Text) -> Result<Ptx> {
        let text = with_nul(text.written())?;
        expect(ImageKind::Ptx, text.to_bytes())?;
        scan::ascii(text.to_bytes())
            .and_then(|()| scan::check(text.to_bytes()))
            .map_err(|problem| ImageError::new(ImageKind::Ptx, problem))?;
        Ok(Ptx(Bytes::new(text.to_bytes_with_nul())))
    }

    /// Reads PTX text from a file.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if the file cannot be read; the errors of [`new`](Self::new).
    #[doc(alias = "cuModuleLoad")]
    pub fn from_file(path: impl AsRef<Path>) -> Result<Ptx> {
        let path = path.as_ref();
        let bytes = read(path)?;
        expect(ImageKind::Ptx, &bytes)?;
        Ptx::new(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns the text, without its NUL.
    #[must_use]
    #[inline]
    pub fn text(&self) -> &[u8] {
        let bytes = self.0.get();
        &bytes[..bytes.len() - 1]
    }
}

impl fmt::Debug for Ptx {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ptx({} bytes)", self.text().len())
    }
}
