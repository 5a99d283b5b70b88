//! A context that floats: used on one thread, popped, sent to another, pushed there.
//! `cargo run --example floating`
#![forbid(unsafe_code)]

use cuscope::kernel::GuardedKernel;
use cuscope::{
    Context, ContextFlags, ContextStack, Detached, Device, DeviceBuffer, In, LaunchConfig, Out,
    PushContext, Result, Stream, driver_kind, driver_version,
};
use std::sync::mpsc;
use std::thread;

const N: u32 = 1000;

cuscope::handles! {
    struct Handles<'ctx> {
        stream: Stream<'ctx>,
        x: DeviceBuffer<'ctx, f32>,
        y: DeviceBuffer<'ctx, f32>,
    }
}

/// What floats. A stack and its guards stay on their thread (sending one does not compile); a context, a kernel
/// and detached handles are tied to none.
struct Floating {
    context: Context,
    saxpy: GuardedKernel<(u32, f32, In<f32>, Out<f32>)>,
    handles: Detached<Handles<'static>>,
}

impl Floating {
    fn new(stack: &mut impl PushContext) -> Result<Floating> {
        let context = Context::create(Device::get(0)?, ContextFlags::default())?;
        let gpu = stack.push(&context)?;
        let stream = gpu.stream()?;
        let saxpy = gpu.load_guarded(include_str!("kernels/saxpy.ptx"))?.kernel("saxpy")?;
        let (mut x, mut y) = (gpu.alloc(N as usize)?, gpu.alloc(N as usize)?);
        gpu.on(&stream).fill(&mut x, 1.0)?;
        gpu.on(&stream).zero(&mut y)?;
        let handles = Handles { stream, x, y }.detach();
        gpu.pop()?; // now current on no thread
        Ok(Floating { context, saxpy, handles })
    }

    /// y = a * x + y, on whichever thread this is called.
    fn step(&mut self, stack: &mut impl PushContext, a: f32) -> Result {
        let gpu = stack.push(&self.context)?;
        let Handles { stream, x, y } = gpu.bind_mut(&mut self.handles)?;
        let config = LaunchConfig::for_num_elems(N as usize)?;
        gpu.on(stream).launch(&self.saxpy, config, (N, a, &*x, y))?;
        gpu.pop()
    }
}

fn main() -> Result {
    println!("driver: {} (CUDA {}), {}", driver_kind(), driver_version()?, Device::get(0)?.name()?);
    let mut stack = ContextStack::current_thread()?;
    let mut floating = Floating::new(&mut stack)?;

    // There and back: whoever has it holds the only one, so no two threads are in it at once.
    let (there, arrivals) = mpsc::channel::<Floating>();
    let (back, returns) = mpsc::channel();
    let other = thread::spawn(move || -> Result {
        let mut stack = ContextStack::current_thread()?; // this thread's own
        for mut floating in arrivals {
            floating.step(&mut stack, 100.0)?;
            if back.send(floating).is_err() {
                break; // nobody waits for it: it is dropped here, which any thread may do
            }
        }
        Ok(())
    });
    for _ in 0..5 {
        floating.step(&mut stack, 1.0)?;
        there.send(floating).expect("the other thread runs");
        floating = returns.recv().expect("the other thread gives it back");
    }
    drop(there); // ends the other thread's loop
    other.join().expect("the other thread does not panic")?;

    // Home again: the handles become ordinary ones of this thread's guard.
    let Floating { context, saxpy, handles } = floating;
    let gpu = stack.push(&context)?;
    let Handles { stream, y, .. } = gpu.attach(handles)?;
    let mut host = vec![0.0_f32; N as usize];
    gpu.on(&stream).download(&y, &mut host)?;
    drop((stream, y, saxpy));
    gpu.pop()?;
    context.try_destroy().expect("nothing holds the context any more")?;

    let right = host.iter().all(|&y| y == 505.0);
    println!("ten steps on two threads: {}", if right { "right" } else { "WRONG" });
    assert!(right);
    Ok(())
}
