//! cuda-core 0.5, NVIDIA's own.

use crate::bench::{ALLOCATION, Candidate, KERNELS, LEN, NO_SUCH, Run};
use crate::bench::{Turns, bytes, run};
use crate::c::driver;
use crate::threads::Work;
use cuda_core::memory::{free_sync, malloc_sync};
use cuda_core::{
    Context, DeviceBuffer, Event, Function, PinnedHostBuffer, Stream, launch_kernel_on_stream,
};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

pub struct CudaCore {
    context: Arc<Context>,
    stream: Arc<Stream>,
    nothing: Function,
    saxpy: Function,
    sum12: Function,
}

/// An unsafe operation, which succeeds.
macro_rules! enqueue {
    ($operation:expr) => {
        // SAFETY: kernels get their parameters and stay inside of their buffers, and what is not initialised is not
        // read. What is enqueued with is owned by the closure that does, and the context is waited for before that
        // ends.
        unsafe { $operation }.unwrap()
    };
}

/// A launch with these arguments.
macro_rules! launch {
    ($function:expr, $stream:expr, [$($name:ident: $value:expr),*]) => {{
        $(let mut $name = $value;)*
        let mut arguments: [*mut c_void; _] = [$((&raw mut $name).cast()),*];
        enqueue!(launch_kernel_on_stream(
            $function, (1, 1, 1), (LEN, 1, 1), 0, $stream, &mut arguments,
        ))
    }};
}

impl CudaCore {
    pub fn new() -> CudaCore {
        let context = Context::new(0).unwrap(); // the primary one
        let module = context.load_module_from_ptx_src(KERNELS).unwrap();
        let function = |name| module.load_function(name).unwrap();
        let (nothing, saxpy, sum12) = (function("nothing"), function("saxpy"), function("sum12"));
        let stream = context.new_stream().unwrap();
        CudaCore { context, stream, nothing, saxpy, sum12 }
    }

    fn buffer(&self, len: usize) -> DeviceBuffer<f32> {
        DeviceBuffer::zeroed(&self.stream, len).unwrap()
    }

    fn pinned(&self, bytes: usize) -> PinnedHostBuffer<u8> {
        PinnedHostBuffer::from_slice(&self.context, &vec![1_u8; bytes]).unwrap()
    }

    /// It makes no contexts but lends those of others.
    fn driven(&self) -> (Arc<Stream>, Event) {
        let mut context = null_mut();
        driver!(cuCtxCreate_v2(&mut context, 0, 0));
        driver!(cuCtxPopCurrent_v2(&mut null_mut()));
        // SAFETY: a context of device 0, which lives as long as the process.
        let context = unsafe { Context::borrow_raw(context.cast(), 0, 0) };
        (context.new_stream().unwrap(), context.new_event_with_flags(None).unwrap())
    }
}

impl Candidate for CudaCore {
    fn name(&self) -> &'static str {
        "cuda-core"
    }

    fn operation<'a>(&'a self, name: &str) -> Result<Run<'a>, &'static str> {
        let stream = &self.stream;
        if let Some(bytes) = bytes(name, "upload_") {
            let host = self.pinned(bytes);
            let mut device = DeviceBuffer::<u8>::zeroed(stream, bytes).unwrap();
            return run!({
                enqueue!(device.copy_from_pinned_host_async(stream, &host));
                stream.synchronize().unwrap()
            });
        }
        if let Some(bytes) = bytes(name, "download_") {
            let mut host = self.pinned(bytes);
            let device = DeviceBuffer::<u8>::zeroed(stream, bytes).unwrap();
            return run!({
                enqueue!(device.copy_to_pinned_host_async(stream, &mut host));
                stream.synchronize().unwrap()
            });
        }
        match name {
            "launch_0" => run!(launch!(&self.nothing, stream, [])),
            "launch_4" => {
                let (x, y) = (self.buffer(64), self.buffer(64));
                run!(launch!(&self.saxpy, stream, [
                    n: LEN, a: 2.0_f32, x: x.cu_deviceptr(), y: y.cu_deviceptr()
                ]))
            }
            "launch_12" => {
                let out = self.buffer(1);
                run!(launch!(&self.sum12, stream, [
                    o: out.cu_deviceptr(), a: 1_u32, b: 2_u32, c: 3_u32, d: 4_u32, e: 5_u32, f: 6_u32, g: 7_u32,
                    h: 8_u32, i: 9_u32, j: 10_u32, k: 11_u32
                ]))
            }
            "launch_wait" => {
                let (x, y) = (self.buffer(64), self.buffer(64));
                run!({
                    launch!(&self.saxpy, stream, [
                        n: LEN, a: 2.0_f32, x: x.cu_deviceptr(), y: y.cu_deviceptr()
                    ]);
                    stream.synchronize().unwrap()
                })
            }
            "event_record" => {
                let event = self.context.new_event_with_flags(None).unwrap();
                run!(event.record(stream).unwrap())
            }
            "stream_query" => run!({
                stream.query().unwrap();
            }),
            "memset" => {
                let mut y = self.buffer(64);
                run!(y.zero_async(stream).unwrap())
            }
            "enqueue_upload" => {
                let host = self.pinned(64);
                let mut device = DeviceBuffer::<u8>::zeroed(stream, 64).unwrap();
                run!(enqueue!(device.copy_from_pinned_host_async(stream, &host)))
            }
            // Its buffers are zeroed, or stream-ordered: what it has of this is an address.
            "alloc_free" => run!({
                let address = enqueue!(malloc_sync(ALLOCATION));
                enqueue!(free_sync(address))
            }),
            "stream_alloc_free" => run!({
                let buffer = enqueue!(DeviceBuffer::<u8>::uninitialized_async(stream, ALLOCATION));
                enqueue!(buffer.drop_async(stream))
            }),
            "push_pop" => Err("sets the current context, and no stack"),
            "nested" => {
                let (a, b) = (self.driven(), self.driven());
                run!({
                    a.1.record(&a.0).unwrap();
                    b.1.record(&b.0).unwrap()
                })
            }
            "replay" => Err("its graphs cannot be launched"),
            _ => Err(NO_SUCH),
        }
    }

    fn on_threads(&self) -> Result<Work<'_>, &'static str> {
        let module = self.context.load_module_from_ptx_src(KERNELS).unwrap();
        let saxpy = module.load_function("saxpy").unwrap();
        Ok(Box::new(move |turns: &Turns| {
            self.context.bind_to_thread().unwrap();
            let (stream, x, y) =
                (self.context.new_stream().unwrap(), self.buffer(64), self.buffer(64));
            turns.take(|| {
                launch!(&saxpy, &stream, [
                    n: LEN, a: 2.0_f32, x: x.cu_deviceptr(), y: y.cu_deviceptr()
                ])
            });
            stream.synchronize().unwrap();
        }))
    }
}
