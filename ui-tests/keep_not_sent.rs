//! What keeps a handle of other code alive may be dropped on any thread, so it must be `Send`.
//!
//! **Why:** The last handle may be dropped on any thread. A value with a raw pointer or an `Rc` would be destroyed
//! there, beside its other uses. It is a part of `foreign-kept`.
//!
//! **Mend:** Wrap what is not in a type that says why it is. See `ui-tests/mended/keep_not_sent.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{PushedGuard, Result, Stream, ffi};

struct Theirs(*mut u8);

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, raw: ffi::CUstream, theirs: Theirs) -> Result<Stream<'ctx>> {
    unsafe { gpu.stream_from_raw(raw, theirs) }
}

fn main() {}
