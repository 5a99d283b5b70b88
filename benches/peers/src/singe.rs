//! singe-cuda 0.1, which goes through the CUDA runtime.

use crate::bench::{ALLOCATION, Candidate, KERNELS_C, LEN, NO_SUCH, Run};
use crate::bench::{Turns, bytes, run};
use crate::c::driver;
use crate::threads::Work;
use singe_cuda::context::Context;
use singe_cuda::device::{Device, DeviceId};
use singe_cuda::dim::Dim3;
use singe_cuda::event::{Event, EventFlags, EventRecordFlags};
use singe_cuda::memory::{DeviceMemory, HostAllocationFlags};
use singe_cuda::module::{LaunchConfig, Module, ModuleImage};
use singe_cuda::stream::{Stream, StreamCaptureMode, StreamFlags};
use std::sync::Arc;

pub struct Singe {
    device: Device,
    context: Arc<Context>,
    module: Module,
    stream: Stream,
}

/// An unsafe operation, which succeeds.
macro_rules! enqueue {
    ($operation:expr) => {
        // SAFETY: memory has the sizes that are told; what is enqueued with is owned by the closure that does or never
        // freed, and the context is waited for before that ends. An address is freed once, behind its use.
        unsafe { $operation }.unwrap()
    };
}

fn config() -> LaunchConfig {
    LaunchConfig::new(Dim3 { x: 1, y: 1, z: 1 }, Dim3 { x: LEN, y: 1, z: 1 }, 0).unwrap()
}

fn buffer(len: usize) -> DeviceMemory<f32> {
    DeviceMemory::zeroes(len).unwrap()
}

/// Pinned memory, which it has as an address only; never freed.
fn pinned(bytes: usize) -> &'static mut [u8] {
    let address = enqueue!(DeviceMemory::<u8>::alloc_pinned(bytes, HostAllocationFlags::empty()));
    let address = address.cast::<u8>();
    // SAFETY: so many bytes were allocated, and nobody else has them.
    unsafe { address.write_bytes(1, bytes) };
    // SAFETY: the same, and never freed.
    unsafe { std::slice::from_raw_parts_mut(address, bytes) }
}

impl Singe {
    pub fn new() -> Singe {
        let device = Device::new(DeviceId::from(0));
        let context = Context::retain_primary_for_device(device).unwrap();
        let module = context.load_module(&ModuleImage::new(KERNELS_C.as_bytes())).unwrap();
        let stream = context.create_stream_with_flags(StreamFlags::NON_BLOCKING).unwrap();
        Singe { device, context, module, stream }
    }

    fn event(&self, context: &Arc<Context>) -> Event {
        context.create_event_with_flags(EventFlags::DISABLE_TIMING).unwrap()
    }

    fn driven(&self) -> (Arc<Context>, Stream, Event) {
        let context = Context::create_for_device(self.device).unwrap(); // pushed
        let stream = context.create_stream_with_flags(StreamFlags::NON_BLOCKING).unwrap();
        let made = (context.clone(), stream, self.event(&context));
        driver!(cuCtxPopCurrent_v2(&mut std::ptr::null_mut()));
        made
    }
}

impl Candidate for Singe {
    fn name(&self) -> &'static str {
        "singe-cuda"
    }

    fn operation<'a>(&'a self, name: &str) -> Result<Run<'a>, &'static str> {
        let stream = &self.stream;
        let config = config();
        if let Some(bytes) = bytes(name, "upload_") {
            let (host, mut device) = (&*pinned(bytes), DeviceMemory::<u8>::zeroes(bytes).unwrap());
            return run!({
                enqueue!(device.copy_from_host_async_unchecked(host, stream));
                stream.synchronize().unwrap()
            });
        }
        if let Some(bytes) = bytes(name, "download_") {
            let (host, device) = (pinned(bytes), DeviceMemory::<u8>::zeroes(bytes).unwrap());
            return run!({
                enqueue!(device.copy_to_host_async_unchecked(host, stream));
                stream.synchronize().unwrap()
            });
        }
        let saxpy = self.module.function("saxpy").unwrap();
        match name {
            "launch_0" => {
                let nothing = self.module.function("nothing").unwrap();
                run!(nothing.launch_on(&config, (), stream).unwrap())
            }
            "launch_4" => {
                let (x, y) = (buffer(64), buffer(64));
                run!({
                    let arguments = (&LEN, &2.0_f32, &x.as_device_ptr(), &y.as_device_ptr());
                    saxpy.launch_on(&config, arguments, stream).unwrap()
                })
            }
            "launch_12" => {
                let (sum12, out) = (self.module.function("sum12").unwrap(), buffer(1));
                run!({
                    #[rustfmt::skip]
                    let arguments = (&out.as_device_ptr(), &1_u32, &2_u32, &3_u32, &4_u32, &5_u32, &6_u32, &7_u32, &8_u32, &9_u32, &10_u32, &11_u32);
                    sum12.launch_on(&config, arguments, stream).unwrap()
                })
            }
            "launch_wait" => {
                let (x, y) = (buffer(64), buffer(64));
                run!({
                    let arguments = (&LEN, &2.0_f32, &x.as_device_ptr(), &y.as_device_ptr());
                    saxpy.launch_on(&config, arguments, stream).unwrap();
                    stream.synchronize().unwrap()
                })
            }
            "event_record" => {
                let event = self.event(&self.context);
                run!(event.record(stream, EventRecordFlags::empty()).unwrap())
            }
            "stream_query" => run!({
                stream.query().unwrap();
            }),
            "memset" => {
                let mut y = DeviceMemory::<u8>::zeroes(256).unwrap();
                run!(enqueue!(y.set_value_async_unchecked(1, stream)))
            }
            "enqueue_upload" => {
                let (host, mut device) = (&*pinned(64), DeviceMemory::<u8>::zeroes(64).unwrap());
                run!(enqueue!(device.copy_from_host_async_unchecked(host, stream)))
            }
            "alloc_free" => run!(drop(DeviceMemory::<u8>::create(ALLOCATION).unwrap())),
            "stream_alloc_free" => run!({
                let address = enqueue!(DeviceMemory::<u8>::alloc_async(ALLOCATION, stream));
                enqueue!(DeviceMemory::free_async(address, stream))
            }),
            "push_pop" => Err("sets the current context, and no stack"),
            "nested" => {
                let (a, b) = (self.driven(), self.driven());
                run!({
                    a.0.bind().unwrap();
                    a.2.record(&a.1, EventRecordFlags::empty()).unwrap();
                    b.0.bind().unwrap();
                    b.2.record(&b.1, EventRecordFlags::empty()).unwrap()
                })
            }
            "replay" => {
                let (x, y) = (buffer(64), buffer(64));
                let (xp, yp) = (x.as_device_ptr(), y.as_device_ptr());
                let graph = stream
                    .capture_executable(StreamCaptureMode::Relaxed, |scope| {
                        let arguments = (&LEN, &2.0_f32, &xp, &yp);
                        // SAFETY: the kernel gets its parameters and stays inside of its buffers.
                        scope.record(unsafe { saxpy.launch_operation(&config, arguments) })
                    })
                    .unwrap();
                run!({
                    let _captured = (&x, &y); // lives as long as the graph
                    graph.launch(stream).unwrap()
                })
            }
            _ => Err(NO_SUCH),
        }
    }

    fn on_threads(&self) -> Result<Work<'_>, &'static str> {
        let module = self.context.load_module(&ModuleImage::new(KERNELS_C.as_bytes())).unwrap();
        Ok(Box::new(move |turns: &Turns| {
            self.context.bind().unwrap();
            let (config, flags) = (config(), StreamFlags::NON_BLOCKING);
            let stream = self.context.create_stream_with_flags(flags).unwrap();
            let (x, y) = (buffer(64), buffer(64));
            let saxpy = module.function("saxpy").unwrap();
            turns.take(|| {
                let arguments = (&LEN, &2.0_f32, &x.as_device_ptr(), &y.as_device_ptr());
                saxpy.launch_on(&config, arguments, &stream).unwrap()
            });
            stream.synchronize().unwrap();
        }))
    }
}
