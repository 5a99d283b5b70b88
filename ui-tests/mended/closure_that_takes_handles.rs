//! The mend of `ui-tests/closure_that_takes_handles.rs`. Write a function: `fn total<'ctx>(gpu: &PushedGuard<'ctx>,
//! x: &DeviceBuffer<'ctx, f32>)`.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, x: &DeviceBuffer<'ctx, f32>) {
    fn total<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, x: &DeviceBuffer<'ctx, f32>) -> Result<f32> {
        gpu.on(stream).to_vec(x).map(|all| all.iter().sum::<f32>())
    }
    let _total = total(gpu, stream, x);
}

fn main() {}
