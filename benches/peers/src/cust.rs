//! cust 0.3.

use crate::bench::{ALLOCATION, Candidate, KERNELS, LEN, NO_SUCH, Run};
use crate::bench::{Turns, bytes, run};
use crate::threads::Work;
use cust::context::legacy::{Context as Created, ContextFlags, ContextStack};
use cust::context::{Context, CurrentContext};
use cust::event::{Event, EventFlags};
use cust::function::Function;
use cust::launch;
use cust::memory::{AsyncCopyDestination, DeviceBuffer, LockedBuffer};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};

pub struct Cust {
    context: Context,
    device: cust::device::Device,
    module: &'static Module,
    stream: Stream,
}

const NO_GRAPHS: &str = "its graphs cannot be launched";

/// An unsafe operation, which succeeds.
macro_rules! enqueue {
    ($operation:expr) => {
        // SAFETY: kernels get their parameters and stay inside of their buffers; zeros are a value of what is allocated,
        // and what is not initialised is not read. What is enqueued with is owned by the closure that does, and the
        // context is waited for before that ends.
        unsafe { $operation }.unwrap()
    };
}

fn stream() -> Stream {
    Stream::new(StreamFlags::NON_BLOCKING, None).unwrap()
}

fn event() -> Event {
    Event::new(EventFlags::DISABLE_TIMING).unwrap()
}

fn buffer(len: usize) -> DeviceBuffer<f32> {
    DeviceBuffer::zeroed(len).unwrap()
}

impl Cust {
    pub fn new() -> Cust {
        let device = cust::device::Device::get_device(0).unwrap();
        let context = Context::new(device).unwrap(); // the primary one, set current
        let module = Box::leak(Box::new(Module::from_ptx(KERNELS, &[]).unwrap()));
        Cust { context, device, module, stream: stream() }
    }

    fn function(&self, name: &str) -> Function<'static> {
        self.module.get_function(name).unwrap()
    }

    fn created(&self) -> Created {
        let context = Created::create_and_push(ContextFlags::SCHED_AUTO, self.device).unwrap();
        ContextStack::pop().unwrap();
        context
    }
}

impl Candidate for Cust {
    fn name(&self) -> &'static str {
        "cust"
    }

    fn operation<'a>(&'a self, name: &str) -> Result<Run<'a>, &'static str> {
        let stream = &self.stream;
        if let Some(bytes) = bytes(name, "upload_") {
            let host = LockedBuffer::new(&1_u8, bytes).unwrap();
            let mut device = DeviceBuffer::<u8>::zeroed(bytes).unwrap();
            return run!({
                enqueue!(device.async_copy_from(&host[..], stream));
                stream.synchronize().unwrap()
            });
        }
        if let Some(bytes) = bytes(name, "download_") {
            let mut host = LockedBuffer::new(&1_u8, bytes).unwrap();
            let device = DeviceBuffer::<u8>::zeroed(bytes).unwrap();
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
                let (saxpy, x, y) = (self.function("saxpy"), buffer(64), buffer(64));
                run!(enqueue!(
                    launch!(saxpy<<<1, LEN, 0, stream>>>(LEN, 2.0_f32, x.as_device_ptr(), y.as_device_ptr()))
                ))
            }
            "launch_12" => {
                let (sum12, out) = (self.function("sum12"), buffer(1));
                run!(enqueue!(launch!(sum12<<<1, LEN, 0, stream>>>(
                    out.as_device_ptr(), 1_u32, 2_u32, 3_u32, 4_u32, 5_u32, 6_u32, 7_u32, 8_u32, 9_u32,
                    10_u32, 11_u32
                ))))
            }
            "launch_wait" => {
                let (saxpy, x, y) = (self.function("saxpy"), buffer(64), buffer(64));
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
            "memset" => {
                let mut y = DeviceBuffer::<u32>::zeroed(64).unwrap();
                run!(enqueue!(y.set_32_async(1.0_f32.to_bits(), stream)))
            }
            "enqueue_upload" => {
                let host = LockedBuffer::new(&1_u8, 64).unwrap();
                let mut device = DeviceBuffer::<u8>::zeroed(64).unwrap();
                run!(enqueue!(device.async_copy_from(&host[..], stream)))
            }
            "alloc_free" => {
                run!(drop(enqueue!(DeviceBuffer::<u8>::uninitialized(ALLOCATION))))
            }
            "stream_alloc_free" => run!({
                let buffer = enqueue!(DeviceBuffer::<u8>::uninitialized_async(ALLOCATION, stream));
                buffer.drop_async(stream).unwrap()
            }),
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
            "replay" => Err(NO_GRAPHS),
            _ => Err(NO_SUCH),
        }
    }

    fn on_threads(&self) -> Result<Work<'_>, &'static str> {
        let (context, module) = (&self.context, Module::from_ptx(KERNELS, &[]).unwrap());
        Ok(Box::new(move |turns: &Turns| {
            CurrentContext::set_current(context).unwrap();
            let (stream, x, y) = (self::stream(), buffer(64), buffer(64));
            let saxpy = module.get_function("saxpy").unwrap();
            turns.take(|| {
                enqueue!(launch!(saxpy<<<1, LEN, 0, stream>>>(
                    LEN, 2.0_f32, x.as_device_ptr(), y.as_device_ptr()
                )))
            });
            stream.synchronize().unwrap();
        }))
    }
}
