//! saxpy with cust: prints the nanoseconds until its first launch is enqueued.

use cust::launch;
use cust::memory::{AsyncCopyDestination, DeviceBuffer};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use std::time::Instant;

const KERNELS: &str = include_str!("../../../kernels/kernels.ptx");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let _context = cust::quick_init()?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let module = Module::from_ptx(KERNELS, &[])?;
    let saxpy = module.get_function("saxpy")?;
    let mut y = vec![1.0_f32; 256];
    let x_dev = DeviceBuffer::from_slice(&[2.0_f32; 256])?;
    let y_dev = DeviceBuffer::from_slice(&y)?;
    // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y); the buffers have 256 elements, and
    // live until the stream was waited for.
    unsafe {
        launch!(saxpy<<<1, 256, 0, stream>>>(256_u32, 2.0_f32, x_dev.as_device_ptr(), y_dev.as_device_ptr()))?;
    }
    let launched = start.elapsed();
    // SAFETY: `y` lives, and nothing reads it, until the stream was waited for.
    unsafe { y_dev.async_copy_to(&mut y[..], &stream) }?;
    stream.synchronize()?;
    assert!(y.iter().all(|&y| y == 5.0));
    println!("{}", launched.as_nanos());
    Ok(())
}
