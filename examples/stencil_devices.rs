//! One thread computes the heat in a rod on all devices, each with a part of it. After some steps, neighbours copy the
//! ends of their parts to each other. The thread only enqueues, and waits once at the end. `cargo run --release --example stencil_devices`
#![forbid(unsafe_code)]

use cuscope::kernel::GuardedKernel;
use cuscope::{
    Context, ContextStack, Device, In, LaunchConfig, OrderedBuffer, OrderedStream, Out, Result,
    driver_kind, driver_version,
};
use std::time::{Duration, Instant};

/// The steps between two exchanges, and the values that a part has of each neighbour's: after so many steps, these
/// are used up. Even, so that the result is where the input was.
const HALO: usize = 32;

/// A part of the rod on its device, with the halos next to it.
struct Part {
    ordered: OrderedStream,
    heat: GuardedKernel<(u32, In<f32>, Out<f32>)>,
    now: OrderedBuffer<f32>,
    next: OrderedBuffer<f32>,
}

impl Part {
    fn new(context: &Context, values: &[f32]) -> Result<Part> {
        let ordered = context.ordered_stream()?;
        let heat = context.load_guarded(include_str!("kernels/heat.ptx"))?.kernel("heat")?;
        let (now, next) = (ordered.from_slice(values)?, ordered.alloc(values.len())?);
        Ok(Part { ordered, heat, now, next })
    }

    /// Starts the steps until the next exchange. Nothing waits.
    fn start(&mut self) -> Result {
        let Part { ordered, heat, now, next } = self;
        let n = u32::try_from(now.len()).expect("a part fits a grid");
        let config = LaunchConfig::for_num_elems(now.len())?;
        for _ in 0..HALO / 2 {
            ordered.launch(heat, config, (n, &*now, &mut *next))?;
            ordered.launch(heat, config, (n, &*next, &mut *now))?;
        }
        Ok(())
    }

    /// Gives two neighbours each other's values, next to their own: after the steps that were started, and before
    /// those that will be. Nothing waits.
    fn exchange(left: &mut Part, right: &mut Part) -> Result {
        let end = left.now.len();
        let halo = left.now.slice(end - 2 * HALO..end - HALO)?;
        right.ordered.copy_from_peer(&halo, &mut right.now.slice_mut(..HALO)?)?;
        let halo = right.now.slice(HALO..2 * HALO)?;
        left.ordered.copy_from_peer(&halo, &mut left.now.slice_mut(end - HALO..)?)
    }
}

/// Computes so many rounds of `HALO` steps on a device each, and returns how long that took.
fn run(contexts: &[Context], rod: &mut [f32], rounds: usize) -> Result<Duration> {
    let len = rod.len().div_ceil(contexts.len());
    // The values of a part, and those with its halos. The rod ends without one.
    let starts: Vec<usize> = (0..rod.len()).step_by(len).collect();
    let own = |start: usize| start..(start + len).min(rod.len());
    let with_halos =
        |start: usize| start.saturating_sub(HALO)..(own(start).end + HALO).min(rod.len());
    let parts = contexts.iter().zip(&starts);
    let mut parts: Vec<Part> = parts
        .map(|(context, &start)| Part::new(context, &rod[with_halos(start)]))
        .collect::<Result<_>>()?;

    parts.iter().try_for_each(|part| part.ordered.synchronize())?;
    let begin = Instant::now();
    for _ in 0..rounds {
        parts.iter_mut().try_for_each(Part::start)?;
        for right in 1..parts.len() {
            let (left, right) = parts.split_at_mut(right);
            Part::exchange(left.last_mut().expect("a part"), &mut right[0])?;
        }
    }
    parts.iter().try_for_each(|part| part.ordered.synchronize())?;
    let time = begin.elapsed();

    let ranges: Vec<_> =
        starts.iter().map(|&start| (own(start), with_halos(start).start)).collect();
    for (part, (own, first)) in parts.iter().zip(ranges) {
        let inside = part.now.slice(own.start - first..own.end - first)?;
        part.ordered.download(&inside, &mut rod[own])?;
    }
    Ok(time)
}

/// A rod that is hot in places.
fn rod(len: usize) -> Vec<f32> {
    (0..len).map(|i| if i % 97 < 5 { (i % 1000) as f32 } else { 0.0 }).collect()
}

/// The same on the host, to the last bit: the kernel's operations are fused, but their products are exact.
fn on_the_host(rod: &mut Vec<f32>, steps: usize) {
    for _ in 0..steps {
        let mut next = rod.clone();
        for (next, x) in next[1..].iter_mut().zip(rod.windows(3)) {
            *next = x[1] + 0.25 * (x[0] + x[2] - 2.0 * x[1]);
        }
        *rod = next;
    }
}

fn main() -> Result {
    let devices = Device::all()?;
    println!("driver: {} (CUDA {}), {} device(s)", driver_kind(), driver_version()?, devices.len());
    let contexts: Vec<Context> =
        devices.iter().map(|&device| Context::primary(device)).collect::<Result<_>>()?;
    let mut stack = ContextStack::current_thread()?;
    // Copies work without access, but the driver then stages them in host memory.
    for neighbours in contexts.windows(2) {
        for (one, other) in [(0, 1), (1, 0)].map(|(i, k)| (&neighbours[i], &neighbours[k])) {
            if one.device().can_access_peer(other.device())? {
                stack.push(one)?.enable_peer_access(other)?;
            }
        }
    }

    let (mut result, mut expected) = (rod(10_007), rod(10_007));
    run(&contexts, &mut result, 2)?;
    on_the_host(&mut expected, 2 * HALO);
    let wrong = result.iter().zip(&expected).filter(|(a, b)| a != b).count();
    println!("{} steps: {}", 2 * HALO, if wrong == 0 { "right" } else { "WRONG" });
    assert_eq!(wrong, 0, "{wrong} values differ from those of the host");

    let (len, rounds) = if driver_kind() == "software" { (10_000, 2) } else { (100_000_000, 20) };
    let mut one = Duration::ZERO;
    for count in 1..=contexts.len() {
        let time = run(&contexts[..count], &mut rod(len), rounds)?;
        one = if count == 1 { time } else { one };
        let steps = rounds * HALO;
        let speed = (len * steps) as f64 / time.as_secs_f64() / 1e9;
        let scaling = one.as_secs_f64() / time.as_secs_f64();
        println!(
            "{count} device(s): {time:.1?}, {speed:.3} values/ns, {scaling:.2} times as fast as one"
        );
    }
    Ok(())
}
