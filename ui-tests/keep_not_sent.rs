//! What keeps a handle of other code alive may be dropped on any thread, so it must be `Send`. Wrap what is not in a type
//! that says why it is.

use cuscope::{PushedGuard, Result, Stream, ffi};

struct Theirs(*mut u8);

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, raw: ffi::CUstream, theirs: Theirs) -> Result<Stream<'ctx>> {
    unsafe { gpu.stream_from_raw(raw, theirs) }
}

fn main() {}
