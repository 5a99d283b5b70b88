//! How many blocks of a kernel fit, and a launch with as many threads at a time as do. `cargo run --example occupancy`
#![allow(
    unsafe_code,
    reason = "trusts a kernel: the attributes of a guarded one are not asked for"
)]

use cuscope::{
    Context, ContextFlags, ContextStack, Device, LaunchConfig, Result, driver_kind, driver_version,
};

fn main() -> Result {
    let device = Device::get(0)?;
    println!("driver: {} (CUDA {}), {}", driver_kind(), driver_version()?, device.name()?);

    let context = Context::create(device, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let module = gpu.load_ptx(include_str!("kernels/saxpy.ptx"))?;
    let kernel = module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy")?;
    // SAFETY: thread i uses element i of `x` and `y`, and none if i is not less than `n`.
    let saxpy = unsafe { kernel.trust(|_, (n, _, x, y)| x.len().min(y.len()) >= *n as usize) };

    let occupancy = gpu.occupancy(saxpy.kernel().function());
    println!(
        "threads of a block | blocks on a multiprocessor, with 0, 16 and 48 KiB of shared memory"
    );
    for threads in [32, 64, 128, 256, 512, 1024] {
        let blocks = |kib: u32| occupancy.active_blocks(threads, kib << 10);
        println!("{threads:18} | {:2} {:2} {:2}", blocks(0)?, blocks(16)?, blocks(48)?);
    }
    let best = occupancy.block_size(0, None)?;
    println!(
        "most threads run in blocks of {}; {} blocks fill the device",
        best.threads, best.min_grid
    );
    // A tile of four numbers for each thread, in shared memory.
    let tiled = occupancy.block_size_with(|threads| threads * 16, None)?;
    println!("with 16 bytes of shared memory a thread, in blocks of {}", tiled.threads);
    let free = occupancy.available_shared_bytes(2, best.threads.min(512))?;
    println!("two blocks on a multiprocessor can have {free} bytes of shared memory each");

    let n = 100_000_u32;
    let config = LaunchConfig::by_occupancy(&gpu, saxpy.kernel().function(), n as usize, 0)?;
    println!("{n} elements: {} blocks of {} threads", config.grid.x, config.block.x);

    let stream = gpu.stream()?;
    let x = vec![3.0_f32; n as usize];
    let (mut x_dev, mut y_dev) = (gpu.alloc(x.len())?, gpu.alloc(x.len())?);
    gpu.on(&stream).upload(&x, &mut x_dev)?;
    gpu.on(&stream).fill(&mut y_dev, 1.0_f32)?;
    gpu.on(&stream).launch(&saxpy, config, (n, 2.0, &x_dev, &mut y_dev))?;
    let mut y = vec![0.0; x.len()];
    gpu.on(&stream).download(&y_dev, &mut y)?;
    gpu.pop()?;
    assert!(y.iter().all(|&y| y == 7.0), "every element has a thread");
    Ok(())
}
