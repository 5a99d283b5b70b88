//! What an operation costs in instructions and allocations, beside the same driver calls written by hand,
//! against a driver that does nothing. `run.sh` counts, and holds the table in `docs/cost.md` to it.
//!
//! `count N`: every operation once and `N` times, in functions that callgrind sees, and a line for each: operation,
//! side, how often, allocations. `guarded N`, in a build with the feature `guard`: the same of launches of guarded kernels.
//! `page COUNTS PAGE check|try|update|print`: see `page.rs`.
#![allow(unsafe_code, reason = "calls the driver")]

mod allocations;
#[macro_use]
mod operations;
#[cfg(feature = "guard")]
mod guarded;
#[cfg(not(feature = "guard"))]
mod guarded {
    pub(crate) const OPERATIONS: &[(&str, &str)] = &[];
    pub(crate) const BESIDE: &[(&str, &str, i64)] = &[];
}
mod page;

use cuscope::{
    Context, ContextFlags, ContextStack, Device, PinnedBuffer, Result, detached::Branded,
    ordered::OrderedOptions,
};
use operations::{CONFIG, Driven, LEN, ON_THE_STACK, OPERATIONS, Ours, Raw, on_the_stack, run};
use std::ffi::c_void;
use std::ptr;

fn main() -> Result {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *words {
        ["count", n] => count(n.parse().expect("how many")),
        #[cfg(feature = "guard")]
        ["guarded", n] => count_guarded(n.parse().expect("how many")),
        ["page", counts, page, what] => page::main(counts, page, what),
        _ => panic!("count, guarded or page: see run.sh"),
    }
}

/// Once so that what is made at the first time is there, then `n` times.
fn each(n: u64, name: &str, mut work: impl FnMut(bool, u64)) {
    for (side, by_hand) in [("raw", true), ("ours", false)] {
        work(by_hand, 1);
        let allocations = allocations::during(|| work(by_hand, n));
        println!("{name} {side} {n} {allocations}");
    }
}

fn count(n: u64) -> Result {
    let device = Device::get(0)?;
    let mut stack = ContextStack::current_thread()?;
    let driven = [driven(device, &mut stack)?, driven(device, &mut stack)?];
    let something = || ptr::without_provenance_mut::<c_void>(0x100);
    let raw_driven =
        [0, 1].map(|at: usize| (driven[at].0.raw(), something().cast(), something().cast()));
    for &(name, _) in ON_THE_STACK {
        each(n, name, |by_hand, n| {
            on_the_stack(name, by_hand, n, &raw_driven, (&mut stack, &driven));
        });
    }

    let context = Context::create(device, ContextFlags::default())?;
    let gpu = stack.push(&context)?;
    let (stream, event) = (gpu.stream()?, gpu.event()?);
    let module = gpu.load_ptx(include_str!("../../../examples/kernels/saxpy.ptx"))?;
    let (function, kernel) = (module.function("saxpy")?, module.kernel("saxpy")?);
    let len = LEN as usize;
    let x = gpu.alloc::<f32>(len)?;
    let (mut y, mut held) = (gpu.alloc::<f32>(len)?, gpu.alloc::<f32>(len)?);
    let host: PinnedBuffer<f32> = gpu.pinned(len)?;
    let (mut into, mut staged) = (gpu.pinned::<f32>(len)?, gpu.pinned::<f32>(len)?);
    let mut captured = gpu.stream()?;
    let mut graph_of = |buffer| {
        gpu.capture(&mut captured, |c| {
            let mut held = c.hold(buffer);
            c.stream().fill(&mut held, 1.0)
        })
    };
    let (graph, held_graph) = (graph_of(&mut y)?, graph_of(&mut held)?);
    let mut of_nodes = gpu.alloc::<f32>(len)?;
    let (mut built, (filled, launched)) = gpu.build_graph(|g| {
        let mut y = g.hold(&mut of_nodes);
        let filled = g.fill(&[], &mut y, 1.0)?;
        // SAFETY: nothing runs it.
        let launched =
            unsafe { g.kernel_unchecked(&[], &function, CONFIG(), (LEN, 2.0_f32, &x, &mut y)) }?;
        Ok((filled, launched))
    })?;
    let ordered = gpu.ordered_stream()?;
    let options = OrderedOptions::new().keep(0).staging(0);
    let bare = gpu.ordered_stream_with(gpu.stream()?, &options)?;
    let shared = bare.alloc::<f32>(len)?.share();
    let own = ordered.alloc::<f32>(len)?;
    let raw = Raw {
        stream: stream.raw(),
        event: event.raw(),
        function: function.raw(),
        x: x.address(),
        y: y.address(),
        host: host.as_ptr().cast_mut().cast(),
        exec: something().cast(),
        node: something().cast(),
        context: something().cast(),
    };
    gpu.scope(|s| {
        let mut ours = Ours {
            gpu: &gpu,
            stream: &stream,
            on: gpu.on(&stream),
            event: &event,
            function: &function,
            kernel: &kernel,
            x: &x,
            y: &mut y,
            host: &host,
            into: &mut into,
            graph: &graph,
            built: &mut built,
            filled,
            launched,
            scoped: s.on(&stream),
            held: s.hold(&mut held),
            staged: s.stage(&mut staged),
            held_graph: &held_graph,
            ordered: &ordered,
            bare: &bare,
            own: Some(own),
            shared: &shared,
        };
        for &(name, _) in OPERATIONS {
            each(n, name, |by_hand, n| run(name, by_hand, n, &raw, &mut ours));
        }
        Ok(())
    })
}

#[cfg(feature = "guard")]
fn count_guarded(n: u64) -> Result {
    let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let (stream, event) = (gpu.stream()?, gpu.event()?);
    let text = include_str!("../../../examples/kernels/saxpy.ptx");
    let (plain, module) = (gpu.load_ptx(text)?, gpu.load_guarded(text)?);
    let (function, kernel) = (plain.function("saxpy")?, module.kernel("saxpy")?);
    let len = LEN as usize;
    let x = gpu.alloc::<f32>(len)?;
    let (mut y, mut held) = (gpu.alloc::<f32>(len)?, gpu.alloc::<f32>(len)?);
    let ordered = gpu.ordered_stream()?;
    let shared = ordered.alloc::<f32>(len)?.share();
    let raw = Raw {
        stream: stream.raw(),
        event: event.raw(),
        function: function.raw(),
        x: x.address(),
        y: y.address(),
        host: ptr::null_mut(),
        exec: ptr::null_mut(),
        node: ptr::null_mut(),
        context: ptr::null_mut(),
    };
    gpu.scope(|s| {
        let mut ours = guarded::Ours {
            on: gpu.on(&stream),
            scoped: s.on(&stream),
            ordered: &ordered,
            kernel: &kernel,
            x: &x,
            y: &mut y,
            held: s.hold(&mut held),
            shared: &shared,
        };
        for &(name, _) in guarded::OPERATIONS {
            each(n, name, |by_hand, n| guarded::run(name, by_hand, n, &raw, &mut ours));
        }
        Ok(())
    })
}

fn driven(device: Device, stack: &mut ContextStack) -> Result<Driven> {
    let context = Context::create(device, ContextFlags::default())?;
    let gpu = stack.push(&context)?;
    let handles = (gpu.stream()?, gpu.event()?).detach();
    gpu.pop()?;
    Ok((context, handles))
}
