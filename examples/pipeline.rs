//! Batches on one stream and on three: while the kernel of one batch runs, others are copied and run.
//! `cargo run --example pipeline`
#![allow(unsafe_code, reason = "launches a kernel")]

use cuscope::{
    Context, ContextFlags, ContextStack, Device, Function, Held, LaunchConfig, PushedGuard, Queue,
    Result, Stream, driver_kind, driver_version,
};
use std::time::{Duration, Instant};

const BATCHES: usize = 15;
const LEN: usize = 256;

/// A stream and what it works with, batch after batch.
struct Lane<'s, 'ctx> {
    queue: Queue<'s, 'ctx>,
    x: Held<'s, f32>,
    y: Held<'s, f32>,
    /// Where the batch goes that this lane has.
    output: Option<&'s mut [f32]>,
}

impl<'s, 'ctx> Lane<'s, 'ctx> {
    /// Copies the result of the last batch out. With pageable memory this waits for it, and only for it.
    fn finish(&mut self) -> Result {
        match self.output.take() {
            Some(output) => self.queue.download(&self.y, output),
            None => Ok(()),
        }
    }

    /// Begins a batch.
    fn begin(
        &mut self,
        iterate: &Function<'ctx>,
        steps: u32,
        (input, output): (&'s [f32], &'s mut [f32]),
    ) -> Result {
        let Lane { queue, x, y, .. } = self;
        queue.upload(input, x)?;
        let config = LaunchConfig::for_num_elems(LEN as u32);
        // SAFETY: the kernel is iterate(unsigned n, unsigned steps, const float *x, float *y) over `n`
        // elements.
        unsafe { queue.launch(iterate, config, (LEN as u32, steps, &*x, &mut *y)) }?;
        self.output = Some(output);
        Ok(())
    }
}

/// Runs all batches, in turn on each stream; how long that took.
fn run<'ctx>(
    gpu: &PushedGuard<'ctx>,
    streams: &[Stream<'ctx>],
    (iterate, steps): (&Function<'ctx>, u32),
    inputs: &[Vec<f32>],
    outputs: &mut [Vec<f32>],
) -> Result<Duration> {
    let start = Instant::now();
    gpu.scope(|s| {
        let lane = |stream| {
            Ok(Lane { queue: s.on(stream), x: s.scratch(LEN)?, y: s.scratch(LEN)?, output: None })
        };
        let mut lanes = streams.iter().map(lane).collect::<Result<Vec<_>>>()?;
        let count = lanes.len();
        for (number, (input, output)) in inputs.iter().zip(outputs).enumerate() {
            let lane = &mut lanes[number % count];
            lane.finish()?;
            lane.begin(iterate, steps, (input, output))?;
        }
        lanes.iter_mut().try_for_each(Lane::finish)
    })?;
    Ok(start.elapsed())
}

fn main() -> Result {
    let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    println!("{} driver, CUDA {}", driver_kind(), driver_version()?);

    // Some 30 ms of an interpreter, or 1 ms of one of the many multiprocessors of a GPU.
    let steps = if driver_kind() == "software" { 300 } else { 300_000 };
    let iterate = gpu.load_ptx(include_str!("kernels/iterate.ptx"))?.function("iterate")?;
    let streams = [gpu.stream()?, gpu.stream()?, gpu.stream()?];
    let inputs: Vec<_> = (0..BATCHES).map(|batch| vec![batch as f32; LEN]).collect();
    let expected = |x: f32| (0..steps).fold(x, |y, _| y.mul_add(0.5, 1.0));

    let time = |count: usize| -> Result<Duration> {
        let mut outputs = vec![vec![0.0; LEN]; BATCHES];
        let time = run(&gpu, &streams[..count], (&iterate, steps), &inputs, &mut outputs)?;
        for (input, output) in inputs.iter().zip(&outputs) {
            assert!(output.iter().all(|&y| y == expected(input[0])), "{input:?}: {output:?}");
        }
        Ok(time)
    };
    time(1)?; // the first use of a kernel takes longer
    let (serial, overlapped) = (time(1)?, time(3)?);
    println!("{BATCHES} batches: {serial:.2?} on one stream, {overlapped:.2?} on three");
    println!("{:.2} batches at a time", serial.as_secs_f64() / overlapped.as_secs_f64());
    gpu.pop()
}
