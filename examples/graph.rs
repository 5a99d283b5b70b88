//! A chain of small kernels, launched one by one and replayed as a graph, with the time that each takes.
//! `cargo run --example graph`
#![forbid(unsafe_code)]

use cuscope::{
    Context, ContextFlags, ContextStack, Device, DeviceBuffer, In, LaunchConfig, Out, Result,
    ScopedBuffer, driver_kind, driver_version, graph::Enqueue, kernel::GuardedKernel,
};
use std::time::{Duration, Instant};

const LEN: usize = 1 << 8;
/// Kernels of the chain.
const STEPS: usize = 20;
const RUNS: usize = 50;

/// Enqueues the chain, or captures it: `y` += `STEPS` * `x`.
fn chain<'s, 'ctx>(
    stream: impl Enqueue<'s, 'ctx>,
    saxpy: &GuardedKernel<(u32, f32, In<f32>, Out<f32>)>,
    x: &'s DeviceBuffer<'ctx, f32>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    for _ in 0..STEPS {
        let config = LaunchConfig::for_num_elems(LEN)?;
        stream.launch(saxpy, config, (LEN as u32, 1.0, x, &mut *y))?;
    }
    Ok(())
}

/// The time of one of `RUNS` runs.
fn time(f: impl FnOnce() -> Result) -> Result<Duration> {
    let start = Instant::now();
    f()?;
    Ok(start.elapsed() / RUNS as u32)
}

fn main() -> Result {
    let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    println!("{} driver, CUDA {}", driver_kind(), driver_version()?);

    let mut stream = gpu.stream()?;
    let saxpy = gpu.load_guarded(include_str!("kernels/saxpy.ptx"))?.kernel("saxpy")?;
    let (mut x, mut y) = (gpu.alloc(LEN)?, gpu.alloc(LEN)?);
    gpu.on(&stream).fill(&mut x, 1.0_f32)?;
    gpu.on(&stream).zero(&mut y)?;

    let launched = time(|| {
        gpu.scope(|s| {
            let (stream, mut y) = (s.on(&stream), s.hold(&mut y));
            (0..RUNS).try_for_each(|_| chain(stream, &saxpy, &x, &mut y))
        })
    })?;

    let graph = gpu.capture(&mut stream, |c| chain(c.stream(), &saxpy, &x, &mut c.hold(&mut y)))?;
    drop(saxpy); // the graph keeps its code
    let replayed = time(|| {
        gpu.scope(|s| {
            let (stream, mut y) = (s.on(&stream), s.hold(&mut y));
            (0..RUNS).try_for_each(|_| stream.replay(&graph, (&x, &mut y)))
        })
    })?;

    let mut result = vec![0.0; LEN];
    gpu.on(&stream).download(&y, &mut result)?;
    assert_eq!(result, vec![(2 * RUNS * STEPS) as f32; LEN]);
    println!("{STEPS} launches {launched:?}, one replay of {} nodes {replayed:?}", graph.nodes()?);
    gpu.pop()
}
