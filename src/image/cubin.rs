//! Machine code of one architecture.

use super::{Bytes, ImageKind, elf, expect, read};
use crate::error::Result;
use std::fmt;
use std::path::Path;

/// A cubin: machine code for one architecture, in an ELF file.
///
/// Its structure is checked, and that all of it is what compilers up to CUDA 13.5 write, so that one that was
/// truncated or damaged is refused in most cases: the driver may crash on it (F290). What the code does is not
/// checked, and one that was made to deceive may pass: loading code runs it. See [known
/// holes](https://docs.rs/crate/cuscope/latest/source/SOUNDNESS.md).
#[derive(Clone, PartialEq, Eq)]
pub struct Cubin(pub(super) Bytes);

impl Cubin {
    /// Of bytes in memory: `include_bytes!("kernel.cubin")`.
    ///
    /// # Errors
    /// [`Error::Image`](crate::Error::Image), which says what the bytes are instead, or what is damaged.
    pub fn new(bytes: impl AsRef<[u8]>) -> Result<Cubin> {
        let bytes = bytes.as_ref();
        expect(ImageKind::Cubin, bytes)?;
        elf::check(bytes).map_err(|problem| super::ImageError::new(ImageKind::Cubin, problem))?;
        Ok(Cubin(Bytes::new(bytes)))
    }

    /// Of a file.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if it cannot be read; as [`new`](Self::new).
    #[doc(alias = "cuModuleLoad")]
    pub fn from_file(path: impl AsRef<Path>) -> Result<Cubin> {
        Cubin::new(read(path.as_ref())?)
    }

    /// Of what the driver wrote.
    pub(crate) fn of_driver(bytes: &[u8]) -> Cubin {
        Cubin(Bytes::new(bytes))
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.0.get()
    }
}

impl fmt::Debug for Cubin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cubin({} bytes)", self.bytes().len())
    }
}
