//! Memory that one scope stages is no other scope's.
//!
//! **Why:** `access` would not wait for the other's transfers. It is a part of `scope-own`.
//!
//! **Mend:** Use the streams of the scope that stages it. See `ui-tests/mended/staged_in_other_scope.rs`.
//!
//! **Mistake** (E0521):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    gpu.scope(|outer| {
        let staged = outer.stage(host);
        gpu.scope(|inner| inner.on(stream).upload_staged(&staged, &mut inner.hold(buffer)))
    })
}

fn main() {}
