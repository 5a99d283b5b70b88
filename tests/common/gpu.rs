//! A context, and buffers of numbers.
#![allow(dead_code, reason = "each test file uses a part")]

use cuscope::{Context, ContextFlags, ContextStack, Device, DeviceBuffer, PushedGuard};

/// The length of a buffer whose copies take a while, so that what does not wait for them is seen.
pub(crate) const LARGE: usize = super::fewer(1 << 16, 1 << 7);

/// A context of the first device.
pub(crate) fn create() -> Context {
    Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap()
}

/// Runs a test under a guard of a new context.
pub(crate) fn with_gpu(test: impl FnOnce(&mut PushedGuard<'_>)) {
    let context = create();
    let mut stack = ContextStack::current_thread().unwrap();
    test(&mut stack.push(&context).unwrap());
}

/// A buffer of so many values.
pub(crate) fn filled<'ctx>(
    gpu: &PushedGuard<'ctx>,
    len: usize,
    value: u32,
) -> DeviceBuffer<'ctx, u32> {
    let mut buffer = gpu.alloc(len).unwrap();
    gpu.on(&gpu.stream().unwrap()).fill(&mut buffer, value).unwrap();
    buffer
}

/// What is in a buffer.
pub(crate) fn read<'ctx>(gpu: &PushedGuard<'ctx>, buffer: &DeviceBuffer<'ctx, u32>) -> Vec<u32> {
    let mut host = vec![0; buffer.len()];
    gpu.on(&gpu.stream().unwrap()).download(buffer, &mut host).unwrap();
    host
}
