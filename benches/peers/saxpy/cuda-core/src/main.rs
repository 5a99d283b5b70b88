//! saxpy with cuda-core: prints the nanoseconds until its first launch is enqueued.

use cuda_core::{Context, DeviceBuffer, launch_kernel_on_stream};
use std::time::Instant;

const KERNELS: &str = include_str!("../../../kernels/kernels.ptx");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let context = Context::new(0)?;
    let stream = context.new_stream()?;
    let saxpy = context.load_module_from_ptx_src(KERNELS)?.load_function("saxpy")?;
    let mut y = vec![1.0_f32; 256];
    let x_dev = DeviceBuffer::from_host(&stream, &[2.0_f32; 256])?;
    let y_dev = DeviceBuffer::from_host(&stream, &y)?;
    let (mut n, mut a) = (256_u32, 2.0_f32);
    let (mut x, mut y_address) = (x_dev.cu_deviceptr(), y_dev.cu_deviceptr());
    let mut arguments =
        [(&raw mut n).cast(), (&raw mut a).cast(), (&raw mut x).cast(), (&raw mut y_address).cast()];
    // SAFETY: the kernel gets its parameters and stays inside of its buffers, which live until it is waited for.
    unsafe {
        launch_kernel_on_stream(&saxpy, (1, 1, 1), (256, 1, 1), 0, &stream, &mut arguments)?;
    }
    let launched = start.elapsed();
    y_dev.copy_to_host(&stream, &mut y)?;
    assert!(y.iter().all(|&y| y == 5.0));
    println!("{}", launched.as_nanos());
    Ok(())
}
