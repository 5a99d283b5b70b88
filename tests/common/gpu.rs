//! Contexts, guards of them, kernels, and buffers of values.
#![allow(dead_code, reason = "each test file uses a part")]

use super::until;
use cuscope::{
    Context, ContextFlags, ContextStack, Device, DeviceBuffer, Element, Function, PushedGuard,
    Result, Stream, ffi,
};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// A gate, and a function that waits until it is opened or dropped: a stream that calls it works so long. So a test of what
/// does not wait needs no clock, which a busy machine would let run out.
pub(crate) fn gate() -> (Gate, impl FnOnce() + Send + 'static) {
    let open = Arc::new(AtomicBool::new(false));
    let opened = open.clone();
    (Gate(open), move || until("the gate", || opened.load(Ordering::Acquire)))
}

/// Keeps a stream at work by the function of a gate, of which cuscope does not know.
#[allow(unsafe_code, reason = "the driver calls a function with a pointer")]
pub(crate) fn hold(stream: &Stream<'_>) -> Gate {
    unsafe extern "C" fn wait(data: *mut c_void) {
        // SAFETY: the pointer of `into_raw`, with which the driver calls this once.
        let open = unsafe { Arc::from_raw(data.cast::<AtomicBool>()) };
        until("the gate", || open.load(Ordering::Acquire));
    }
    let open = Arc::new(AtomicBool::new(false));
    let data = Arc::into_raw(open.clone()).cast_mut().cast();
    // SAFETY: a stream that lives, and a function that is called with what it expects and calls no driver.
    let code = unsafe { ffi::cuLaunchHostFunc(stream.raw(), Some(wait), data) };
    assert_eq!(code, ffi::CUDA_SUCCESS);
    Gate(open)
}

/// Held in a variable: one that is dropped is open.
#[must_use]
pub(crate) struct Gate(Arc<AtomicBool>);

impl Gate {
    pub(crate) fn open(self) {}
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
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

/// Returns the elements of a buffer, downloaded on a stream.
pub(crate) fn downloaded<'ctx, T: Element>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &DeviceBuffer<'ctx, T>,
) -> Vec<T> {
    let mut values = vec![T::zeroed(); buffer.len()];
    gpu.on(stream).download(buffer, &mut values).unwrap();
    values
}

/// Returns the elements of a buffer, downloaded on a stream of its own.
pub(crate) fn read<'ctx, T: Element>(
    gpu: &PushedGuard<'ctx>,
    buffer: &DeviceBuffer<'ctx, T>,
) -> Vec<T> {
    downloaded(gpu, &gpu.stream().unwrap(), buffer)
}
