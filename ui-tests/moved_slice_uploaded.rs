//! What is moved into the closure of a scope is dropped at its end, before the transfer is over.
//!
//! **Why:** A scope borrows the memory that the device may touch until it has waited: for reading if the device only
//! reads it, else exclusively. The host gets staged memory back while no transfer uses it. This is `scope-borrows`.
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
