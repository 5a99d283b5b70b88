//! Batches on one stream and on three: uploads, kernels and downloads of different batches at a time.
//! `cargo run --example pipeline`
#![allow(unsafe_code, reason = "launches a kernel")]

use cuscope::{
    Context, ContextFlags, ContextStack, Device, Function, Held, LaunchConfig, PushedGuard, Queue,
    Result, Stream, driver_kind, driver_version,
};
use std::time::{Duration, Instant};

const BATCHES: usize = 16;
const LEN: usize = 1 << 13;
/// Kernels for each batch.
const STEPS: usize = 4;

/// What one stream works with, batch after batch.
struct Lane<'s, 'ctx> {
    queue: Queue<'s, 'ctx>,
    x: Held<'s, f32>,
    y: Held<'s, f32>,
}

impl<'s, 'ctx> Lane<'s, 'ctx> {
    /// Enqueues a batch and returns: `output` = `STEPS` * `input`. Nothing here waits for other lanes.
    fn run(&mut self, saxpy: &Function<'ctx>, input: &'s [f32], output: &'s mut [f32]) -> Result {
        let Lane { queue, x, y } = self;
        queue.upload(input, x)?;
        queue.zero(y)?;
        for _ in 0..STEPS {
            let config = LaunchConfig::for_num_elems(LEN as u32);
            // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over `n`
            // elements.
            unsafe { queue.launch(saxpy, config, (LEN as u32, 1.0_f32, &*x, &mut *y)) }?;
        }
        queue.download(&*y, output)
    }
}

/// Runs all batches, in turn on each stream; how long that took.
fn run(
    gpu: &PushedGuard<'_>,
    streams: usize,
    inputs: &[Vec<f32>],
    outputs: &mut [Vec<f32>],
) -> Result<Duration> {
    let saxpy = gpu.load_ptx(include_str!("kernels/saxpy.ptx"))?.function("saxpy")?;
    let streams = (0..streams).map(|_| gpu.stream()).collect::<Result<Vec<Stream<'_>>>>()?;
    let start = Instant::now();
    gpu.scope(|s| {
        let lane =
            |stream| Ok(Lane { queue: s.on(stream), x: s.scratch(LEN)?, y: s.scratch(LEN)? });
        let mut lanes = streams.iter().map(lane).collect::<Result<Vec<_>>>()?;
        let count = lanes.len();
        for (batch, (input, output)) in inputs.iter().zip(outputs).enumerate() {
            lanes[batch % count].run(&saxpy, input, output)?;
        }
        Ok(())
    })?;
    Ok(start.elapsed())
}

fn main() -> Result {
    let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    println!("{} driver, CUDA {}", driver_kind(), driver_version()?);

    let inputs: Vec<Vec<f32>> = (0..BATCHES).map(|batch| vec![batch as f32; LEN]).collect();
    run(&gpu, 1, &inputs[..1], &mut [vec![0.0; LEN]])?; // the first use of a kernel takes longer

    let mut times = Vec::new();
    for streams in [1, 3] {
        let mut outputs = vec![vec![0.0; LEN]; BATCHES];
        times.push(run(&gpu, streams, &inputs, &mut outputs)?);
        for (batch, output) in outputs.iter().enumerate() {
            assert!(output.iter().all(|&y| y == (STEPS * batch) as f32), "batch {batch}");
        }
    }
    let [serial, overlapped] = times[..] else { unreachable!("two runs") };
    println!("{BATCHES} batches: {serial:.2?} on one stream, {overlapped:.2?} on three");
    println!("overlap: {:.2}", serial.as_secs_f64() / overlapped.as_secs_f64());
    gpu.pop()
}
