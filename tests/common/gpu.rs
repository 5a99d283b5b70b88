//! Contexts, guards of them, kernels, and buffers of values.
#![allow(dead_code, reason = "each test file uses a part")]

use cuscope::{
    Context, ContextFlags, ContextStack, Device, DeviceBuffer, Element, Function, PushedGuard,
    Result, Stream,
};

/// The length of a buffer whose copies take a while, so that what does not wait for them is seen.
pub(crate) const LARGE: usize = super::fewer(1 << 16, 1 << 7);

/// A new context of the first device.
pub(crate) fn new_context() -> Context {
    try_new_context().unwrap()
}

/// A new context of the first device, or the error of the call that failed.
pub(crate) fn try_new_context() -> Result<Context> {
    Context::create(Device::get(0)?, ContextFlags::default())
}

/// A new context of a device.
pub(crate) fn new_context_on(device: Device) -> Context {
    Context::create(device, ContextFlags::default()).unwrap()
}

/// Runs a test under a guard of a context.
fn with<R>(context: &Context, test: impl FnOnce(&mut PushedGuard<'_>) -> R) -> R {
    let (mut test, mut result) = (Some(test), None);
    pushed(context, &mut |gpu| result = test.take().map(|test| test(gpu)));
    result.expect("it was called")
}

/// The same, compiled once and not for each test.
fn pushed(context: &Context, test: &mut dyn FnMut(&mut PushedGuard<'_>)) {
    let mut stack = ContextStack::current_thread().unwrap();
    test(&mut stack.push(context).unwrap());
}

/// Runs a test under a guard of a new context.
pub(crate) fn with_gpu<R>(test: impl FnOnce(&mut PushedGuard<'_>) -> R) -> R {
    with(&new_context(), test)
}

/// Runs a test under a guard of a new context; it fails with the error that it returns.
pub(crate) fn try_with_gpu(test: impl FnOnce(&mut PushedGuard<'_>) -> Result) {
    with_gpu(test).unwrap();
}

/// Runs a test under a guard of the first device's primary context.
pub(crate) fn with_primary(test: impl FnOnce(&mut PushedGuard<'_>)) {
    with(&Context::primary(Device::get(0).unwrap()).unwrap(), test);
}

/// Runs a test under a guard of a new context, with a stream.
pub(crate) fn with_stream(test: impl for<'ctx> FnOnce(&PushedGuard<'ctx>, Stream<'ctx>)) {
    with_gpu(|gpu| test(gpu, gpu.stream().unwrap()));
}

/// A kernel, from its PTX and its name.
pub(crate) fn kernel<'ctx>(gpu: &PushedGuard<'ctx>, ptx: &str, name: &str) -> Function<'ctx> {
    gpu.load_ptx(ptx).unwrap().function(name).unwrap()
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

/// A buffer with these values, uploaded on a stream.
pub(crate) fn uploaded<'ctx, T: Element>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    values: &[T],
) -> DeviceBuffer<'ctx, T> {
    let mut buffer = gpu.alloc(values.len()).unwrap();
    gpu.on(stream).upload(values, &mut buffer).unwrap();
    buffer
}

/// What is in a buffer, downloaded on a stream.
pub(crate) fn downloaded<'ctx, T: Element>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &DeviceBuffer<'ctx, T>,
) -> Vec<T> {
    let mut values = vec![T::zeroed(); buffer.len()];
    gpu.on(stream).download(buffer, &mut values).unwrap();
    values
}

/// What is in a buffer, downloaded on a stream of its own.
pub(crate) fn read<'ctx, T: Element>(
    gpu: &PushedGuard<'ctx>,
    buffer: &DeviceBuffer<'ctx, T>,
) -> Vec<T> {
    downloaded(gpu, &gpu.stream().unwrap(), buffer)
}
