//! A closure cannot say that a handle belongs to the guard that it captures.
//!
//! **Why:** The compiler gives the parameter of a closure any lifetime. A buffer of another context would be one of
//! them, and the driver copies from it without an error (F34). It is a part of `own-context`.
//!
//! **Mend:** Write a function: `fn total<'ctx>(gpu: &PushedGuard<'ctx>, x: &DeviceBuffer<'ctx, f32>)`. See
//! `ui-tests/mended/closure_that_takes_handles.rs`.
//!
//! **Mistake** (E0521):

use cuscope::{DeviceBuffer, PushedGuard, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, x: &DeviceBuffer<'ctx, f32>) {
    let total = |x: &DeviceBuffer<'_, f32>| gpu.on(stream).to_vec(x).map(|all| all.iter().sum::<f32>());
    let _total = total(x);
}

fn main() {}
