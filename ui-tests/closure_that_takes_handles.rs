//! A closure cannot say that a handle belongs to the guard that it captures. Write a function: `fn total<'ctx>(gpu:
//! &PushedGuard<'ctx>, x: &DeviceBuffer<'ctx, f32>)`.

use cuscope::{DeviceBuffer, PushedGuard, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, x: &DeviceBuffer<'ctx, f32>) {
    let total = |x: &DeviceBuffer<'_, f32>| gpu.on(stream).to_vec(x).map(|all| all.iter().sum::<f32>());
    let _total = total(x);
}

fn main() {}
