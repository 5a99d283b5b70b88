//! A cooperative launch: blocks that wait for each other. `cargo run --example cooperative`
//!
//! The kernel adds up a vector and divides it by its sum, which every block needs whole: in one launch, with a barrier of
//! the whole grid in the middle.
#![allow(
    unsafe_code,
    reason = "trusts a kernel: how many blocks of a guarded one fit is not asked for"
)]

use cuscope::{
    Context, ContextFlags, ContextStack, Device, LaunchConfig, Result, driver_kind, driver_version,
};

const THREADS: u32 = 128;

fn main() -> Result {
    let device = Device::get(0)?;
    println!("driver: {} (CUDA {}), {}", driver_kind(), driver_version()?, device.name()?);

    let context = Context::create(device, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;

    let n = 20_000_u32;
    let x: Vec<f32> = (0..n).map(|i| (i % 4 + 1) as f32).collect();
    let sum: f32 = x.iter().sum();

    let stream = gpu.stream()?;
    let module = gpu.load_ptx(include_str!("kernels/cooperative.ptx"))?;
    let kernel = module.kernel::<(u32, &mut [f32], &mut [f32])>("normalise")?;
    // SAFETY: it reads and writes `n` elements of the first memory and one of the second. Its blocks wait for each other, and
    // the launch below is a cooperative one.
    let normalise =
        unsafe { kernel.trust(|_, (n, x, sum)| x.len() >= *n as usize && sum.len() == 1) };
    let mut x_dev = gpu.alloc(x.len())?;
    let mut sum_dev = gpu.alloc(1)?;
    gpu.on(&stream).upload(&x, &mut x_dev)?;
    gpu.on(&stream).fill(&mut sum_dev, 0.0_f32)?;

    // All blocks must be on the device at a time: more than so many would wait for ever.
    let most = gpu.occupancy(normalise.kernel().function()).cooperative_blocks(THREADS, 0)?;
    let blocks = n.div_ceil(THREADS).min(most).min(64);
    println!("{blocks} blocks of {THREADS} threads, of {most} that fit");
    let launch = LaunchConfig::new(blocks, THREADS).extended().cooperative();
    gpu.on(&stream).launch(&normalise, launch, (n, &mut x_dev, &mut sum_dev))?;

    let mut y = vec![0.0; x.len()];
    gpu.on(&stream).download(&x_dev, &mut y)?;
    gpu.pop()?;

    let wrong = y.iter().zip(&x).filter(|&(&y, &x)| (y - x / sum).abs() > 1e-6 * y).count();
    println!("{n} elements over their sum {sum}: {}", if wrong == 0 { "right" } else { "WRONG" });
    assert_eq!(wrong, 0, "{wrong} of {n} elements are wrong");
    Ok(())
}
