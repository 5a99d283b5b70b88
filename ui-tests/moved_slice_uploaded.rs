//! What is moved into the closure of a scope is dropped at its end, before the transfer is over.
//!
//! **Why:** The vector is freed when the closure returns, and the copy may begin only then. It is a part of
//! `scope-borrows`.
//!
//! **Mend:** Borrow it, without `move`. See `ui-tests/mended/moved_slice_uploaded.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
    host: Vec<f32>,
) -> Result {
    gpu.scope(move |s| s.on(stream).upload(&host, &mut s.hold(buffer)))
}

fn main() {}
