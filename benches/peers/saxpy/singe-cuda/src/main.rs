//! saxpy with singe-cuda: prints the nanoseconds until its first launch is enqueued.

use singe_cuda::context::Context;
use singe_cuda::device::{Device, DeviceId};
use singe_cuda::dim::Dim3;
use singe_cuda::memory::DeviceMemory;
use singe_cuda::module::{LaunchConfig, ModuleImage};
use singe_cuda::stream::StreamFlags;
use std::time::Instant;

/// As a C string, which it wants.
const KERNELS: &str = concat!(include_str!("../../../kernels/kernels.ptx"), "\0");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let context = Context::retain_primary_for_device(Device::new(DeviceId::from(0)))?;
    let stream = context.create_stream_with_flags(StreamFlags::NON_BLOCKING)?;
    let module = context.load_module(&ModuleImage::new(KERNELS.as_bytes()))?;
    let saxpy = module.function("saxpy")?;
    let mut y = vec![1.0_f32; 256];
    let x_dev = DeviceMemory::from_slice(&[2.0_f32; 256])?;
    let y_dev = DeviceMemory::from_slice(&y)?;
    let config = LaunchConfig::new(Dim3::new(1, 1, 1), Dim3::new(256, 1, 1), 0)?;
    let arguments = (&256_u32, &2.0_f32, &x_dev.as_device_ptr(), &y_dev.as_device_ptr());
    saxpy.launch_on(&config, arguments, &stream)?;
    let launched = start.elapsed();
    stream.synchronize()?;
    y_dev.copy_to_host(&mut y)?;
    assert!(y.iter().all(|&y| y == 5.0));
    println!("{}", launched.as_nanos());
    Ok(())
}
