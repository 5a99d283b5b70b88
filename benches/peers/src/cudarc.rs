//! cudarc 0.19: on its default stream, on a stream of its own, and there without its event tracking.

use crate::bench::{ALLOCATION, Candidate, KERNELS, LEN, NO_SUCH, Run};
use crate::bench::{BLOCK, SMALL_STEP, Turns, bytes, run, step_of, steps};
use crate::threads::Work;
use cudarc::driver::sys::{CUevent_flags, CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaSlice, CudaStream, LaunchConfig, PinnedHostSlice,
    PushKernelArg,
};
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    Default,
    Tracked,
    Untracked,
}

pub struct Cudarc {
    mode: Mode,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    nothing: CudaFunction,
    saxpy: CudaFunction,
    sum12: CudaFunction,
}

/// An unsafe operation, which succeeds.
macro_rules! enqueue {
    ($operation:expr) => {
        // SAFETY: kernels get their parameters and stay inside of their buffers, and what is not initialised is not
        // read. What is enqueued with is owned by the closure that does, and used on one stream only.
        unsafe { $operation }.unwrap()
    };
}

const CONFIG: LaunchConfig =
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (LEN, 1, 1), shared_mem_bytes: 0 };
const FLAGS: Option<CUevent_flags> = Some(CUevent_flags::CU_EVENT_DISABLE_TIMING);

impl Cudarc {
    pub fn new(mode: Mode) -> Cudarc {
        let context = CudaContext::new(0).unwrap(); // the primary one
        if mode == Mode::Untracked {
            // SAFETY: what is made from now on is used on one stream only.
            unsafe { context.disable_event_tracking() };
        }
        let stream = match mode {
            Mode::Default => context.default_stream(),
            _ => context.new_stream().unwrap(),
        };
        let module = context.load_module(KERNELS.into()).unwrap();
        let function = |name| module.load_function(name).unwrap();
        let (nothing, saxpy, sum12) = (function("nothing"), function("saxpy"), function("sum12"));
        Cudarc { mode, context, stream, nothing, saxpy, sum12 }
    }

    fn buffer(&self, len: usize) -> CudaSlice<f32> {
        self.stream.alloc_zeros(len).unwrap()
    }

    /// Not write-combined: the other candidates' memory is not.
    fn pinned(&self, bytes: usize) -> PinnedHostSlice<u8> {
        // SAFETY: filled before anything reads it; any byte is a value.
        let mut host = unsafe { self.context.alloc_pinned_with_flags(bytes, 0) }.unwrap();
        host.as_mut_slice().unwrap().fill(1);
        host
    }

    fn driven(&self) -> (Arc<CudaStream>, CudaEvent) {
        let context = CudaContext::new_non_primary(0, 0).unwrap(); // current from now on
        // SAFETY: the context lives as long as `self`.
        unsafe { cudarc::driver::result::ctx::set_current(self.context.cu_ctx()) }.unwrap();
        (context.new_stream().unwrap(), context.new_event(FLAGS).unwrap())
    }
}

fn saxpy(stream: &CudaStream, saxpy: &CudaFunction, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>) {
    enqueue!(stream.launch_builder(saxpy).arg(&LEN).arg(&2.0_f32).arg(x).arg(y).launch(CONFIG));
}

/// A step: returns the output, and frees the input.
fn step(
    stream: &Arc<CudaStream>,
    saxpy: &CudaFunction,
    (len, grid): (u32, u32),
    x: CudaSlice<f32>,
) -> CudaSlice<f32> {
    let mut y = enqueue!(stream.alloc::<f32>(len as usize));
    let config =
        LaunchConfig { grid_dim: (grid, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
    let mut builder = stream.launch_builder(saxpy);
    builder.arg(&len).arg(&2.0_f32).arg(&x).arg(&mut y);
    enqueue!(builder.launch(config));
    y
}

impl Candidate for Cudarc {
    fn name(&self) -> &'static str {
        match self.mode {
            Mode::Default => "cudarc, default stream",
            Mode::Tracked => "cudarc",
            Mode::Untracked => "cudarc, untracked",
        }
    }

    fn operation<'a>(&'a self, name: &str) -> Result<Run<'a>, &'static str> {
        let stream = &self.stream;
        if let Some(bytes) = bytes(name, "upload_") {
            let (host, mut device) = (self.pinned(bytes), stream.alloc_zeros::<u8>(bytes).unwrap());
            return run!({
                stream.memcpy_htod(&host, &mut device).unwrap();
                stream.synchronize().unwrap()
            });
        }
        if let Some(bytes) = bytes(name, "download_") {
            let (mut host, device) = (self.pinned(bytes), stream.alloc_zeros::<u8>(bytes).unwrap());
            return run!({
                stream.memcpy_dtoh(&device, &mut host).unwrap();
                stream.synchronize().unwrap()
            });
        }
        if let Some(size) = step_of(name, "step_") {
            return Ok(Box::new(move |n| {
                let mut x = Some(enqueue!(stream.alloc::<f32>(size.0 as usize)));
                let step = || x = x.take().map(|x| step(stream, &self.saxpy, size, x));
                steps(n, step, || stream.synchronize().unwrap())
            }));
        }
        match name {
            "launch_0" => run!({
                enqueue!(stream.launch_builder(&self.nothing).launch(CONFIG));
            }),
            "launch_4" => {
                let (x, mut y) = (self.buffer(64), self.buffer(64));
                run!(saxpy(stream, &self.saxpy, &x, &mut y))
            }
            "launch_12" => {
                let mut out = self.buffer(1);
                run!({
                    let mut builder = stream.launch_builder(&self.sum12);
                    builder.arg(&mut out);
                    builder.arg(&1_u32).arg(&2_u32).arg(&3_u32).arg(&4_u32).arg(&5_u32).arg(&6_u32);
                    builder.arg(&7_u32).arg(&8_u32).arg(&9_u32).arg(&10_u32).arg(&11_u32);
                    enqueue!(builder.launch(CONFIG));
                })
            }
            "launch_wait" => {
                let (x, mut y) = (self.buffer(64), self.buffer(64));
                run!({
                    saxpy(stream, &self.saxpy, &x, &mut y);
                    stream.synchronize().unwrap()
                })
            }
            "event_record" => {
                let event = self.context.new_event(FLAGS).unwrap();
                run!(event.record(stream).unwrap())
            }
            "stream_query" => Err("no stream query"),
            "memset" => {
                let mut y = self.buffer(64);
                run!(stream.memset_zeros(&mut y).unwrap())
            }
            "enqueue_upload" => {
                let (host, mut y) = (self.pinned(64), stream.alloc_zeros::<u8>(64).unwrap());
                run!(stream.memcpy_htod(&host, &mut y).unwrap())
            }
            "alloc_free" => Err("its memory is stream-ordered"),
            "stream_alloc_free" => {
                run!(drop(enqueue!(stream.alloc::<u8>(ALLOCATION))))
            }
            "push_pop" => Err("sets the current context, and no stack"),
            "nested" if self.mode == Mode::Default => Err("as on a stream of its own"),
            "nested" => {
                let (a, b) = (self.driven(), self.driven());
                run!({
                    a.1.record(&a.0).unwrap();
                    b.1.record(&b.0).unwrap()
                })
            }
            "replay" if self.mode == Mode::Default => Err("the default stream cannot be captured"),
            "replay" => {
                // What is captured must not wait for events from before: memory without tracking.
                // SAFETY: it is used on one stream only.
                unsafe { self.context.disable_event_tracking() };
                let (x, mut y) = (self.buffer(64), self.buffer(64));
                stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED).unwrap();
                saxpy(stream, &self.saxpy, &x, &mut y);
                let graph = stream.end_capture(CUgraphInstantiate_flags(0)).unwrap().unwrap();
                if self.mode == Mode::Tracked {
                    // SAFETY: as it was before.
                    unsafe { self.context.enable_event_tracking() };
                }
                run!({
                    let _captured = (&x, &y); // lives as long as the graph
                    graph.launch().unwrap()
                })
            }
            _ => Err(NO_SUCH),
        }
    }

    fn on_threads(&self) -> Result<Work<'_>, &'static str> {
        if self.mode == Mode::Default {
            return Err("one stream");
        }
        let module = self.context.load_module(KERNELS.into()).unwrap();
        let function = module.load_function("saxpy").unwrap();
        Ok(Box::new(move |turns: &Turns| {
            self.context.bind_to_thread().unwrap();
            let stream = self.context.new_stream().unwrap();
            let alloc = || stream.alloc_zeros::<f32>(64).unwrap();
            let (x, mut y) = (alloc(), alloc());
            turns.take(|| saxpy(&stream, &function, &x, &mut y));
            stream.synchronize().unwrap();
        }))
    }

    fn steps_on_threads(&self, kept: bool) -> Result<Work<'_>, &'static str> {
        if self.mode == Mode::Default || kept {
            return Err(if kept { "it keeps no blocks" } else { "one stream" });
        }
        let module = self.context.load_module(KERNELS.into()).unwrap();
        let function = module.load_function("saxpy").unwrap();
        Ok(Box::new(move |turns: &Turns| {
            self.context.bind_to_thread().unwrap();
            let stream = self.context.new_stream().unwrap();
            let mut x = Some(enqueue!(stream.alloc::<f32>(SMALL_STEP.0 as usize)));
            turns.take(|| x = x.take().map(|x| step(&stream, &function, SMALL_STEP, x)));
            stream.synchronize().unwrap();
        }))
    }
}
