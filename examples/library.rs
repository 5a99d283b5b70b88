//! A library that keeps a context of its own and leaves its caller's alone.
//! `cargo run --example library`
#![forbid(unsafe_code)]

use cuscope::{Context, ContextFlags, ContextStack, Device, Result, driver_kind, driver_version};

/// The library. No function of it asks for the caller's context, and none keeps the stack: each
/// borrows a place on it, pushes there, and is off again when it returns, with `Ok` or with `Err`.
mod scaler {
    use cuscope::kernel::GuardedKernel;
    use cuscope::{
        Context, ContextFlags, Detached, Device, DeviceBuffer, In, LaunchConfig, Out, PushContext,
        Result, Stream,
    };

    cuscope::handles! {
        struct Handles<'ctx> {
            stream: Stream<'ctx>,
            input: DeviceBuffer<'ctx, f32>,
            output: DeviceBuffer<'ctx, f32>,
        }
    }

    /// Multiplies `len` numbers. It is `Send`: it may move to another thread between calls.
    pub(crate) struct Scaler {
        context: Context,
        saxpy: GuardedKernel<(u32, f32, In<f32>, Out<f32>)>,
        handles: Detached<Handles<'static>>,
    }

    impl Scaler {
        /// Makes the library's context, and in it what later calls need.
        pub(crate) fn new(
            stack: &mut impl PushContext,
            device: Device,
            len: usize,
        ) -> Result<Scaler> {
            let context = Context::create(device, ContextFlags::default())?;
            let gpu = stack.push(&context)?;
            let stream = gpu.stream()?;
            let saxpy = gpu.load_guarded(include_str!("kernels/saxpy.ptx"))?.kernel("saxpy")?;
            let (input, output) = (gpu.alloc(len)?, gpu.alloc(len)?);
            let handles = Handles { stream, input, output }.detach();
            gpu.pop()?;
            Ok(Scaler { context, saxpy, handles })
        }

        /// Multiplies the values, of which there must be as many as `new` was told.
        pub(crate) fn scale(
            &mut self,
            stack: &mut impl PushContext,
            factor: f32,
            values: &mut [f32],
        ) -> Result {
            let gpu = stack.push(&self.context)?;
            let Handles { stream, input, output } = gpu.bind_mut(&mut self.handles)?;
            let on = gpu.on(stream);
            on.upload(values, input)?; // refused for a wrong length: the guard pops on the way out
            on.zero(output)?;
            let n = u32::try_from(values.len()).expect("the values fit a grid");
            let arguments = (n, factor, &*input, &mut *output);
            on.launch(&self.saxpy, LaunchConfig::for_num_elems(n as usize)?, arguments)?;
            on.download(output, values)?;
            gpu.pop()
        }
    }
}

fn main() -> Result {
    let devices = Device::all()?;
    let (first, last) = (devices[0], devices[devices.len() - 1]);
    println!("driver: {} (CUDA {}), {} device(s)", driver_kind(), driver_version()?, devices.len());
    let mine = Context::create(first, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let mut values = vec![1.0_f32; 1000];

    // From a bare stack: nothing is current, before and after.
    let mut scaler = scaler::Scaler::new(&mut stack, last, values.len())?;
    scaler.scale(&mut stack, 2.0, &mut values)?;
    assert!(cuscope::current_context()?.is_none());

    // From a guard: it is covered during the call, and current again after it, with its handles.
    let mut gpu = stack.push(&mine)?;
    let stream = gpu.stream()?;
    scaler.scale(&mut gpu, 3.0, &mut values)?;
    assert!(mine.is_current()?);
    gpu.on(&stream).record(&gpu.event()?)?;

    // The same when the library fails.
    let refused = scaler.scale(&mut gpu, 5.0, &mut [0.0; 7]);
    println!("refused: {}", refused.expect_err("the scaler was made for 1000 values"));
    assert!(mine.is_current()?);

    // From code that has neither stack nor guard at hand.
    ContextStack::reentrant(|stack| scaler.scale(stack, 7.0, &mut values))?;
    assert!(mine.is_current()?);
    gpu.pop()?;

    let right = values.iter().all(|&v| v == 2.0 * 3.0 * 7.0);
    println!("three calls of the library: {}", if right { "right" } else { "WRONG" });
    assert!(right);
    Ok(())
}
