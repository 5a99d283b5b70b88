//! saxpy with cuscope: prints the nanoseconds until its first launch is enqueued.

use cuscope::{Context, ContextStack, Device, LaunchConfig};
use std::time::Instant;

const KERNELS: &str = include_str!("../../../kernels/kernels.ptx");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let context = Context::primary(Device::get(0)?)?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let stream = gpu.stream()?;
    let saxpy = gpu.load_ptx(KERNELS)?.function("saxpy")?;
    let mut y = vec![1.0_f32; 256];
    let (mut x_dev, mut y_dev) = (gpu.alloc(256)?, gpu.alloc(256)?);
    gpu.on(&stream).upload(&[2.0_f32; 256], &mut x_dev)?;
    gpu.on(&stream).upload(&y, &mut y_dev)?;
    let config = LaunchConfig::new(1, 256);
    // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y); the buffers have 256 elements, and
    // live until the stream was waited for.
    unsafe {
        gpu.on(&stream).launch_unscoped(&saxpy, config, (256_u32, 2.0_f32, &x_dev, &mut y_dev))
    }?;
    let launched = start.elapsed();
    gpu.on(&stream).download(&y_dev, &mut y)?;
    assert!(y.iter().all(|&y| y == 5.0));
    println!("{}", launched.as_nanos());
    Ok(())
}
