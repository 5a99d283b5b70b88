//! Runs a kernel that was compiled when this program was.

use cuscope::{
    Context, ContextFlags, ContextStack, Device, LaunchConfig, Result, driver_kind, driver_version,
};

/// The PTX that the build script made.
const SAXPY: &str = include_str!(concat!(env!("OUT_DIR"), "/saxpy.ptx"));

fn main() -> Result {
    let device = Device::get(0)?;
    println!("driver: {} (CUDA {}), {}", driver_kind(), driver_version()?, device.name()?);
    let context = Context::create(device, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let stream = gpu.stream()?;
    let saxpy = gpu.load_ptx(SAXPY)?.function("saxpy")?;

    let n = 1000_u32;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let mut y = vec![1.0_f32; x.len()];
    let mut x_dev = gpu.alloc(x.len())?;
    let mut y_dev = gpu.alloc(y.len())?;
    gpu.on(&stream).upload(&x, &mut x_dev)?;
    gpu.on(&stream).upload(&y, &mut y_dev)?;
    let config = LaunchConfig::for_num_elems(n as usize)?;
    // SAFETY: the kernel's parameters are (unsigned n, float a, const float *x, float *y); it reads
    // `n` elements of `x` and writes `n` of `y`, and both buffers have `n`.
    unsafe { gpu.on(&stream).launch_unchecked(&saxpy, config, (n, 2.0_f32, &x_dev, &mut y_dev)) }?;
    gpu.on(&stream).download(&y_dev, &mut y)?;

    let wrong = y.iter().zip(&x).filter(|&(&y, &x)| y != 2.0 * x + 1.0).count();
    println!("saxpy of {n} elements: {}", if wrong == 0 { "right" } else { "WRONG" });
    assert_eq!(wrong, 0, "{wrong} of {n} elements are wrong");
    Ok(())
}
