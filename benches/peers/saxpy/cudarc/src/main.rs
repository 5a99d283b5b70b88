//! saxpy with cudarc: prints the nanoseconds until its first launch is enqueued.

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use std::time::Instant;

const KERNELS: &str = include_str!("../../../kernels/kernels.ptx");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let saxpy = context.load_module(KERNELS.into())?.load_function("saxpy")?;
    let mut y = vec![1.0_f32; 256];
    let x_dev = stream.clone_htod(&[2.0_f32; 256])?;
    let mut y_dev = stream.clone_htod(&y)?;
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let mut builder = stream.launch_builder(&saxpy);
    // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y); the buffers have 256 elements, and
    // live until the stream was waited for.
    unsafe { builder.arg(&256_u32).arg(&2.0_f32).arg(&x_dev).arg(&mut y_dev).launch(config) }?;
    let launched = start.elapsed();
    stream.memcpy_dtoh(&y_dev, &mut y)?;
    stream.synchronize()?;
    assert!(y.iter().all(|&y| y == 5.0));
    println!("{}", launched.as_nanos());
    Ok(())
}
