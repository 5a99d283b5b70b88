//! Two contexts nested on one thread, then two threads on one context.
//! `cargo run --example two_contexts`
#![allow(unsafe_code, reason = "launches a kernel")]

use cuscope::{
    Context, ContextFlags, ContextStack, Device, LaunchConfig, PushContext, Result, driver_kind,
    driver_version,
};
use std::thread;

/// What a library does that keeps a context of its own: pushes it, works, and leaves the caller's
/// stack as it was.
fn scaled(stack: &mut impl PushContext, context: &Context, factor: f32) -> Result<Vec<f32>> {
    let gpu = stack.push(context)?;
    let n = 1000_u32;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let mut y = vec![0.0; x.len()];

    let stream = gpu.stream()?;
    let saxpy = gpu.load_ptx(include_str!("kernels/saxpy.ptx"))?.function("saxpy")?;
    let (mut x_dev, mut y_dev) = (gpu.alloc(x.len())?, gpu.alloc(y.len())?);
    let on = gpu.on(&stream);
    on.upload(&x, &mut x_dev)?;
    on.zero(&mut y_dev)?;
    let config = LaunchConfig::for_num_elems(n);
    // SAFETY: the kernel's parameters are (unsigned n, float a, const float *x, float *y); it reads
    // `n` elements of `x` and writes `n` of `y`, and both buffers have `n`.
    unsafe { on.launch(&saxpy, config, (n, factor, &x_dev, &mut y_dev)) }?;
    on.download(&y_dev, &mut y)?;
    Ok(y)
}

fn is_scaled(values: &[f32], factor: f32) -> bool {
    values.len() == 1000 && values.iter().enumerate().all(|(i, &v)| v == factor * i as f32)
}

fn main() -> Result {
    let devices = Device::all()?;
    let (first, last) = (devices[0], devices[devices.len() - 1]);
    println!("driver: {} (CUDA {}), {} device(s)", driver_kind(), driver_version()?, devices.len());

    // Nested pushes: the inner context covers the outer one, which is back afterwards.
    let outer_context = Context::create(first, ContextFlags::default())?;
    let inner_context = Context::create(last, ContextFlags::SCHED_BLOCKING_SYNC)?;
    let mut stack = ContextStack::current_thread()?;
    let mut outer = stack.push(&outer_context)?;
    let kept = outer.stream()?;
    let inner_result = scaled(&mut outer, &inner_context, 3.0)?;
    outer.on(&kept).record(&outer.event()?)?; // current again, and its handles usable
    outer.pop()?;
    let nested = is_scaled(&inner_result, 3.0);
    println!("nested pushes: {}", if nested { "right" } else { "WRONG" });

    // Two threads, each with a stack of its own, on one context.
    let results: Vec<Result<Vec<f32>>> = thread::scope(|s| {
        let threads = [2.0, 5.0].map(|factor| {
            let context = outer_context.clone();
            s.spawn(move || scaled(&mut ContextStack::current_thread()?, &context, factor))
        });
        threads.map(|t| t.join().expect("the thread does not panic")).into()
    });
    let mut threads = true;
    for (result, factor) in results.into_iter().zip([2.0, 5.0]) {
        threads &= is_scaled(&result?, factor);
    }
    println!("two threads on one context: {}", if threads { "right" } else { "WRONG" });
    assert!(nested && threads);
    Ok(())
}
