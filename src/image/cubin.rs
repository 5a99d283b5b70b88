//! Machine code of one architecture.

use super::{Bytes, ImageKind, elf, expect, read};
use crate::error::Result;
use std::fmt;
use std::path::Path;

/// A cubin: machine code for one architecture, in an ELF file.
///
/// The constructors check its structure. They accept only contents that compilers up to CUDA 13.5 write, and so
/// refuse most truncated or damaged files, on which the driver may crash ([F290](crate::driver_facts#F290)).
/// They do not check what the code does, and a file that was made to deceive may pass: loading code runs it.
/// See [known holes](https://docs.rs/crate/cuscope/latest/source/SOUNDNESS.md).
#[derive(Clone, PartialEq, Eq)]
pub struct Cubin(pub(super) Bytes);

impl Cubin {
    /// Creates a cubin from bytes in memory: `include_bytes!("kernel.cubin")`.
    ///
    /// # Errors
    /// [`Error::Image`](crate::Error::Image), which reports the actual kind of the bytes, or the damage.
    pub fn new(bytes: impl AsRef<[u8]>) -> Result<Cubin> {
        let bytes = bytes.as_ref();
        expect(ImageKind::Cubin, bytes)?;
        elf::check(bytes).map_err(|problem| super::ImageError::new(ImageKind::Cubin, problem))?;
        Ok(Cubin(Bytes::new(bytes)))
    }

    /// Reads a cubin from a file.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if the file cannot be read; the errors of [`new`](Self::new).
    #[doc(alias = "cuModuleLoad")]
    pub fn from_file(path: impl AsRef<Path>) -> Result<Cubin> {
        Cubin::new(read(path.as_ref())?)
    }

    /// Creates a cubin from bytes that the driver wrote.
    #[inline]
    pub(crate) fn of_driver(bytes: &[u8]) -> Cubin {
        Cubin(Bytes::new(bytes))
    }

    /// Returns the bytes.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        self.0.get()
    }
}

impl fmt::Debug for Cubin {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cubin({} bytes)", self.bytes().len())
    }
}
