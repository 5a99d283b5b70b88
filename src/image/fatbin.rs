//! Containers of code for several architectures.

use super::{Bytes, ImageError, ImageKind, ImageProblem, elf, expect, read};
use crate::Result;
use std::fmt;
use std::path::Path;

/// How a fatbin begins: 0xba55ed50, least byte first.
pub(super) const MAGIC: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();
/// Bytes of the header of the container.
const HEADER: usize = 16;
/// Bytes of the header of an entry, at least.
const ENTRY: usize = 64;
/// The kinds of entries that are known: PTX and a cubin.
const PTX: u16 = 1;
const ELF: u16 = 2;
/// Flags of entries whose code is compressed, in one way or the other.
const COMPRESSED: u64 = 0x2000 | 0x8000;

/// A fatbin: a container of cubins and PTX for several architectures, of which the driver takes what fits.
///
/// Its structure is checked, as that of a [`Cubin`](crate::Cubin), with that of the cubins in it that are not compressed.
#[derive(Clone, PartialEq, Eq)]
pub struct Fatbin(pub(super) Bytes);

impl Fatbin {
    /// Of bytes in memory: `include_bytes!("kernels.fatbin")`.
    ///
    /// # Errors
    /// [`Error::Image`](crate::Error::Image), which says what the bytes are instead, or what is damaged.
    #[doc(alias = "cuModuleLoadFatBinary")]
    pub fn new(bytes: impl AsRef<[u8]>) -> Result<Fatbin> {
        let bytes = bytes.as_ref();
        expect(ImageKind::Fatbin, bytes)?;
        check(bytes).map_err(|problem| ImageError::new(ImageKind::Fatbin, problem))?;
        Ok(Fatbin(Bytes::new(bytes)))
    }

    /// Of a file.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if it cannot be read; as [`new`](Self::new).
    #[doc(alias = "cuModuleLoad")]
    pub fn from_file(path: impl AsRef<Path>) -> Result<Fatbin> {
        Fatbin::new(read(path.as_ref())?)
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.0.get()
    }
}

impl fmt::Debug for Fatbin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fatbin({} bytes)", self.bytes().len())
    }
}

fn damaged(what: &'static str, at: usize) -> ImageProblem {
    ImageProblem::Damaged { what, at }
}

/// Walks the container.
fn check(bytes: &[u8]) -> Result<(), ImageProblem> {
    let len = bytes.len();
    let truncated = |part, end| ImageProblem::Truncated { part, end, len };
    if len < HEADER {
        return Err(truncated("header", HEADER as u64));
    }
    if elf::u16_at(bytes, 4) != 1 || elf::u16_at(bytes, 6) != HEADER as u16 {
        return Err(damaged("an unknown version", 4));
    }
    let end = (HEADER as u64).saturating_add(elf::u64_at(bytes, 8));
    if end > len as u64 {
        return Err(truncated("last entry", end));
    }
    let end = end as usize;
    if bytes[end..].iter().any(|&byte| byte != 0) {
        return Err(damaged("bytes behind the last entry", end));
    }
    let mut at = HEADER;
    if at == end {
        return Err(damaged("no entry", 8));
    }
    while at < end {
        at = check_entry(bytes, at, end)?;
    }
    Ok(())
}

/// Checks one entry, and gives where the next one begins.
fn check_entry(bytes: &[u8], at: usize, end: usize) -> Result<usize, ImageProblem> {
    if end - at < ENTRY {
        return Err(damaged("the header of an entry ends past the last one", at));
    }
    let (kind, header) = (elf::u16_at(bytes, at), elf::u32_at(bytes, at + 4) as usize);
    if elf::u16_at(bytes, at + 2) != 0x101 || !matches!(kind, PTX | ELF) {
        return Err(damaged("an entry of an unknown kind", at));
    }
    if header < ENTRY || !header.is_multiple_of(8) || header > end - at {
        return Err(damaged("the size of an entry's header", at + 4));
    }
    let head = &bytes[at..at + header];
    let begin = at + header;
    let size = elf::u64_at(head, 8);
    if size == 0 || size > (end - begin) as u64 || !size.is_multiple_of(8) {
        return Err(damaged("the size of an entry", at + 8));
    }
    let code = &bytes[begin..begin + size as usize];
    let (packed, options) = (elf::u32_at(head, 16) as usize, elf::u32_at(head, 20) as usize);
    let (name, name_len) = (elf::u32_at(head, 32) as usize, elf::u32_at(head, 36) as usize);
    let (flags, unpacked) = (elf::u64_at(head, 40), elf::u64_at(head, 56));
    if packed > code.len() {
        return Err(damaged("the size of compressed code", at + 16));
    }
    // Options of the compiler, and a name: strings in the header, or nothing.
    let text =
        |offset: usize| offset >= ENTRY && head.get(offset..).is_some_and(|t| t.contains(&0));
    if (kind == PTX || options != 0) && !text(options) {
        return Err(damaged("the compiler's options of an entry", at + 20));
    }
    if (name_len != 0 || name != 0)
        && !(name >= ENTRY && name.checked_add(name_len).is_some_and(|name_end| name_end <= header))
    {
        return Err(damaged("the name of an entry", at + 32));
    }
    let compressed = flags & COMPRESSED != 0;
    if compressed != (packed != 0) || compressed != (unpacked != 0) {
        return Err(damaged("the flags of an entry", at + 40));
    }
    if compressed {
        return Ok(begin + code.len());
    }
    match kind {
        PTX if !code.contains(&0) => Err(damaged("PTX without its NUL", begin)),
        PTX if super::looks_like(code) != Some(ImageKind::Ptx) => {
            Err(damaged("an entry that is no PTX", begin))
        }
        ELF => elf::check(code).map_err(|problem| problem.behind(begin)),
        _ => Ok(()),
    }?;
    Ok(begin + code.len())
}
