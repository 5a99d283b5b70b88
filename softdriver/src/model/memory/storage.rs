//! The host memory behind device memory. Kernels, copies and the host may touch it at the same
//! time, so that every access is atomic; a race gives any of the values, never more.
#![allow(unsafe_code, reason = "raw memory, shared with whoever runs at the same time")]

use crate::domain;
use crate::entry::Answer;
use crate::model::memory::pages;
use crate::model::memory::physical::Region;
use crate::model::memory::shared::Place;
use crate::model::memory::shared::Shared;
use cuscope_ptx::run::{Lie, Row, lie};
use cuscope_sys::CUDA_ERROR_UNKNOWN;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// Storage is aligned to this; the allocator gives zeroed memory of it without touching it.
const ALIGN: usize = 16;
/// Host memory is changed in pieces of this size, so that the end of a context stops a copy (F328).
const PIECE: usize = 1 << 20;

/// Zeroed memory of a fixed size.
pub(crate) struct Storage {
    /// Where it was made.
    start: NonNull<u8>,
    /// Where it is.
    now: AtomicPtr<u8>,
    /// Where it moved to, for other processes.
    moved: OnceLock<Shared>,
    len: usize,
    /// Part of the program's memory, rather than on the heap.
    pub(crate) host: bool,
    owner: Owner,
    /// Nobody writes it while it is known here, and maybe nobody can: no atomic may lie in it.
    read_only: bool,
}

/// Whose the memory is.
enum Owner {
    /// The storage's own.
    Own,
    /// The storage's own, in pages of the system.
    Pages,
    /// The program's.
    Program,
    /// A part of a range that has memory mapped into it.
    Region(Arc<Region>),
    /// That of another process, or of another interface.
    Other { _held: Shared },
    /// That of an object of graphics.
    Object { _held: Arc<Storage> },
}

// SAFETY: the memory is owned or lent by the program, and every access by `&self` is atomic.
unsafe impl Send for Storage {}
// SAFETY: as above.
unsafe impl Sync for Storage {}

impl Storage {
    /// The heap layout for a length.
    fn layout(len: usize) -> Option<Layout> {
        Layout::from_size_align(len.max(1).checked_next_multiple_of(ALIGN)?, ALIGN).ok()
    }

    fn of(start: NonNull<u8>, len: usize, host: bool, owner: Owner, read_only: bool) -> Self {
        let (now, moved) = (AtomicPtr::new(start.as_ptr()), OnceLock::new());
        Self { start, now, moved, len, host, owner, read_only }
    }

    /// A part of memory of others. Panics beyond an address space, which no mapping reaches.
    pub(crate) fn opened(memory: Shared, offset: usize, len: usize) -> Self {
        let start = NonNull::new(memory.start().as_ptr().wrapping_add(offset));
        let start = start.expect("a mapping has addresses");
        Self::of(start, len, false, Owner::Other { _held: memory }, false)
    }

    /// Memory that is lent by an object. Panics beyond its end.
    pub(crate) fn lent(object: &Arc<Storage>, offset: usize, len: usize) -> Self {
        assert!(offset + len <= object.len, "a part of the object");
        let start = NonNull::new(object.start.as_ptr().wrapping_add(offset));
        let start = start.expect("an object has addresses");
        Self::of(start, len, false, Owner::Object { _held: object.clone() }, false)
    }

    /// How many bytes it has.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether it is memory of others.
    pub(crate) fn is_of_others(&self) -> bool {
        matches!(self.owner, Owner::Other { .. } | Owner::Object { .. })
    }

    /// Whether it moved to where another process can open it.
    pub(crate) fn is_shared(&self) -> bool {
        self.moved.get().is_some()
    }

    /// Moves it to where another process can open it, and tells where. Nothing works on it meanwhile, as callers have
    /// waited.
    pub(crate) fn share(&self) -> Answer<Place> {
        if self.moved.get().is_none() {
            let shared = Shared::new(self.len)?;
            copy(shared.start().as_ptr(), self.at(0, self.len), self.len);
            let start = self.moved.get_or_init(|| shared).start().as_ptr();
            let _ = start.expose_provenance(); // as that of host memory is
            self.now.store(start, Relaxed);
        }
        self.moved.get().map(Shared::place).ok_or(CUDA_ERROR_UNKNOWN)
    }

    /// Memory of a device.
    pub(crate) fn device(len: usize) -> Option<Self> {
        let layout = Self::layout(len)?;
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc_zeroed(layout) };
        Some(Self::of(NonNull::new(start)?, len, false, Owner::Own, false))
    }

    /// Page-locked memory of the host, unmapped at its end (F102).
    pub(crate) fn host(len: usize) -> Option<Self> {
        Some(Self::of(pages::map(len)?, len, true, Owner::Pages, false))
    }

    /// Addresses for memory of a device, which [`Self::commit`] makes memory.
    #[cfg(any(not(target_os = "linux"), miri))]
    pub(crate) fn reserved(len: usize) -> Option<Self> {
        Some(Self::of(pages::reserve(len)?, len, false, Owner::Pages, false))
    }

    /// Makes a part of reserved addresses memory; whether there was enough.
    #[cfg(any(not(target_os = "linux"), miri))]
    pub(crate) fn commit(&self, offset: usize, len: usize) -> bool {
        assert!(matches!(self.owner, Owner::Pages), "reserved addresses");
        // SAFETY: a part of the pages that were reserved for this storage.
        unsafe { pages::commit(self.at(offset, len), len) }
    }

    /// Memory of the program, which it promises to leave mapped while it is registered.
    pub(crate) fn registered(start: *mut u8, len: usize, read_only: bool) -> Option<Self> {
        let start = NonNull::new(start)?;
        Some(Self::of(start, len, true, Owner::Program, read_only))
    }

    /// A part of a range that has memory mapped into it.
    pub(crate) fn mapped((region, offset): (Arc<Region>, usize), len: usize) -> Self {
        let start = region.at(offset, len);
        Self::of(start, len, false, Owner::Region(region), false)
    }

    /// The range that it is a part of, with its place there.
    pub(crate) fn region(&self) -> Option<(&Arc<Region>, usize)> {
        let Owner::Region(region) = &self.owner else { return None };
        Some((region, self.start.addr().get() - region.at(0, 0).addr().get()))
    }

    /// Where it starts in the program's address space.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The place at an offset that has `len` bytes after it. Panics beyond the end, which callers
    /// have excluded.
    #[inline]
    fn at(&self, offset: usize, len: usize) -> *mut u8 {
        assert!(offset <= self.len && len <= self.len - offset, "access beyond an allocation");
        let now = self.now.load(Relaxed);
        if self.host {
            // The program uses it too, by pointers of its own, through which the driver works where it is given one.
            return ptr::with_exposed_provenance_mut(now.addr() + offset);
        }
        now.wrapping_add(offset)
    }

    /// Loads bytes; 1, 2, 4 or 8 aligned ones at once, 16 in two halves.
    #[inline]
    pub(crate) fn load(&self, offset: usize, out: &mut [u8]) {
        let at = self.at(offset, out.len());
        if self.read_only {
            return take(out.as_mut_ptr(), at, out.len());
        }
        if !at.addr().is_multiple_of(out.len().clamp(1, 8)) {
            return copy(out.as_mut_ptr(), at, out.len());
        }
        match out.len() {
            // SAFETY: inside the storage, aligned, and only ever accessed atomically.
            1 => out[0] = unsafe { AtomicU8::from_ptr(at) }.load(Relaxed),
            2 => {
                // SAFETY: as above.
                let word = unsafe { AtomicU16::from_ptr(at.cast()) };
                out.copy_from_slice(&word.load(Relaxed).to_ne_bytes());
            }
            4 => {
                // SAFETY: as above.
                let word = unsafe { AtomicU32::from_ptr(at.cast()) };
                out.copy_from_slice(&word.load(Relaxed).to_ne_bytes());
            }
            8 => {
                // SAFETY: as above.
                let word = unsafe { AtomicU64::from_ptr(at.cast()) };
                out.copy_from_slice(&word.load(Relaxed).to_ne_bytes());
            }
            len => copy(out.as_mut_ptr(), at, len),
        }
    }

    /// Stores bytes; 1, 2, 4 or 8 aligned ones at once, 16 in two halves.
    #[inline]
    pub(crate) fn store(&self, offset: usize, bytes: &[u8]) {
        let at = self.at(offset, bytes.len());
        if !at.addr().is_multiple_of(bytes.len().clamp(1, 8)) {
            return take(at, bytes.as_ptr(), bytes.len());
        }
        match *bytes {
            // SAFETY: inside the storage, aligned, and only ever accessed atomically.
            [a] => unsafe { AtomicU8::from_ptr(at) }.store(a, Relaxed),
            [a, b] => {
                // SAFETY: as above.
                let word = unsafe { AtomicU16::from_ptr(at.cast()) };
                word.store(u16::from_ne_bytes([a, b]), Relaxed);
            }
            [a, b, c, d] => {
                // SAFETY: as above.
                let word = unsafe { AtomicU32::from_ptr(at.cast()) };
                word.store(u32::from_ne_bytes([a, b, c, d]), Relaxed);
            }
            [a, b, c, d, e, f, g, h] => {
                // SAFETY: as above.
                let word = unsafe { AtomicU64::from_ptr(at.cast()) };
                word.store(u64::from_ne_bytes([a, b, c, d, e, f, g, h]), Relaxed);
            }
            _ => take(at, bytes.as_ptr(), bytes.len()),
        }
    }

    /// Loads a word of `N` bytes (1, 2, 4 or 8) at each of some addresses, which are counted from `base`. False, and
    /// nothing is done, if one of them is not aligned or not inside.
    #[inline]
    pub(crate) fn load_row<const N: usize>(&self, base: u64, at: &Row, out: &mut Row) -> bool {
        if self.read_only || !self.has_words::<N>(base, at) {
            return false;
        }
        let start = self.at(0, self.len);
        for (out, at) in out.iter_mut().zip(at) {
            *out = word::<N>(start.wrapping_add((at - base) as usize));
        }
        true
    }

    /// Stores words likewise, in order.
    #[inline]
    pub(crate) fn store_row<const N: usize>(&self, base: u64, at: &Row, values: &Row) -> bool {
        if !self.has_words::<N>(base, at) {
            return false;
        }
        let start = self.at(0, self.len);
        for (&value, at) in values.iter().zip(at) {
            set_word::<N>(start.wrapping_add((at - base) as usize), value);
        }
        true
    }

    /// Loads words of `N` bytes from an offset on. False, and nothing is done, if they are not aligned. Panics beyond
    /// the end, which callers have excluded.
    #[inline]
    pub(crate) fn load_run<const N: usize>(&self, offset: usize, out: &mut Row) -> bool {
        let start = self.at(offset, size_of::<[[u8; N]; 32]>());
        if self.read_only || !start.addr().is_multiple_of(N) {
            return false;
        }
        for (lane, out) in out.iter_mut().enumerate() {
            *out = word::<N>(start.wrapping_add(lane * N));
        }
        true
    }

    /// Stores words likewise.
    #[inline]
    pub(crate) fn store_run<const N: usize>(&self, offset: usize, values: &Row) -> bool {
        let start = self.at(offset, size_of::<[[u8; N]; 32]>());
        if !start.addr().is_multiple_of(N) {
            return false;
        }
        for (lane, &value) in values.iter().enumerate() {
            set_word::<N>(start.wrapping_add(lane * N), value);
        }
        true
    }

    /// Whether words of `N` bytes at all addresses are aligned and inside.
    #[inline]
    fn has_words<const N: usize>(&self, base: u64, at: &Row) -> bool {
        let last = self.len.checked_sub(N).filter(|_| self.at(0, 0).addr().is_multiple_of(N));
        last.is_some_and(|last| lie(at, base, last as u64, N as u64) != Lie::Beyond)
    }

    /// Replaces a value of 2, 4 or 8 aligned bytes by what `update` makes of it, atomically;
    /// gives the old value. `None` if the size or the alignment is another.
    pub(crate) fn atomic(
        &self,
        offset: usize,
        bytes: usize,
        update: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Option<u64> {
        let at = self.at(offset, bytes);
        if !matches!(bytes, 1 | 2 | 4 | 8) || !at.addr().is_multiple_of(bytes) {
            return None;
        }
        let result = match bytes {
            1 => {
                // SAFETY: inside the storage, aligned, and only ever accessed atomically.
                let word = unsafe { AtomicU8::from_ptr(at) };
                let narrow = |old| update(u64::from(old)).map(|new| new as u8);
                word.fetch_update(Relaxed, Relaxed, narrow).map(u64::from).map_err(u64::from)
            }
            2 => {
                // SAFETY: as above.
                let word = unsafe { AtomicU16::from_ptr(at.cast()) };
                let narrow = |old| update(u64::from(old)).map(|new| new as u16);
                word.fetch_update(Relaxed, Relaxed, narrow).map(u64::from).map_err(u64::from)
            }
            4 => {
                // SAFETY: as above.
                let word = unsafe { AtomicU32::from_ptr(at.cast()) };
                let narrow = |old| update(u64::from(old)).map(|new| new as u32);
                word.fetch_update(Relaxed, Relaxed, narrow).map(u64::from).map_err(u64::from)
            }
            _ => {
                // SAFETY: as above.
                let word = unsafe { AtomicU64::from_ptr(at.cast()) };
                word.fetch_update(Relaxed, Relaxed, update)
            }
        };
        Some(result.unwrap_or_else(|old| old))
    }

    /// Fills with a pattern: the byte at an address that is `i` above a multiple of 8 is byte `i`
    /// of the pattern.
    pub(crate) fn fill(&self, offset: usize, len: usize, pattern: [u8; 8]) {
        in_pieces(self.host, self.at(offset, len), len, |at, len, _| {
            let start = at.addr();
            let head = (start.wrapping_neg() % 8).min(len);
            let tail = (len - head) % 8;
            for i in (0..head).chain(len - tail..len) {
                // SAFETY: inside the storage, and only ever accessed atomically.
                let byte = unsafe { AtomicU8::from_ptr(at.wrapping_add(i)) };
                byte.store(pattern[(start + i) % 8], Relaxed);
            }
            for i in (head..len - tail).step_by(8) {
                // SAFETY: as above; aligned, as the head ends at a multiple of 8.
                let word = unsafe { AtomicU64::from_ptr(at.wrapping_add(i).cast()) };
                word.store(u64::from_ne_bytes(pattern), Relaxed);
            }
        });
    }

    /// Copies from memory of the program into the storage, until that is cut off.
    ///
    /// # Safety
    ///
    /// `from` leads to `len` readable bytes that nobody writes, until the copy is done, called off or cut off.
    pub(crate) unsafe fn copy_in(&self, offset: usize, from: *const u8, len: usize) {
        let read = |at: *mut u8, len, done| take(at, from.wrapping_add(done), len);
        in_pieces(true, self.at(offset, len), len, read);
    }

    /// Copies from another storage into this one; if one of them is host memory, until that is cut off.
    pub(crate) fn copy_across(&self, offset: usize, from: &Storage, start: usize, len: usize) {
        let (host, read_only, from) = (self.host || from.host, from.read_only, from.at(start, len));
        let read = if read_only { take } else { copy };
        let read = |at: *mut u8, len, done| read(at, from.wrapping_add(done), len);
        in_pieces(host, self.at(offset, len), len, read);
    }

    /// Copies out to memory of the program, until that is cut off.
    ///
    /// # Safety
    ///
    /// `to` leads to `len` writable bytes, until the copy is done, called off or cut off.
    pub(crate) unsafe fn copy_out(&self, offset: usize, to: *mut u8, len: usize) {
        let (read, from) = (if self.read_only { take } else { copy }, self.at(offset, len));
        in_pieces(true, to, len, |to, len, done| read(to, from.wrapping_add(done), len));
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        match (&self.owner, Self::layout(self.len)) {
            // SAFETY: from `alloc_zeroed` with the same layout, and nothing uses it any more.
            (Owner::Own, Some(layout)) => unsafe { dealloc(self.start.as_ptr(), layout) },
            // SAFETY: the pages that were made for this storage, which nothing here uses any more.
            (Owner::Pages, _) => unsafe { pages::unmap(self.start, self.len) },
            _ => {}
        }
    }
}

/// A word of `N` bytes of shared memory.
///
/// Private to this file: `at` leads to `N` bytes inside a storage, and is aligned.
#[inline(always)]
fn word<const N: usize>(at: *mut u8) -> u64 {
    match N {
        // SAFETY: inside the storage, aligned, and only ever accessed atomically.
        1 => unsafe { AtomicU8::from_ptr(at) }.load(Relaxed).into(),
        // SAFETY: as above.
        2 => unsafe { AtomicU16::from_ptr(at.cast()) }.load(Relaxed).to_le().into(),
        // SAFETY: as above.
        4 => unsafe { AtomicU32::from_ptr(at.cast()) }.load(Relaxed).to_le().into(),
        // SAFETY: as above.
        _ => unsafe { AtomicU64::from_ptr(at.cast()) }.load(Relaxed).to_le(),
    }
}

/// Sets such a word.
///
/// Private to this file: `at` leads to `N` bytes inside a storage, and is aligned.
#[inline(always)]
fn set_word<const N: usize>(at: *mut u8, value: u64) {
    match N {
        // SAFETY: inside the storage, aligned, and only ever accessed atomically.
        1 => unsafe { AtomicU8::from_ptr(at) }.store(value as u8, Relaxed),
        // SAFETY: as above.
        2 => unsafe { AtomicU16::from_ptr(at.cast()) }.store((value as u16).to_le(), Relaxed),
        // SAFETY: as above.
        4 => unsafe { AtomicU32::from_ptr(at.cast()) }.store((value as u32).to_le(), Relaxed),
        // SAFETY: as above.
        _ => unsafe { AtomicU64::from_ptr(at.cast()) }.store(value.to_le(), Relaxed),
    }
}

/// Calls `f` for pieces with their place, length and offset. Where memory of the program is used, until that is
/// called off, as the memory is the caller's again (F331), or cut off (F328).
fn in_pieces(host: bool, at: *mut u8, len: usize, f: impl Fn(*mut u8, usize, usize)) {
    if !host {
        return f(at, len, 0);
    }
    for start in (0..len).step_by(PIECE) {
        let len = PIECE.min(len - start);
        domain::with_host_memory(|| f(at.wrapping_add(start), len, start));
    }
}

/// Copies from bytes that nobody writes meanwhile into shared memory. They may be such that cannot be
/// written, and so are read as they are: an atomic needs memory that can be.
///
/// Private to this file: both sides are `len` bytes that callers have a right to.
fn take(to: *mut u8, from: *const u8, len: usize) {
    let head = (to.addr().wrapping_neg() % 8).min(len);
    let tail = (len - head) % 8;
    let byte = |i: usize| {
        // SAFETY: one of the `len` bytes, which nobody writes.
        let value = unsafe { from.wrapping_add(i).read() };
        // SAFETY: one of the `len` bytes; every access to shared memory is atomic.
        unsafe { AtomicU8::from_ptr(to.wrapping_add(i)) }.store(value, Relaxed);
    };
    (0..head).for_each(byte);
    for i in (head..len - tail).step_by(8) {
        // SAFETY: eight of the `len` bytes, which nobody writes.
        let value = unsafe { from.wrapping_add(i).cast::<u64>().read_unaligned() };
        // SAFETY: eight of the `len` bytes, aligned after the head; otherwise as above.
        unsafe { AtomicU64::from_ptr(to.wrapping_add(i).cast()) }.store(value, Relaxed);
    }
    (len - tail..len).for_each(byte);
}

/// Copies bytes of shared memory that do not overlap, in atomic words where both sides are aligned alike.
///
/// Private to this file: both sides are `len` writable bytes that callers have a right to.
fn copy(to: *mut u8, from: *const u8, len: usize) {
    let alike = to.addr() % 8 == from.addr() % 8;
    let head = if alike { (to.addr().wrapping_neg() % 8).min(len) } else { len };
    let tail = (len - head) % 8;
    let byte = |i: usize| {
        // SAFETY: one of the `len` bytes; every access to shared memory is atomic.
        let value = unsafe { AtomicU8::from_ptr(from.wrapping_add(i).cast_mut()) }.load(Relaxed);
        // SAFETY: one of the `len` bytes; every access to shared memory is atomic.
        unsafe { AtomicU8::from_ptr(to.wrapping_add(i)) }.store(value, Relaxed);
    };
    (0..head).for_each(byte);
    for i in (head..len - tail).step_by(8) {
        // SAFETY: eight of the `len` bytes, aligned after the head; otherwise as above.
        let value = unsafe { AtomicU64::from_ptr(from.wrapping_add(i).cast_mut().cast()) };
        // SAFETY: as above.
        let place = unsafe { AtomicU64::from_ptr(to.wrapping_add(i).cast()) };
        place.store(value.load(Relaxed), Relaxed);
    }
    (len - tail..len).for_each(byte);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_and_fills_touch_exactly_their_range() {
        for len in 0..40 {
            for shift in 0..9 {
                let storage = Storage::device(64).unwrap();
                storage.fill(shift, len, *b"abcdefgh");
                let mut seen = [0xff; 64];
                // SAFETY: 64 bytes of a local array.
                unsafe { storage.copy_out(0, seen.as_mut_ptr(), 64) };
                for (i, &byte) in seen.iter().enumerate() {
                    let inside = (shift..shift + len).contains(&i);
                    assert_eq!(byte, if inside { b"abcdefgh"[i % 8] } else { 0 });
                }
                let other = Storage::device(64).unwrap();
                other.copy_across(3, &storage, shift, len);
                let mut moved = [0; 64];
                // SAFETY: as above.
                unsafe { other.copy_out(0, moved.as_mut_ptr(), 64) };
                assert_eq!(moved[3..3 + len], seen[shift..shift + len]);
                assert!(moved[..3].iter().chain(&moved[3 + len..]).all(|&byte| byte == 0));
                let (taken, mut bytes) = (Storage::device(64).unwrap(), [0; 64]);
                // SAFETY: the bytes of a part of a local array, which nobody writes.
                unsafe { taken.copy_in(3, seen[shift..].as_ptr(), len) };
                // SAFETY: as above.
                unsafe { taken.copy_out(0, bytes.as_mut_ptr(), 64) };
                assert_eq!(bytes, moved);
            }
        }
    }

    /// Compares words of `N` bytes of all lanes with those of one lane after the other.
    fn compare_rows<const N: usize>() {
        const BASE: u64 = 1 << 48;
        let lanes = |f: &dyn Fn(u64) -> u64| -> Row {
            std::array::from_fn(|lane| BASE.wrapping_add(f(lane as u64)))
        };
        let size = N as u64;
        for len in [31 * N, 32 * N + N - 1, 40 * N, 100 * N] {
            let (all, one) = (Storage::device(len).unwrap(), Storage::device(len).unwrap());
            let bytes: Vec<u8> = (0..len).map(|i| (i * 7 + 3) as u8).collect();
            for storage in [&all, &one] {
                // SAFETY: the bytes of a vector, which nobody writes.
                unsafe { storage.copy_in(0, bytes.as_ptr(), len) };
            }
            for at in [
                lanes(&|lane| lane * size),
                lanes(&|lane| (lane + 8) * size),
                lanes(&|lane| (31 - lane) * size),
                lanes(&|_| 5 * size),
                lanes(&|lane| lane * 11 % 31 * size),
                lanes(&|lane| lane * size + u64::from(lane == 9)),
                lanes(&|lane| if lane == 31 { 0u64.wrapping_sub(BASE + 8) } else { lane * size }),
                lanes(&|lane| (lane * size).wrapping_sub(size)),
            ] {
                let inside = |at: &u64| {
                    let offset = at.wrapping_sub(BASE);
                    offset.is_multiple_of(size) && offset <= (len - N) as u64
                };
                let expected = at.iter().all(inside);
                let (mut out, values) = ([9; 32], at.map(|at| at.wrapping_mul(0x1234_5679)));
                assert_eq!(all.load_row::<N>(BASE, &at, &mut out), expected);
                let first = at[0].wrapping_sub(BASE) as usize;
                if at.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == size) && expected {
                    let mut run = [0; 32];
                    assert!(all.load_run::<N>(first, &mut run));
                    assert_eq!(run, out);
                    assert!(all.store_run::<N>(first, &values));
                    all.load_row::<N>(BASE, &at, &mut run);
                    assert_eq!(run, values.map(|value| value & u64::MAX >> (64 - 8 * N)));
                    all.store_run::<N>(first, &out);
                }
                for (out, at) in out.iter().zip(at) {
                    let mut word = [0; 8];
                    match expected {
                        true => one.load((at - BASE) as usize, &mut word[..N]),
                        false => word[0] = 9,
                    }
                    assert_eq!(*out, u64::from_le_bytes(word));
                }
                assert_eq!(all.store_row::<N>(BASE, &at, &values), expected);
                for (value, at) in values.iter().zip(at).filter(|_| expected) {
                    one.store((at - BASE) as usize, &value.to_le_bytes()[..N]);
                }
                let (mut seen, mut wanted) = (vec![0; len], vec![0; len]);
                // SAFETY: the bytes of a vector.
                unsafe { all.copy_out(0, seen.as_mut_ptr(), len) };
                // SAFETY: as above.
                unsafe { one.copy_out(0, wanted.as_mut_ptr(), len) };
                assert_eq!(seen, wanted);
            }
        }
    }

    #[test]
    fn words_of_all_lanes_are_those_of_each() {
        compare_rows::<1>();
        compare_rows::<2>();
        compare_rows::<4>();
        compare_rows::<8>();
    }

    #[test]
    fn words_of_all_lanes_need_alignment_where_they_are() {
        let mut bytes = [0u64; 40];
        let odd = bytes.as_mut_ptr().cast::<u8>().wrapping_add(1);
        let _ = odd.expose_provenance(); // as the registration of memory does
        let storage = Storage::registered(odd, 300, false).unwrap();
        let at = std::array::from_fn(|lane| lane as u64 * 4);
        assert!(!storage.load_row::<4>(0, &at, &mut [0; 32]));
        assert!(!storage.store_row::<4>(0, &at, &[0; 32]));
        assert!(!storage.load_run::<4>(0, &mut [0; 32]) && !storage.store_run::<4>(0, &[0; 32]));
        assert!(storage.store_row::<1>(0, &at, &[1; 32]));
        let read_only = Storage::registered(odd, 300, true).unwrap();
        assert!(!read_only.load_row::<1>(0, &at, &mut [0; 32]));
        assert!(!read_only.load_run::<1>(0, &mut [0; 32]));
    }

    #[test]
    fn atomics_of_every_size() {
        let storage = Storage::device(32).unwrap();
        for bytes in [1, 2, 4, 8] {
            storage.store(8, &[0; 8]);
            assert_eq!(storage.atomic(8, bytes, &mut |old| Some(old.wrapping_sub(1))), Some(0));
            let mut out = [0; 8];
            storage.load(8, &mut out);
            assert_eq!(out, std::array::from_fn(|i| if i < bytes { 0xff } else { 0 }));
            assert!(storage.atomic(8, bytes, &mut |_| None).is_some());
        }
        assert_eq!(storage.atomic(1, 4, &mut Some), None);
    }

    #[test]
    #[should_panic = "beyond an allocation"]
    fn beyond_the_end() {
        Storage::device(8).unwrap().load(4, &mut [0; 8]);
    }
}
