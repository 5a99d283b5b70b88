//! RustaCUDA 0.1.

use crate::bench::{ALLOCATION, Candidate, KERNELS, LEN, NO_SUCH, Run};
use crate::bench::{Turns, bytes, run};
use crate::c::{Shared, driver};
use crate::threads::Work;
use cuscope::ffi::CUcontext;
use rustacuda::context::{Context, ContextFlags, ContextStack};
use rustacuda::event::{Event, EventFlags};
use rustacuda::function::Function;
use rustacuda::launch;
use rustacuda::memory::{AsyncCopyDestination, DeviceBuffer, LockedBuffer};
use rustacuda::module::Module;
use rustacuda::stream::{Stream, StreamFlags};
use std::ffi::CString;

pub struct RustaCuda {
    /// Not one of its own, so that all candidates share one.
    context: CUcontext,
    device: rustacuda::device::Device,
    module: &'static Module,
    stream: Stream,
}

/// An unsafe operation, which succeeds.
macro_rules! enqueue {
    ($operation:expr) => {
        // SAFETY: kernels get their parameters and stay inside of their buffers; zeros are a value of what is allocated,
        // and what is not initialised is not read. What is enqueued with is owned by the closure that does, and the
        // context is waited for before that ends.
        unsafe { $operation }.unwrap()
    };
}

fn zeroed<T: rustacuda::memory::DeviceCopy>(len: usize) -> DeviceBuffer<T> {
    enqueue!(DeviceBuffer::zeroed(len))
}

fn stream() -> Stream {
    Stream::new(StreamFlags::NON_BLOCKING, None).unwrap()
}

fn event() -> Event {
    Event::new(EventFlags::DISABLE_TIMING).unwrap()
}

fn buffer(len: usize) -> DeviceBuffer<f32> {
    zeroed(len)
}

impl RustaCuda {
    /// In the context that is current.
    pub fn new() -> RustaCuda {
        let device = rustacuda::device::Device::get_device(0).unwrap();
        let mut context = std::ptr::null_mut();
        driver!(cuCtxGetCurrent(&mut context));
        let kernels = CString::new(KERNELS).unwrap();
        let module = Box::leak(Box::new(Module::load_from_string(&kernels).unwrap()));
        RustaCuda { context, device, module, stream: stream() }
    }

    fn function(&self, name: &str) -> Function<'static> {
        self.module.get_function(&CString::new(name).unwrap()).unwrap()
    }

    fn created(&self) -> Context {
        let context = Context::create_and_push(ContextFlags::SCHED_AUTO, self.device).unwrap();
        ContextStack::pop().unwrap();
        context
    }
}

impl Candidate for RustaCuda {
    fn name(&self) -> &'static str {
        "RustaCUDA"
    }

    fn operation<'a>(&'a self, name: &str) -> Result<Run<'a>, &'static str> {
        let stream = &self.stream;
        if let Some(bytes) = bytes(name, "upload_") {
            let host = LockedBuffer::new(&1_u8, bytes).unwrap();
            let mut device = zeroed::<u8>(bytes);
            return run!({
                enqueue!(device.async_copy_from(&host[..], stream));
                stream.synchronize().unwrap()
            });
        }
        if let Some(bytes) = bytes(name, "download_") {
            let mut host = LockedBuffer::new(&1_u8, bytes).unwrap();
            let device = zeroed::<u8>(bytes);
            return run!({
                enqueue!(device.async_copy_to(&mut host[..], stream));
                stream.synchronize().unwrap()
            });
        }
        match name {
            "launch_0" => {
                let nothing = self.function("nothing");
                run!(enqueue!(launch!(nothing<<<1, LEN, 0, stream>>>())))
            }
            "launch_4" => {
                let (saxpy, mut x, mut y) = (self.function("saxpy"), buffer(64), buffer(64));
                run!(enqueue!(
                    launch!(saxpy<<<1, LEN, 0, stream>>>(LEN, 2.0_f32, x.as_device_ptr(), y.as_device_ptr()))
                ))
            }
            "launch_12" => {
                let (sum12, mut out) = (self.function("sum12"), buffer(1));
                run!(enqueue!(launch!(sum12<<<1, LEN, 0, stream>>>(
                    out.as_device_ptr(), 1_u32, 2_u32, 3_u32, 4_u32, 5_u32, 6_u32, 7_u32, 8_u32, 9_u32,
                    10_u32, 11_u32
                ))))
            }
            "launch_wait" => {
                let (saxpy, mut x, mut y) = (self.function("saxpy"), buffer(64), buffer(64));
                run!({
                    enqueue!(
                        launch!(saxpy<<<1, LEN, 0, stream>>>(LEN, 2.0_f32, x.as_device_ptr(), y.as_device_ptr()))
                    );
                    stream.synchronize().unwrap()
                })
            }
            "event_record" => {
                let event = event();
                run!(event.record(stream).unwrap())
            }
            "stream_query" => Err("no stream query"),
            "memset" => Err("no memset"),
            "enqueue_upload" => {
                let host = LockedBuffer::new(&1_u8, 64).unwrap();
                let mut device = zeroed::<u8>(64);
                run!(enqueue!(device.async_copy_from(&host[..], stream)))
            }
            "alloc_free" => {
                run!(drop(enqueue!(DeviceBuffer::<u8>::uninitialized(ALLOCATION))))
            }
            "stream_alloc_free" => Err("no stream-ordered memory"),
            "push_pop" => {
                let context = self.created();
                run!({
                    ContextStack::push(&context).unwrap();
                    ContextStack::pop().unwrap();
                })
            }
            "nested" => {
                let make = || {
                    let context = self.created();
                    ContextStack::push(&context).unwrap();
                    let made = (self::stream(), event(), context); // dropped in this order
                    ContextStack::pop().unwrap();
                    made
                };
                let (a, b) = (make(), make());
                run!({
                    ContextStack::push(&a.2).unwrap();
                    a.1.record(&a.0).unwrap();
                    ContextStack::push(&b.2).unwrap();
                    b.1.record(&b.0).unwrap();
                    ContextStack::pop().unwrap();
                    ContextStack::pop().unwrap();
                })
            }
            "replay" => Err("no graphs"),
            _ => Err(NO_SUCH),
        }
    }

    fn on_threads(&self) -> Result<Work<'_>, &'static str> {
        let kernels = CString::new(KERNELS).unwrap();
        let module = Box::leak(Box::new(Module::load_from_string(&kernels).unwrap()));
        // Its types are tied to a thread, which functions are not.
        let (context, saxpy) = (
            Shared(self.context),
            Shared(&*Box::leak(Box::new(module.get_function(c"saxpy").unwrap()))),
        );
        Ok(Box::new(move |turns: &Turns| {
            driver!(cuCtxSetCurrent(context.get()));
            let (stream, mut x, mut y) = (self::stream(), buffer(64), buffer(64));
            let saxpy = saxpy.get();
            turns.take(|| {
                enqueue!(launch!(saxpy<<<1, LEN, 0, stream>>>(
                    LEN, 2.0_f32, x.as_device_ptr(), y.as_device_ptr()
                )))
            });
            stream.synchronize().unwrap();
        }))
    }
}
