//! Reads of memory that nobody wrote, and accesses of kernels that miss all memory: what memory checkers
//! look for (`CUSCOPE_SOFT_CHECK`), and how many of the latter are left out (`CUSCOPE_SOFT_GO_ON`). Without the variables
//! nothing here costs anything but a look at a switch.

use crate::label::{self, with_work};
use crate::model::memory::allocation::Allocation;
use crate::model::memory::space::SPACE;
use crate::model::memory::watched::{Access, Watch, Watched};
use crate::model::memory::written;
use crate::{summary, sync};
use cuscope_ptx::run::{Fault, Memory};
use std::fmt;
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

/// Whether accesses are checked.
#[inline]
pub(crate) fn on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Has accesses checked from now on.
pub(crate) fn begin() {
    label::begin();
    written::begin();
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
