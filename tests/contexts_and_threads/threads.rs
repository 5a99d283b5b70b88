//! Threads: each has a stack of its own, and they share contexts and handles.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::fewer;
use crate::common::foreign::current;
use crate::common::gpu::{kernel, new_context, new_context_on};
use crate::common::kernels::STORE;
use cuscope::{
    Context, ContextFlags, ContextStack, Device, LaunchConfig, PushedGuard, Result,
    detached::Branded,
};
use std::sync::{Arc, Barrier, mpsc};
use std::thread;

const THREADS: usize = fewer(8, 3);

/// Pushes, works and pops many times; every result is checked.
fn churn(context: &Context, other: &Context, rounds: u32, id: u32) -> Result<()> {
    let mut stack = ContextStack::current_thread()?;
    for round in 0..rounds {
        let mut outer = stack.push(context)?;
        let stream = outer.stream()?;
        let mut buffer = outer.alloc::<u32>(64)?;
        let value = id * 10_000 + round;
        outer.on(&stream).fill(&mut buffer, value)?;
        if round % 3 == 0 {
            let inner = outer.push(other)?;
            let _event = inner.event()?;
            inner.pop()?;
        }
        if round % 5 == 0 {
            std::mem::forget(outer.push(other)?); // popped below
        }
        let mut host = [0; 64];
        outer.on(&stream).download(&buffer, &mut host)?;
        assert_eq!(host, [value; 64]);
        drop(buffer);
        outer.pop()?;
    }
    Ok(())
}

fn run(contexts: Vec<(Context, Context)>) {
    let start = Arc::new(Barrier::new(contexts.len()));
    let threads: Vec<_> = (1..)
        .zip(contexts)
        .map(|(id, (own, other))| {
            let start = start.clone();
            thread::spawn(move || {
                start.wait();
                churn(&own, &other, fewer(40, 6) as u32, id).unwrap();
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn eight_threads_push_the_same_context() {
    let device = Device::get(0).unwrap();
    let (a, b) = (new_context_on(device), new_context_on(device));
    run(vec![(a, b); THREADS]);
}

#[test]
fn eight_threads_push_different_contexts() {
    let devices = Device::all().unwrap();
    let contexts: Vec<_> =
        (0..THREADS).map(|i| new_context_on(devices[i % devices.len()])).collect();
    run((0..THREADS).map(|i| (contexts[i].clone(), contexts[(i + 1) % THREADS].clone())).collect());
}

/// F91: contexts are made, used and destroyed on all threads at once.
#[test]
fn eight_threads_churn_contexts() {
    let device = Device::get(0).unwrap();
    let shared = new_context_on(device);
    let churn = || -> Result<()> {
        let mut stack = ContextStack::current_thread()?;
        for _ in 0..fewer(4, 1) {
            let own = Context::create(device, ContextFlags::default())?;
            let primary = Context::primary(device)?;
            let mut outer = stack.push(&shared)?;
            let mut middle = outer.push(&own)?;
            let (stream, mut buffer) = (middle.stream()?, middle.alloc::<u32>(256)?);
            middle.on(&stream).fill(&mut buffer, 3)?;
            middle.push(&primary)?.synchronize()?;
            let rest = (stream, buffer).detach();
            drop(middle);
            let own = own.try_destroy().expect_err("the handles hold it");
            drop(rest);
            own.try_destroy().expect("nothing holds it")?;
            outer.synchronize()?;
        }
        Ok(())
    };
    thread::scope(|s| {
        let threads: Vec<_> = (0..THREADS).map(|_| s.spawn(churn)).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
    });
    shared.try_destroy().expect("nothing holds it").unwrap();
}

#[test]
fn a_new_thread_starts_with_an_empty_stack() {
    let a = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let _gpu = stack.push(&a).unwrap();
    thread::spawn(|| {
        assert!(current().is_null());
        drop(ContextStack::current_thread().unwrap());
    })
    .join()
    .unwrap();
}

#[test]
fn handles_move_between_threads_detached() {
    let a = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&a).unwrap();
    let stream = gpu.stream().unwrap();
    let mut buffer = gpu.alloc::<u32>(4).unwrap();
    gpu.on(&stream).fill(&mut buffer, 5).unwrap();
    let function = kernel(&gpu, STORE, "store");
    let handles = ((stream, buffer).detach(), function.detach());
    let there = a.clone();
    let (pair, function) = thread::spawn(move || -> Result<_> {
        let (pair, function) = handles;
        let mut stack = ContextStack::current_thread()?;
        let gpu = stack.push(&there)?;
        let (stream, mut buffer) = gpu.attach(pair)?;
        let store = gpu.bind(&function)?;
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe {
            gpu.on(&stream).launch_unchecked(store, LaunchConfig::new(1, 1), (&mut buffer, 9_u32))
        }?;
        Ok(((stream, buffer).detach(), function))
    })
    .join()
    .unwrap()
    .unwrap();
    let (stream, buffer) = gpu.attach(pair).unwrap();
    let mut host = [0; 4];
    gpu.on(&stream).download(&buffer, &mut host).unwrap();
    assert_eq!(host, [9, 5, 5, 5]);
    // Dropped on a thread that never saw the driver.
    let rest = ((stream, buffer).detach(), function);
    thread::spawn(move || drop(rest)).join().unwrap();
    gpu.pop().unwrap();
    a.try_destroy().expect("nothing holds it").unwrap();
}

#[test]
fn a_thread_that_ends_with_a_leaked_guard_keeps_the_context_alive() {
    let a = new_context();
    let there = a.clone();
    thread::spawn(move || {
        let mut stack = ContextStack::current_thread().unwrap();
        std::mem::forget(stack.push(&there).unwrap());
        std::mem::forget(stack);
    })
    .join()
    .unwrap();
    let a = a.try_destroy().expect_err("the leaked guard holds it");
    let mut stack = ContextStack::current_thread().unwrap();
    stack.push(&a).unwrap().synchronize().unwrap();
}

/// A context ends on whichever thread its last owner does: what another one leaked is seen there.
#[test]
fn a_context_that_was_leaked_on_another_thread_is_not_ended() {
    let raw_and_depth = |depth: usize| {
        let device = Device::get(0).unwrap();
        let context = new_context_on(device);
        let raw = context.raw().addr();
        let (leaked, seen) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let there = context.clone();
        let thread = std::thread::spawn(move || {
            fn nest(mut gpu: PushedGuard<'_>, context: &Context, left: usize) {
                if left > 1 {
                    nest(gpu.push(context).unwrap(), context, left - 1);
                }
                std::mem::forget(gpu);
            }
            let other = new_context_on(device);
            let mut stack = ContextStack::current_thread().unwrap();
            nest(stack.push(if depth == 1 { &there } else { &other }).unwrap(), &there, depth);
            drop(there);
            leaked.send(()).unwrap();
            ended.recv().unwrap();
            // Settles them: what was on the stack is alive.
            let gpu = stack.push(&other).unwrap();
            gpu.synchronize().unwrap();
            gpu.pop().unwrap();
        });
        seen.recv().unwrap();
        let context = context.try_destroy().expect_err("it is on the stack of the other thread");
        assert_eq!(context.raw().addr(), raw);
        context.id().expect("it is alive");
        drop(context);
        end.send(()).unwrap();
        thread.join().unwrap();
    };
    raw_and_depth(1);
    raw_and_depth(3);
    raw_and_depth(40); // deeper than what is kept in place
}
