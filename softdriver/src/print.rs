//! The output of kernels: held back until the program waits for them, as on a GPU.

use crate::sync;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Output that was not written yet.
static HELD: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// Whether there is something.
static SOME: AtomicBool = AtomicBool::new(false);

/// Adds a text.
pub(crate) fn add(text: &[u8]) {
    sync::lock(&HELD).extend_from_slice(text);
    SOME.store(true, Ordering::Release);
}

/// Writes what was printed to the standard output.
#[inline]
pub(crate) fn flush() {
    if SOME.load(Ordering::Acquire) {
        write();
    }
}

#[cold]
fn write() {
    let mut held = sync::lock(&HELD);
    SOME.store(false, Ordering::Release);
    let text = std::mem::take(&mut *held);
    // Nobody is left to tell of an output that takes nothing.
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(&text).and_then(|()| out.flush());
}
