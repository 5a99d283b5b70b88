//! The example `pipeline` in small, and a trace of it that <https://ui.perfetto.dev> and `chrome://tracing` show: what
//! each thread called, and when each stream worked. `cargo run -p cuscope-examples --bin trace -- trace.json`
#![forbid(unsafe_code)]

use cuscope::kernel::GuardedKernel;
use cuscope::{
    Context, ContextFlags, ContextStack, Device, In, LaunchConfig, Out, PinnedBuffer, PushedGuard,
    Result, ScopedBuffer, ScopedStream, driver_kind,
};
use cuscope_examples::{DeviceTrace, Trace};
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::thread;

const BATCHES: usize = 9;

type Iterate = GuardedKernel<(u32, u32, In<f32>, Out<f32>)>;

/// A stream, and its memory for one batch at a time.
struct Lane<'s, 'ctx> {
    stream: ScopedStream<'s, 'ctx>,
    x: ScopedBuffer<'s, f32>,
    y: ScopedBuffer<'s, f32>,
}

impl<'s, 'ctx> Lane<'s, 'ctx> {
    /// A batch: in, through the kernel, and out. Each is a piece of work in the trace.
    fn batch(
        &mut self,
        device: &DeviceTrace<'_, '_, 'ctx>,
        (iterate, steps): (&Iterate, u32),
        number: usize,
        (input, output): (&'s [f32], &'s mut [f32]),
    ) -> Result {
        let Lane { stream, x, y } = self;
        let (config, len) = (LaunchConfig::for_num_elems(x.len())?, x.len() as u32);
        device.work(stream, format!("upload {number}"), || stream.upload(input, x))?;
        device.work(stream, format!("kernel {number}"), || {
            stream.launch(iterate, config, (len, steps, &*x, &mut *y))
        })?;
        device.work(stream, format!("download {number}"), || stream.download(&*y, output))
    }
}

/// Runs all batches on three streams.
fn pipeline<'ctx>(
    trace: &Trace,
    gpu: &PushedGuard<'ctx>,
    kernel: (&Iterate, u32),
    inputs: &[PinnedBuffer<f32>],
    outputs: &mut [PinnedBuffer<f32>],
) -> Result {
    let device = trace.device(gpu)?;
    let streams = [gpu.stream()?, gpu.stream()?, gpu.stream()?];
    gpu.scope(|s| {
        let len = inputs[0].len();
        let lane = |stream| {
            let stream = s.on(stream);
            Ok(Lane { stream, x: stream.scratch(len)?, y: stream.scratch(len)? })
        };
        let mut lanes = streams.iter().map(lane).collect::<Result<Vec<_>>>()?;
        for (number, batch) in inputs.iter().zip(outputs).enumerate() {
            let lane = &mut lanes[number % streams.len()];
            lane.batch(&device, kernel, number, (batch.0, batch.1))?;
        }
        trace.call("wait", || lanes.iter().try_for_each(|lane| lane.stream.synchronize()))
    })?;
    device.finish()
}

fn run(trace: &Trace) -> Result {
    let create = || Context::create(Device::get(0)?, ContextFlags::default());
    let context = trace.call("create the context", create)?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    // Long enough to see: some 30 ms a batch of an interpreter, or half a millisecond of a GPU and as much of its bus.
    let (len, steps) = if driver_kind() == "software" { (256, 300) } else { (4 << 20, 3_000) };

    let batches = || (0..BATCHES).map(|_| gpu.pinned::<f32>(len)).collect::<Result<Vec<_>>>();
    let mut inputs = trace.call("allocate the inputs", batches)?;
    let mut outputs = trace.call("allocate the outputs", batches)?;
    // Another thread fills the inputs, while this one loads the kernel.
    let fill = || {
        for (batch, input) in inputs.iter_mut().enumerate() {
            trace.call(format!("fill {batch}"), || input.fill(batch as f32));
        }
    };
    let iterate = thread::scope(|threads| {
        let filler = thread::Builder::new().name("filler".into());
        filler.spawn_scoped(threads, || trace.call("fill the inputs", fill)).expect("a thread");
        let ptx = include_str!("../../../kernels/iterate.ptx");
        trace.call("load the kernel", || gpu.load_guarded(ptx)?.kernel("iterate"))
    })?;

    trace.call("run the batches", || {
        pipeline(trace, &gpu, (&iterate, steps), &inputs, &mut outputs)
    })?;
    for (batch, output) in outputs.iter().enumerate() {
        let expected = (0..steps).fold(batch as f32, |y, _| y.mul_add(0.5, 1.0));
        assert!(output.iter().all(|&y| y == expected), "batch {batch} is not {expected}");
    }
    Ok(())
}

/// Runs the program under a trace, and writes that.
pub(crate) fn traced(out: impl Write) -> Result<(), Box<dyn Error>> {
    let trace = Trace::new();
    trace.call("main", || run(&trace))?;
    Ok(trace.write(out)?)
}

#[allow(dead_code, reason = "a test takes `traced` alone")]
fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: trace FILE")?;
    let mut file = BufWriter::new(File::create(&path)?);
    traced(&mut file)?;
    file.flush()?;
    println!("{BATCHES} batches: {}", path.display());
    Ok(())
}
