//! Machine code of one architecture.

use super::{Bytes, ImageKind, Ptx, elf, expect, looks_like, read};
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

    /// Creates a cubin from bytes that a driver's linker returned and that were kept since, for example in a cache of
    /// kernels on the disk: [`bytes`](Self::bytes) of a [`Linked`](crate::jit::Linked).
    ///
    /// A GPU's linker returns machine code, which is checked as [`new`](Self::new) checks it. The software driver's linker
    /// returns PTX ([F289](crate::driver_facts#F289)), which is checked as [`Ptx::new`](crate::Ptx::new) checks it. So a
    /// cache that was damaged, or that another driver filled, is an error here or when the code is loaded.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), and for PTX those of [`Ptx::new`](crate::Ptx::new).
    ///
    /// # Examples
    /// ```standalone_crate
    /// # use cuscope::{Context, ContextStack, Cubin, Device, Ptx, jit::JitOptions};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// # let ptx = Ptx::new(include_str!("../../examples/kernels/saxpy.ptx"))?;
    /// let linked = gpu.linker(&JitOptions::new())?.add(&ptx, "saxpy")?.finish()?;
    /// let kept: Vec<u8> = linked.cubin.bytes().to_vec(); // to a file
    /// let again = Cubin::from_linked(&kept)?;
    /// let saxpy = gpu.load(&again)?.function("saxpy")?;
    /// # drop(saxpy);
    /// # Ok(()) }
    /// ```
    pub fn from_linked(bytes: impl AsRef<[u8]>) -> Result<Cubin> {
        let bytes = bytes.as_ref();
        match looks_like(bytes) {
            Some(ImageKind::Ptx) => {
                Ok(Cubin(Ptx::new(String::from_utf8_lossy(bytes).into_owned())?.0))
            }
            _ => Cubin::new(bytes),
        }
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
