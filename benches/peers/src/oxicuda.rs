//! oxicuda-driver, oxicuda-memory and oxicuda-launch 0.5.

use crate::bench::{ALLOCATION, Candidate, KERNELS, LEN, NO_SUCH, Run};
use crate::bench::{Turns, bytes, run};
use crate::c::driver;
use crate::threads::Work;
use oxicuda_driver::context::Context;
use oxicuda_driver::device::Device;
use oxicuda_driver::event::Event;
use oxicuda_driver::ffi::{CU_EVENT_DISABLE_TIMING, CU_STREAM_CAPTURE_MODE_RELAXED};
use oxicuda_driver::graph::StreamGraphCapture;
use oxicuda_driver::module::Module;
use oxicuda_driver::primary_context::PrimaryContext;
use oxicuda_driver::stream::Stream;
use oxicuda_launch::{Kernel, LaunchParams};
use oxicuda_memory::{DeviceBuffer, PinnedBuffer};
use std::sync::Arc;

pub struct OxiCuda {
    device: Device,
    context: Arc<Context>,
    stream: Stream,
    nothing: Kernel,
    saxpy: Kernel,
    sum12: Kernel,
}

fn event() -> Event {
    Event::with_flags(CU_EVENT_DISABLE_TIMING).unwrap()
}

fn buffer(len: usize) -> DeviceBuffer<f32> {
    DeviceBuffer::zeroed(len).unwrap()
}

impl OxiCuda {
    pub fn new() -> OxiCuda {
        oxicuda_driver::init().unwrap();
        let device = Device::get(0).unwrap();
        let primary = Box::leak(Box::new(PrimaryContext::retain(&device).unwrap()));
        // SAFETY: the primary context, which is retained for ever.
        let context = Arc::new(unsafe { Context::from_raw_borrowed(primary.raw(), device) });
        let module = Arc::new(Module::from_ptx(KERNELS).unwrap());
        let kernel = |name| Kernel::from_module(module.clone(), name).unwrap();
        let (nothing, saxpy, sum12) = (kernel("nothing"), kernel("saxpy"), kernel("sum12"));
        let stream = Stream::new(&context).unwrap();
        OxiCuda { device, context, stream, nothing, saxpy, sum12 }
    }

    fn driven(&self) -> (Arc<Context>, Stream, Event) {
        let context = Arc::new(Context::new(&self.device).unwrap()); // pushed
        let made = (context.clone(), Stream::new(&context).unwrap(), event());
        driver!(cuCtxPopCurrent_v2(&mut std::ptr::null_mut()));
        made
    }
}

impl Candidate for OxiCuda {
    fn name(&self) -> &'static str {
        "oxicuda"
    }

    fn operation<'a>(&'a self, name: &str) -> Result<Run<'a>, &'static str> {
        let stream = &self.stream;
        let config = LaunchParams::new(1_u32, LEN);
        if let Some(bytes) = bytes(name, "upload_") {
            let host = PinnedBuffer::from_slice(&vec![1_u8; bytes]).unwrap();
            let mut device = DeviceBuffer::zeroed(bytes).unwrap();
            return run!({
                device.copy_from_host_async(&host, stream).unwrap();
                stream.synchronize().unwrap()
            });
        }
        if let Some(bytes) = bytes(name, "download_") {
            let mut host = PinnedBuffer::from_slice(&vec![1_u8; bytes]).unwrap();
            let device = DeviceBuffer::zeroed(bytes).unwrap();
            return run!({
                device.copy_to_host_async(&mut host, stream).unwrap();
                stream.synchronize().unwrap()
            });
        }
        match name {
            "launch_0" => run!(self.nothing.launch(&config, stream, &()).unwrap()),
            "launch_4" => {
                let (x, y) = (buffer(64), buffer(64));
                run!({
                    let arguments = (LEN, 2.0_f32, x.as_device_ptr(), y.as_device_ptr());
                    self.saxpy.launch(&config, stream, &arguments).unwrap()
                })
            }
            "launch_12" => {
                let out = buffer(1);
                run!({
                    #[rustfmt::skip]
                    let arguments = (out.as_device_ptr(), 1_u32, 2_u32, 3_u32, 4_u32, 5_u32, 6_u32, 7_u32, 8_u32, 9_u32, 10_u32, 11_u32);
                    self.sum12.launch(&config, stream, &arguments).unwrap()
                })
            }
            "launch_wait" => {
                let (x, y) = (buffer(64), buffer(64));
                run!({
                    let arguments = (LEN, 2.0_f32, x.as_device_ptr(), y.as_device_ptr());
                    self.saxpy.launch(&config, stream, &arguments).unwrap();
                    stream.synchronize().unwrap()
                })
            }
            "event_record" => {
                let event = event();
                run!(event.record(stream).unwrap())
            }
            "stream_query" => Err("no stream query"),
            "memset" => Err("no memset on a stream"),
            "enqueue_upload" => {
                let host = PinnedBuffer::from_slice(&[1_u8; 64]).unwrap();
                let mut device = DeviceBuffer::zeroed(64).unwrap();
                run!(device.copy_from_host_async(&host, stream).unwrap())
            }
            "alloc_free" => run!(drop(DeviceBuffer::<u8>::alloc(ALLOCATION).unwrap())),
            "stream_alloc_free" => Err("only from a pool that is made for it"),
            "push_pop" => {
                let (context, ..) = self.driven();
                run!(context.scoped(|| Ok(())).unwrap())
            }
            "nested" => {
                let (a, b) = (self.driven(), self.driven());
                run!(
                    a.0.scoped(|| {
                        a.2.record(&a.1)?;
                        b.0.scoped(|| b.2.record(&b.1))
                    })
                    .unwrap()
                )
            }
            "replay" => {
                let (x, y) = (buffer(64), buffer(64));
                let capture =
                    StreamGraphCapture::begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED).unwrap();
                let arguments = (LEN, 2.0_f32, x.as_device_ptr(), y.as_device_ptr());
                self.saxpy.launch(&config, stream, &arguments).unwrap();
                let graph = capture.end().unwrap();
                run!({
                    let _captured = (&x, &y); // lives as long as the graph
                    graph.launch(stream).unwrap()
                })
            }
            _ => Err(NO_SUCH),
        }
    }

    fn on_threads(&self) -> Result<Work<'_>, &'static str> {
        let saxpy =
            Kernel::from_module(Arc::new(Module::from_ptx(KERNELS).unwrap()), "saxpy").unwrap();
        Ok(Box::new(move |turns: &Turns| {
            self.context.set_current().unwrap();
            let config = LaunchParams::new(1_u32, LEN);
            let (stream, x, y) = (Stream::new(&self.context).unwrap(), buffer(64), buffer(64));
            turns.take(|| {
                let arguments = (LEN, 2.0_f32, x.as_device_ptr(), y.as_device_ptr());
                saxpy.launch(&config, &stream, &arguments).unwrap()
            });
            stream.synchronize().unwrap();
        }))
    }
}
