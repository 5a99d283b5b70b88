//! The mend of `ui-tests/keep_not_sent.rs`. Wrap what is not in a type that says why it is.

use cuscope::{PushedGuard, Result, Stream, ffi};

struct Theirs(*mut u8);

// SAFETY: nothing is reached through the pointer but its release, which any thread may do.
unsafe impl Send for Theirs {}

fn right<'ctx>(gpu: &PushedGuard<'ctx>, raw: ffi::CUstream, theirs: Theirs) -> Result<Stream<'ctx>> {
    unsafe { gpu.stream_from_raw(raw, theirs) }
}

fn main() {}
