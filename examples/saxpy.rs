//! y = a * x + y on the device: the whole path, checked. `cargo run --example saxpy`
#![forbid(unsafe_code)]

use cuscope::{
    Context, ContextFlags, ContextStack, Device, LaunchConfig, Result, driver_kind, driver_version,
};

fn main() -> Result {
    let device = Device::get(0)?;
    println!("driver: {} (CUDA {}), {}", driver_kind(), driver_version()?, device.name()?);

    let context = Context::create(device, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;

    let n = 10_000_u32;
    let a = 2.0_f32;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let mut y = vec![1.0_f32; x.len()];

    let stream = gpu.stream()?;
    let module = gpu.load_guarded(include_str!("kernels/saxpy.ptx"))?;
    let saxpy = module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy")?;
    let mut x_dev = gpu.alloc(x.len())?;
    let mut y_dev = gpu.alloc(y.len())?;
    gpu.on(&stream).upload(&x, &mut x_dev)?;
    gpu.on(&stream).upload(&y, &mut y_dev)?;

    let config = LaunchConfig::for_num_elems(n as usize)?;
    gpu.on(&stream).launch(&saxpy, config, (n, a, &x_dev, &mut y_dev))?;

    gpu.on(&stream).download(&y_dev, &mut y)?;
    gpu.pop()?;

    let wrong = y.iter().zip(&x).filter(|&(&y, &x)| y != a * x + 1.0).count();
    println!("saxpy of {n} elements: {}", if wrong == 0 { "right" } else { "WRONG" });
    assert_eq!(wrong, 0, "{wrong} of {n} elements are wrong");
    Ok(())
}
