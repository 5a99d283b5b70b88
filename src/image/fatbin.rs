//! Containers of code for several architectures.

use super::packed::{self, Packing};
use super::{Bytes, ImageError, ImageKind, ImageProblem, elf, expect, read, scan};
use crate::error::Result;
use std::fmt;
use std::path::Path;

/// The start of a fatbin: 0xba55ed50, least significant byte first.
pub(super) const MAGIC: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();
/// The size of the container's header in bytes.
const HEADER: usize = 16;
/// The minimum size of an entry's header in bytes.
const ENTRY: usize = 64;
/// The known kinds of entries: PTX and a cubin.
const PTX: u16 = 1;
const ELF: u16 = 2;

/// A fatbin: a container of cubins and PTX for several architectures, from which the driver chooses a fitting
/// one.
///
/// The constructors check its structure, each cubin in it like a [`Cubin`](crate::Cubin), and its PTX like
/// [`Ptx`](crate::Ptx).
///
/// Compilers compress the PTX by default, and machine code on request
/// ([F265](crate::driver_facts#F265)). The driver crashes on much damage in compressed code
/// ([F264](crate::driver_facts#F264)). With the feature `compressed`, the constructors unpack it (LZ4 or
/// Zstandard) to check it: up to 64 MiB and 256 times the size of the fatbin. Without the feature, they refuse
/// it with [`ImageProblem::Compressed`].
#[derive(Clone, PartialEq, Eq)]
pub struct Fatbin(pub(super) Bytes);

impl Fatbin {
    /// Creates a fatbin from bytes in memory: `include_bytes!("kernels.fatbin")`.
    ///
    /// # Errors
    /// [`Error::Image`](crate::Error::Image), which reports the actual kind of the bytes, or the damage.
    #[doc(alias = "cuModuleLoadFatBinary")]
    pub fn new(bytes: impl AsRef<[u8]>) -> Result<Fatbin> {
        let bytes = bytes.as_ref();
        expect(ImageKind::Fatbin, bytes)?;
        check(bytes).map_err(|problem| ImageError::new(ImageKind::Fatbin, problem))?;
        Ok(Fatbin(Bytes::new(bytes)))
    }

    /// Reads a fatbin from a file.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if the file cannot be read; the errors of [`new`](Self::new).
    #[doc(alias = "cuModuleLoad")]
    pub fn from_file(path: impl AsRef<Path>) -> Result<Fatbin> {
        Fatbin::new(read(path.as_ref())?)
    }

    /// Returns the bytes.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        self.0.get()
    }
}

impl fmt::Debug for Fatbin {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fatbin({} bytes)", self.bytes().len())
    }
}

fn damaged(what: &'static str, at: usize) -> ImageProblem {
    ImageProblem::Damaged { what, at }
}

/// Checks the container.
#[inline]
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
        return Err(damaged("bytes after the last entry", end));
    }
    let mut at = HEADER;
    if at == end {
        return Err(damaged("no entry", 8));
    }
    let mut room = packed::room(bytes.len());
    while at < end {
        at = check_entry(bytes, at, end, &mut room)?;
    }
    Ok(())
}

/// Checks one entry, and returns the position of the next one. Unpacked code may use up to `room` bytes.
#[inline]
fn check_entry(bytes: &[u8], at: usize, end: usize, room: &mut u64) -> Result<usize, ImageProblem> {
    if end - at < ENTRY {
        return Err(damaged("the header of an entry ends past the last one", at));
    }
    let (kind, header) = (elf::u16_at(bytes, at), elf::u32_at(bytes, at + 4) as usize);
    if elf::u16_at(bytes, at + 2) != 0x101 || !matches!(kind, PTX | ELF) {
        return Err(damaged("an entry of an unknown kind", at));
    }
    if header < ENTRY || header % 8 != 0 || header > end - at {
        return Err(damaged("the size of an entry's header", at + 4));
    }
    let head = &bytes[at..at + header];
    let begin = at + header;
    let size = elf::u64_at(head, 8);
    if size == 0 || size > (end - begin) as u64 || size % 8 != 0 {
        return Err(damaged("the size of an entry", at + 8));
    }
    let code = &bytes[begin..begin + size as usize];
    let (packed_len, options) = (elf::u32_at(head, 16) as usize, elf::u32_at(head, 20) as usize);
    let (name, name_len) = (elf::u32_at(head, 32), elf::u32_at(head, 36));
    let (flags, unpacked) = (elf::u64_at(head, 40), elf::u64_at(head, 56));
    // Options of the compiler: their position and length; those of PTX end in NUL. And a name.
    let inside = |at: u32, len: u32| {
        let end = (at as usize).checked_add(len as usize);
        at as usize >= ENTRY && end.is_some_and(|end| end <= header)
    };
    let text = options >= ENTRY && options + 8 <= header && {
        let (at, len) = (elf::u32_at(head, options), elf::u32_at(head, options + 4));
        (at, len) == (0, 0)
            || (inside(at, len) && (kind == ELF || head.get((at + len) as usize) == Some(&0)))
    };
    if (kind == PTX || options != 0) && !text {
        return Err(damaged("the compiler's options of an entry", at + 20));
    }
    if (name_len != 0 || name != 0) && !inside(name, name_len) {
        return Err(damaged("the name of an entry", at + 32));
    }
    let packing = Packing::of(flags).map_err(|()| damaged("the flags of an entry", at + 40))?;
    if packing.is_some() != (packed_len != 0) || packing.is_some() != (unpacked != 0) {
        return Err(damaged("the flags of an entry", at + 40));
    }
    let next = begin + code.len();
    let Some(packing) = packing else {
        return check_code(kind, code).map(|()| next).map_err(|problem| problem.behind(begin));
    };
    if unpacked > *room {
        let what = "compressed code that claims more than 256 times the size of the fatbin";
        return Err(ImageProblem::Refused { what, at: begin });
    }
    *room -= unpacked;
    let packed = code.get(..packed_len).ok_or(damaged("compressed code", begin))?;
    let code = packing.unpack(packed, unpacked, begin)?;
    let within = |problem| match problem {
        ImageProblem::Refused { what, .. } => ImageProblem::Refused { what, at: begin },
        problem => damaged(part(&problem), begin),
    };
    check_code(kind, &code).map(|()| next).map_err(within)
}

/// Checks the code of an entry.
#[inline]
fn check_code(kind: u16, code: &[u8]) -> Result<(), ImageProblem> {
    let text = code.trim_ascii_start();
    // Some PTX does not begin with its version: nvFatbin 12.9 omits it.
    let begins = [&b"."[..], b"//", b"/*"].iter().any(|with| text.starts_with(with));
    match kind {
        ELF if !code.starts_with(b"\x7fELF") => Err(damaged("an entry that is not a cubin", 0)),
        ELF => elf::check(code),
        _ if !code.contains(&0) => Err(damaged("PTX without a NUL at the end", 0)),
        _ if !begins => Err(damaged("an entry that is not PTX", 0)),
        _ => scan::check(code.split(|&byte| byte == 0).next().unwrap_or_default()),
    }
}

/// Returns the problem of code whose bytes are not those of the container.
#[inline]
fn part(problem: &ImageProblem) -> &'static str {
    match problem {
        ImageProblem::Truncated { part, .. } => part,
        ImageProblem::Damaged { what, .. } => what,
        _ => "compressed code",
    }
}
