//! saxpy with oxicuda: prints the nanoseconds until its first launch is enqueued.

use oxicuda_driver::context::Context;
use oxicuda_driver::device::Device;
use oxicuda_driver::module::Module;
use oxicuda_driver::stream::Stream;
use oxicuda_launch::{Kernel, LaunchParams};
use oxicuda_memory::DeviceBuffer;
use std::sync::Arc;
use std::time::Instant;

const KERNELS: &str = include_str!("../../../kernels/kernels.ptx");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    oxicuda_driver::init()?;
    let context = Arc::new(Context::new(&Device::get(0)?)?);
    let stream = Stream::new(&context)?;
    let saxpy = Kernel::from_module(Arc::new(Module::from_ptx(KERNELS)?), "saxpy")?;
    let mut y = vec![1.0_f32; 256];
    let x_dev = DeviceBuffer::from_host(&[2.0_f32; 256])?;
    let y_dev = DeviceBuffer::from_host(&y)?;
    let arguments = (256_u32, 2.0_f32, x_dev.as_device_ptr(), y_dev.as_device_ptr());
    saxpy.launch(&LaunchParams::new(1_u32, 256_u32), &stream, &arguments)?;
    let launched = start.elapsed();
    stream.synchronize()?;
    y_dev.copy_to_host(&mut y)?;
    assert!(y.iter().all(|&y| y == 5.0));
    println!("{}", launched.as_nanos());
    Ok(())
}
