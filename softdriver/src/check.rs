//! Reads of memory that nobody wrote, and accesses of kernels that miss all memory: what memory checkers
//! look for (`CUSCOPE_SOFT_CHECK`), and how many of the latter are left out (`CUSCOPE_SOFT_GO_ON`). Without the variables
//! nothing here costs anything but a look at a switch.

use crate::model::memory::space::Allocation;
use crate::model::memory::space::SPACE;
use crate::model::memory::watched::Watch;
use crate::model::memory::watched::Watched;
use crate::race::Access;
use crate::schedule::Label;
use crate::{summary, sync};
use cuscope_ptx::run::{Fault, Memory};
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Whether accesses are checked.
static ON: AtomicBool = AtomicBool::new(false);
/// How many accesses that fault may still be left out.
static LEFT_OUT: AtomicU64 = AtomicU64::new(0);
/// Whether any may be, or might have been.
static LEAVES_OUT: AtomicBool = AtomicBool::new(false);
/// All findings, in the order in which they were made.
static FOUND: Mutex<Vec<Finding>> = Mutex::new(Vec::new());
/// How much is told apart.
const MOST: usize = 100;

thread_local! {
    /// The name of the work that the thread runs.
    static WORK: RefCell<Cow<'static, str>> = const { RefCell::new(Cow::Borrowed("")) };
}

/// Whether accesses are checked.
#[inline]
pub(crate) fn on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Has accesses checked from now on.
pub(crate) fn begin() {
    ON.store(true, Ordering::Relaxed);
}

/// Has so many accesses of kernels that fault left out.
pub(crate) fn leave_out(most: u64) {
    LEFT_OUT.store(most, Ordering::Relaxed);
    LEAVES_OUT.store(most > 0, Ordering::Relaxed);
}

/// Whether accesses that fault are left out.
pub(crate) fn leaves_out() -> bool {
    LEAVES_OUT.load(Ordering::Relaxed)
}

/// Whether one more access may be left out.
pub(crate) fn leave_one_out() -> bool {
    let less = |left: u64| left.checked_sub(1);
    LEFT_OUT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
}

/// Notes what the thread works on from now on.
pub(crate) fn works_on(label: &Label) {
    if on() {
        // Work that a thread runs while it is ending has no name.
        let _ending = WORK.try_with(|work| work.replace(label.name.clone()));
    }
}

/// Calls `f` with what the work that the thread runs is called.
fn with_work<R>(f: impl FnOnce(&str) -> R) -> R {
    let mut f = Some(f);
    let called = WORK.try_with(|work| f.take().map(|f| f(&work.borrow())));
    match (called.ok().flatten(), f) {
        (Some(result), _) => result,
        (None, Some(f)) => f(""),
        (None, None) => unreachable!("`f` is either taken and called, or still here"),
    }
}

/// Which bytes of an allocation were written: a bit each.
pub(crate) struct Written(Box<[AtomicU64]>);

impl Written {
    /// None of so many bytes.
    pub(crate) fn nothing(bytes: usize) -> Self {
        Self((0..bytes.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    /// The words of a range of bytes, each with the bits that are in the range.
    fn words(range: Range<usize>) -> impl Iterator<Item = (usize, u64)> {
        let Range { start, end } = range;
        // No bytes lie in no word.
        let words = if start < end { start / 64..end.div_ceil(64) } else { 0..0 };
        words.map(move |word| {
            let (low, high) = (word * 64, word * 64 + 64);
            let (from, to) = (start.max(low) - low, end.min(high) - low);
            (word, (u64::MAX >> (64 - (to - from))) << from)
        })
    }

    /// Notes that bytes are written.
    fn write(&self, range: Range<usize>) {
        for (word, bits) in Self::words(range) {
            self.0[word].fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// Forgets that anything was written.
    fn forget(&self) {
        self.0.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// The first byte of a range that was not written.
    fn first_unwritten(&self, range: Range<usize>) -> Option<usize> {
        Self::words(range).find_map(|(word, bits)| {
            let unwritten = bits & !self.0[word].load(Ordering::Relaxed);
            (unwritten != 0).then(|| word * 64 + unwritten.trailing_zeros() as usize)
        })
    }
}

/// A mistake of an access.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// There is no memory that may be accessed so.
    Invalid(Access),
    /// A kernel reads what nobody wrote.
    Unwritten,
    /// So does a copy, or another call.
    UnwrittenByCall,
}

/// Accesses that are wrong in the same way.
pub(crate) struct Finding {
    wrong: Wrong,
    /// The kernel, or the driver call.
    work: String,
    bytes: usize,
    /// The first of them.
    address: u64,
    /// Where that is.
    place: String,
    /// The first address of the allocation.
    base: u64,
    times: u64,
}

impl Finding {
    /// How often it was.
    pub(crate) fn times(&self) -> u64 {
        self.times
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wrong, work, bytes, address, place, times, .. } = self;
        let work = if work.is_empty() { "unnamed work" } else { work };
        match wrong {
            Wrong::Invalid(access) => {
                let access = match access {
                    Access::Read => "read",
                    Access::Atomic => "atomic",
                    _ => "write",
                };
                write!(f, "Invalid __global__ {access} of size {bytes} bytes by {work}")?;
            }
            Wrong::Unwritten => {
                write!(f, "Uninitialized __global__ memory read of size {bytes} bytes by {work}")?;
            }
            Wrong::UnwrittenByCall => {
                write!(f, "Uninitialized memory read of {bytes} bytes by {work}")?;
            }
        }
        write!(f, ": address {address:#x} is {place}")?;
        if *times > 1 { write!(f, " ({times} times)") } else { Ok(()) }
    }
}

/// Notes an access that is wrong.
fn found(wrong: Wrong, work: &str, bytes: usize, address: u64, at: Option<&Allocation>) {
    let base = at.map_or(0, |at| at.base);
    let place = || match at {
        Some(at) => {
            format!("{} bytes into the allocation {base:#x} of {} bytes", address - base, at.size)
        }
        None => SPACE.beside(address),
    };
    let mut all = sync::lock(&FOUND);
    let same = |one: &&mut Finding| {
        (one.wrong, one.base, one.bytes) == (wrong, base, bytes) && one.work == work
    };
    if let Some(one) = all.iter_mut().find(same) {
        one.times += 1;
        return;
    }
    if all.len() < MOST {
        let (work, place) = (work.to_owned(), place());
        all.push(Finding { wrong, work, bytes, address, place, base, times: 1 });
        drop(all);
        summary::save();
    }
}

/// Runs `f` on what was found.
pub(crate) fn with_findings<R>(f: impl FnOnce(&[Finding]) -> R) -> R {
    f(&sync::lock(&FOUND))
}

/// Checks that bytes of an allocation were written, if that is known of it.
fn check_written(wrong: Wrong, work: &str, at: &Allocation, offset: usize, len: usize) {
    let Some(written) = at.written.as_ref().filter(|_| !at.storage.is_shared()) else { return };
    if let Some(first) = written.first_unwritten(offset..offset + len) {
        found(wrong, work, len, at.base + first as u64, Some(at));
        // Told once for each byte.
        written.write(offset..offset + len);
    }
}

/// Checks an access of a copy, a fill or another call, which lies in the allocation.
#[inline]
pub(crate) fn touch(at: &Allocation, offset: usize, len: usize, access: Access) {
    if !on() {
        return;
    }
    match access {
        Access::Read => with_work(|work| {
            check_written(Wrong::UnwrittenByCall, work, at, offset, len);
        }),
        Access::Write | Access::Atomic => {
            if let Some(written) = &at.written {
                written.write(offset..offset + len);
            }
        }
        Access::Allocate => {
            if let Some(written) = &at.written {
                written.forget();
            }
        }
        Access::Free => {}
    }
}

/// Notes that an allocation has zeros, which whoever uses it counts on.
pub(crate) fn zeroed(at: &Allocation) {
    touch(at, 0, at.size, Access::Write);
}

/// Runs `f` on the memory of a kernel, whose accesses are checked if they are to be.
pub(crate) fn checked<R>(memory: &dyn Memory, f: impl FnOnce(&dyn Memory) -> R) -> R {
    if !on() {
        return f(memory);
    }
    let kernel = with_work(str::to_owned);
    f(&Watched { memory, watch: &Checked { kernel } })
}

/// Checks the accesses of a kernel.
struct Checked {
    kernel: String,
}

impl Watch for Checked {
    fn saw(&self, access: Access, address: u64, bytes: usize, made: Result<(), Fault>) {
        match made {
            Ok(()) => {}
            Err(Fault::IllegalAddress) => {
                return found(Wrong::Invalid(access), &self.kernel, bytes, address, None);
            }
            Err(_) => return,
        }
        // None if it was freed meanwhile.
        let Some(there) = SPACE.find_running(address, bytes) else { return };
        let offset = there.offset(address);
        if matches!(access, Access::Read | Access::Atomic) {
            check_written(Wrong::Unwritten, &self.kernel, &there, offset, bytes);
        }
        if let (Access::Write | Access::Atomic, Some(written)) = (access, &there.written) {
            written.write(offset..offset + bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_one_by_one() {
        let written = Written::nothing(200);
        assert_eq!(written.first_unwritten(3..3), None);
        for range in [0..1, 60..70, 64..128, 199..200] {
            assert_eq!(
                written.first_unwritten(range.clone()),
                Some(range.start.max(if range.start == 64 { 70 } else { 0 }))
            );
            written.write(range.clone());
            assert_eq!(written.first_unwritten(range.clone()), None);
        }
        assert_eq!(written.first_unwritten(0..200), Some(1));
        assert_eq!(written.first_unwritten(60..200), Some(128));
        written.forget();
        assert_eq!(written.first_unwritten(64..128), Some(64));
    }
}
