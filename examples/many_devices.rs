//! One thread drives every device: a context each, pushed in turn. `cargo run --example many_devices`
#![forbid(unsafe_code)]

use cuscope::kernel::GuardedKernel;
use cuscope::{
    Context, ContextStack, Detached, Device, DeviceBuffer, In, LaunchConfig, Out, Result, Stream,
    driver_kind, driver_version,
};

cuscope::handles! {
    /// What a device keeps from round to round. Under a guard the lifetime is the guard's; kept, it is
    /// a `Detached<Handles<'static>>`, which a `Vec` can hold.
    struct Handles<'ctx> {
        stream: Stream<'ctx>,
        x: DeviceBuffer<'ctx, f32>,
        y: DeviceBuffer<'ctx, f32>,
    }
}

/// A device's share of the work.
struct Share {
    context: Context,
    saxpy: GuardedKernel<(u32, f32, In<f32>, Out<f32>)>,
    handles: Detached<Handles<'static>>,
}

impl Share {
    /// Loads the kernel and one part of `x` and `y` onto a device.
    fn new(stack: &mut ContextStack, device: Device, x: &[f32], y: &[f32]) -> Result<Share> {
        let context = Context::primary(device)?;
        let gpu = stack.push(&context)?;
        let stream = gpu.stream()?;
        let saxpy = gpu.load_guarded(include_str!("kernels/saxpy.ptx"))?.kernel("saxpy")?;
        let (mut x_dev, mut y_dev) = (gpu.alloc(x.len())?, gpu.alloc(y.len())?);
        gpu.on(&stream).upload(x, &mut x_dev)?;
        gpu.on(&stream).upload(y, &mut y_dev)?;
        let handles = Handles { stream, x: x_dev, y: y_dev }.detach();
        gpu.pop()?;
        Ok(Share { context, saxpy, handles })
    }

    /// One round on this device: y = a * x + y.
    fn saxpy(&mut self, stack: &mut ContextStack, a: f32) -> Result {
        let gpu = stack.push(&self.context)?; // this device's turn, until `gpu` is popped or dropped
        let Handles { stream, x, y } = gpu.bind_mut(&mut self.handles)?;
        let n = u32::try_from(x.len()).expect("a share fits a grid");
        let config = LaunchConfig::for_num_elems(n as usize)?;
        gpu.on(stream).launch(&self.saxpy, config, (n, a, &*x, y))?;
        gpu.pop()
    }

    /// Brings the result back.
    fn download(&self, stack: &mut ContextStack, y: &mut [f32]) -> Result {
        let gpu = stack.push(&self.context)?;
        let handles = gpu.bind(&self.handles)?; // shared: nothing is written
        gpu.on(&handles.stream).download(&handles.y, y)?;
        gpu.pop()
    }
}

fn main() -> Result {
    let devices = Device::all()?;
    println!("driver: {} (CUDA {}), {} device(s)", driver_kind(), driver_version()?, devices.len());
    let x: Vec<f32> = (0..100_003_u32).map(|i| i as f32).collect();
    let mut y = vec![1.0_f32; x.len()];
    let part = x.len().div_ceil(devices.len());

    let mut stack = ContextStack::current_thread()?;
    let shares = devices.iter().zip(x.chunks(part).zip(y.chunks(part)));
    let mut shares: Vec<Share> = shares
        .map(|(&device, (x, y))| Share::new(&mut stack, device, x, y))
        .collect::<Result<_>>()?;

    for a in [1.0, 2.0, 3.0] {
        for share in &mut shares {
            share.saxpy(&mut stack, a)?; // a call that fails pops what it pushed, too
        }
    }
    for (share, y) in shares.iter().zip(y.chunks_mut(part)) {
        share.download(&mut stack, y)?;
    }
    assert!(cuscope::current_context()?.is_none(), "every turn is over");

    let wrong = y.iter().zip(&x).filter(|&(&y, &x)| y != 6.0 * x + 1.0).count();
    println!("three rounds on each device: {}", if wrong == 0 { "right" } else { "WRONG" });
    assert_eq!(wrong, 0, "{wrong} of {} elements are wrong", y.len());
    Ok(())
}
