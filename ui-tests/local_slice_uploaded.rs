//! Host memory that is transferred outlives the closure of the scope, as the transfer does.
//!
//! **Why:** The vector would be freed before the copy has read it. The device would get whatever the allocator put
//! there. It is a part of `scope-borrows`.
//!
//! **Mend:** Declare it above the scope. See `ui-tests/mended/local_slice_uploaded.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        let host = vec![1.0; 64];
        s.on(stream).upload(&host, &mut s.hold(buffer))
    })
}

fn main() {}
