//! Batches on one stream and on three: while the kernel of one batch runs, others are copied and run.
//! `cargo run --example pipeline`
#![forbid(unsafe_code)]

use cuscope::kernel::GuardedKernel;
use cuscope::{
    Context, ContextFlags, ContextStack, Device, In, LaunchConfig, Out, PinnedBuffer, PushedGuard,
    Result, ScopedBuffer, ScopedStream, Stream, driver_kind, driver_version,
};
use std::time::{Duration, Instant};

type Iterate = GuardedKernel<(u32, u32, In<f32>, Out<f32>)>;

/// What is done with each batch.
#[derive(Clone, Copy)]
struct Work {
    copies: bool,
    kernels: bool,
}

/// A stream and what it works with, batch after batch.
struct Lane<'s, 'ctx> {
    stream: ScopedStream<'s, 'ctx>,
    x: ScopedBuffer<'s, f32>,
    y: ScopedBuffer<'s, f32>,
}

impl<'s, 'ctx> Lane<'s, 'ctx> {
    /// A batch: in, through the kernel, and out. Page-locked memory is copied while this goes on.
    fn batch(
        &mut self,
        work: Work,
        (iterate, steps): (&Iterate, u32),
        (input, output): (&'s [f32], &'s mut [f32]),
    ) -> Result {
        let Lane { stream, x, y } = self;
        let len = x.len() as u32;
        if work.copies {
            stream.upload(input, x)?;
        }
        if work.kernels {
            let config = LaunchConfig::for_num_elems(len as usize)?;
            stream.launch(iterate, config, (len, steps, &*x, &mut *y))?;
        }
        if work.copies {
            stream.download(&*y, output)?;
        }
        Ok(())
    }
}

/// Runs all batches, in turn on each stream; how long that took.
fn run<'ctx>(
    gpu: &PushedGuard<'ctx>,
    streams: &[Stream<'ctx>],
    work: Work,
    kernel: (&Iterate, u32),
    inputs: &[PinnedBuffer<f32>],
    outputs: &mut [PinnedBuffer<f32>],
) -> Result<Duration> {
    let mut time = Duration::ZERO;
    gpu.scope(|s| {
        let len = inputs[0].len();
        let lane = |stream| {
            let stream = s.on(stream);
            Ok(Lane { stream, x: stream.scratch(len)?, y: stream.scratch(len)? })
        };
        let mut lanes = streams.iter().map(lane).collect::<Result<Vec<_>>>()?;
        let (count, start) = (lanes.len(), Instant::now());
        for (number, (input, output)) in inputs.iter().zip(outputs).enumerate() {
            lanes[number % count].batch(work, kernel, (input, output))?;
        }
        lanes.iter().try_for_each(|lane| lane.stream.synchronize())?;
        time = start.elapsed();
        Ok(())
    })?;
    Ok(time)
}

/// How long the batches take.
pub(crate) struct Times {
    /// All of it, on one stream.
    pub(crate) serial: Duration,
    /// The copies alone, on all streams.
    pub(crate) copies: Duration,
    /// The kernels alone, on all streams.
    pub(crate) kernels: Duration,
    /// All of it, on all streams.
    pub(crate) overlapped: Duration,
}

impl Times {
    /// How much of the shorter of copies and kernels the other one hides, from 0 to 1.
    pub(crate) fn hidden(&self) -> f64 {
        let [copies, kernels, both] =
            [self.copies, self.kernels, self.overlapped].map(|time| time.as_secs_f64());
        (copies + kernels - both) / copies.min(kernels)
    }
}

/// Runs batches of so many elements and iterations in each of the ways, and checks what comes out.
pub(crate) fn measure(
    gpu: &PushedGuard<'_>,
    batches: usize,
    len: usize,
    steps: u32,
) -> Result<Times> {
    let iterate = gpu.load_guarded(include_str!("kernels/iterate.ptx"))?.kernel("iterate")?;
    let streams = [gpu.stream()?, gpu.stream()?, gpu.stream()?];
    let pinned = |value: f32| {
        let mut pinned = gpu.pinned(len)?;
        pinned.fill(value);
        Ok(pinned)
    };
    let inputs = (0..batches).map(|batch| pinned(batch as f32)).collect::<Result<Vec<_>>>()?;
    let mut outputs = (0..batches).map(|_| pinned(0.0)).collect::<Result<Vec<_>>>()?;
    let mut time = |count: usize, copies, kernels| {
        let work = Work { copies, kernels };
        run(gpu, &streams[..count], work, (&iterate, steps), &inputs, &mut outputs)
    };
    time(1, true, true)?; // the first use of a kernel takes longer
    let (copies, kernels) = (time(3, true, false)?, time(3, false, true)?);
    let (serial, overlapped) = (time(1, true, true)?, time(3, true, true)?);
    for (batch, output) in outputs.iter().enumerate() {
        let expected = (0..steps).fold(batch as f32, |y, _| y.mul_add(0.5, 1.0));
        assert!(output.iter().all(|&y| y == expected), "batch {batch} is not {expected}");
    }
    Ok(Times { serial, copies, kernels, overlapped })
}

#[allow(dead_code, reason = "a test takes `measure` alone")]
fn main() -> Result {
    let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    println!("{} driver, CUDA {}", driver_kind(), driver_version()?);

    // Some 30 ms a batch of an interpreter, or half a millisecond of a GPU and as much of its bus.
    let (len, steps) = if driver_kind() == "software" { (256, 300) } else { (4 << 20, 3_000) };
    let times = measure(&gpu, 15, len, steps)?;
    let Times { serial, copies, kernels, overlapped } = times;
    println!("15 batches: {serial:.2?} on one stream, {overlapped:.2?} on three");
    println!("copies alone {copies:.2?}, kernels alone {kernels:.2?} on three");
    println!("{:.2} batches at a time", serial.as_secs_f64() / overlapped.as_secs_f64());
    if driver_kind() != "software" {
        // There, both are the work of the same cores.
        println!("{:.0} % of the shorter of copies and kernels is hidden", 100.0 * times.hidden());
    }
    gpu.pop()
}
