//! One thread computes the heat in a rod on all devices, each with a part of it. After some steps, neighbours copy the
//! ends of their parts to each other. The thread only enqueues, and waits once at the end. `cargo run --release --example stencil_devices`
#![allow(unsafe_code, reason = "launches a kernel")]

use cuscope::{
    Context, ContextStack, Detached, Device, Function, LaunchConfig, OrderedBuffer, OrderedStream,
    Result, driver_kind, driver_version,
};
use std::time::{Duration, Instant};

/// The steps between two exchanges, and the values that a part has of each neighbour's: after so many steps, these
/// are used up. Even, so that the result is where the input was.
const HALO: usize = 32;

cuscope::handles! {
    /// What a device keeps.
    struct Handles<'ctx> {
        ordered: OrderedStream,
        heat: Function<'ctx>,
        now: OrderedBuffer<f32>,
        next: OrderedBuffer<f32>,
    }
}

/// A part of the rod, with the halos next to it.
struct Part {
    context: Context,
    handles: Detached<Handles<'static>>,
    len: u32,
}

impl Part {
    fn new(stack: &mut ContextStack, context: &Context, values: &[f32]) -> Result<Part> {
        let gpu = stack.push(context)?;
        let ordered = gpu.ordered_stream()?;
        let heat = gpu.load_ptx(include_str!("kernels/heat.ptx"))?.function("heat")?;
        let (now, next) = (ordered.from_slice(values)?, ordered.alloc(values.len())?);
        let handles = Handles { ordered, heat, now, next }.detach();
        let len = u32::try_from(values.len()).expect("a part fits a grid");
        Ok(Part { context: context.clone(), handles, len })
    }

    /// Starts the steps until the next exchange. Nothing waits.
    fn start(&mut self, stack: &mut ContextStack) -> Result {
        let gpu = stack.push(&self.context)?;
        let Handles { ordered, heat, now, next } = gpu.bind_mut(&mut self.handles)?;
        let (n, config) = (self.len, LaunchConfig::for_num_elems(self.len as usize)?);
        for _ in 0..HALO / 2 {
            // SAFETY: 1. to 3. The kernel's parameters are (unsigned n, const float *x, float *y); it reads `n`
            // elements of one buffer and writes `n` of the other one, and both have `n`.
            unsafe { ordered.launch_unchecked(heat, config, (n, &*now, &mut *next)) }?;
            // SAFETY: as above.
            unsafe { ordered.launch_unchecked(heat, config, (n, &*next, &mut *now)) }?;
        }
        gpu.pop()
    }

    /// Gives two neighbours each other's values, next to their own: behind the steps that were started, and before
    /// those that will be. Nothing waits.
    fn exchange(stack: &mut ContextStack, left: &mut Part, right: &mut Part) -> Result {
        let mut outer = stack.push(&left.context)?;
        let Handles { ordered: left_ordered, now: left, .. } = outer.bind_mut(&mut left.handles)?;
        let gpu = outer.push(&right.context)?; // covers the guard of the left part, not its memory
        let Handles { ordered, now: right, .. } = gpu.bind_mut(&mut right.handles)?;
        let end = left.len();
        let halo = left.slice(end - 2 * HALO..end - HALO)?;
        ordered.copy_from_peer(&halo, &mut right.slice_mut(..HALO)?)?;
        let halo = right.slice(HALO..2 * HALO)?;
        left_ordered.copy_from_peer(&halo, &mut left.slice_mut(end - HALO..)?)?;
        gpu.pop()?;
        outer.pop()
    }
}

/// Computes so many rounds of `HALO` steps on a device each, and returns how long that took.
fn run(
    stack: &mut ContextStack,
    contexts: &[Context],
    rod: &mut [f32],
    rounds: usize,
) -> Result<Duration> {
    let len = rod.len().div_ceil(contexts.len());
    // The values of a part, and those with its halos. The rod ends without one.
    let starts: Vec<usize> = (0..rod.len()).step_by(len).collect();
    let own = |start: usize| start..(start + len).min(rod.len());
    let with_halos =
        |start: usize| start.saturating_sub(HALO)..(own(start).end + HALO).min(rod.len());
    let parts = contexts.iter().zip(&starts);
    let mut parts: Vec<Part> = parts
        .map(|(context, &start)| Part::new(stack, context, &rod[with_halos(start)]))
        .collect::<Result<_>>()?;

    for part in &parts {
        stack.push(&part.context)?.bind(&part.handles)?.ordered.synchronize()?;
    }
    let begin = Instant::now();
    for _ in 0..rounds {
        parts.iter_mut().try_for_each(|part| part.start(stack))?;
        for right in 1..parts.len() {
            let (left, right) = parts.split_at_mut(right);
            Part::exchange(stack, left.last_mut().expect("a part"), &mut right[0])?;
        }
    }
    for part in &parts {
        stack.push(&part.context)?.bind(&part.handles)?.ordered.synchronize()?;
    }
    let time = begin.elapsed();

    let ranges: Vec<_> =
        starts.iter().map(|&start| (own(start), with_halos(start).start)).collect();
    for (part, (own, first)) in parts.iter().zip(ranges) {
        let gpu = stack.push(&part.context)?;
        let Handles { ordered, now, .. } = gpu.bind(&part.handles)?;
        let inside = now.slice(own.start - first..own.end - first)?;
        ordered.download(&inside, &mut rod[own])?;
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
    run(&mut stack, &contexts, &mut result, 2)?;
    on_the_host(&mut expected, 2 * HALO);
    let wrong = result.iter().zip(&expected).filter(|(a, b)| a != b).count();
    println!("{} steps: {}", 2 * HALO, if wrong == 0 { "right" } else { "WRONG" });
    assert_eq!(wrong, 0, "{wrong} values differ from those of the host");

    let (len, rounds) = if driver_kind() == "software" { (10_000, 2) } else { (100_000_000, 20) };
    let mut one = Duration::ZERO;
    for count in 1..=contexts.len() {
        let time = run(&mut stack, &contexts[..count], &mut rod(len), rounds)?;
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
