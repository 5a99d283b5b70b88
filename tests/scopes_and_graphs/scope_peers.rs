//! Scopes over several contexts, on one device and on two: work in flight in all of them, ordered by the memory that it
//! uses.
#![allow(unsafe_code, reason = "launches kernels, and covers a context as foreign code does")]

use crate::common::foreign;
use crate::common::gpu::{downloaded, kernel, new_context, new_context_on, uploaded};
use crate::common::kernels::{MIX, STORE};
use crate::common::random::{config, fewer_on_a_gpu, scheduled};
use crate::{common, fresh, skip};
use cuscope::{
    Context, ContextStack, Device, DeviceBuffer, Error, Function, LaunchConfig, PushedGuard,
    Result, ScopedBuffer, ScopedStream, Stream, current_context, ffi,
};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use cuscope_softdriver::{control, schedule};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use std::slice::ChunksExactMut;

const LEN: usize = 8;
type Words = [u32; LEN];

/// Programs, unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 2_000;
/// Of each context.
const STREAMS: usize = 2;
const BUFFERS: usize = 3;
/// A context, and a stream or buffer there.
type Place = (usize, usize);

/// An operation. Its stream is one of the context of the memory that it writes, or that it downloads.
#[derive(Clone, Copy, Debug)]
enum Op {
    Fill(Place, u32),
    /// From one to another, in the same context or not. Not if they are the same.
    Copy(Place, Place),
    /// A kernel that reads one and writes the other, in a context.
    Mix(usize, usize, usize),
    Download(Place),
    /// Through scratch memory of the one context to memory of the other one.
    Through(Place, Place),
}

#[derive(Clone, Debug)]
struct Program {
    seed: u64,
    ops: Vec<(usize, Op)>,
}

fn program() -> impl Strategy<Value = Program> {
    let place = || (0..2_usize, 0..BUFFERS);
    let op = prop_oneof![
        2 => (place(), any::<u32>()).prop_map(|(to, value)| Op::Fill(to, value)),
        5 => (place(), place()).prop_map(|(from, to)| Op::Copy(from, to)),
        3 => (0..2_usize, 0..BUFFERS, 1..BUFFERS)
            .prop_map(|(context, to, by)| Op::Mix(context, to, (to + by) % BUFFERS)),
        2 => place().prop_map(Op::Download),
        2 => (place(), 0..BUFFERS).prop_map(|(from, to)| Op::Through(from, (1 - from.0, to))),
    ];
    let ops = prop::collection::vec((0..STREAMS, op), 1..24);
    (any::<u64>(), ops).prop_map(|(seed, ops)| Program { seed, ops })
}

/// The contents of memory, and the downloads.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    buffers: [[Words; BUFFERS]; 2],
    outputs: Vec<Words>,
}

/// Applies a program's operations one after the other.
fn model(program: &Program) -> Seen {
    let mut seen = start();
    for &(_, op) in &program.ops {
        let b = &mut seen.buffers;
        match op {
            Op::Fill((c, to), value) => b[c][to] = [value; LEN],
            Op::Copy(from, to) => b[to.0][to.1] = b[from.0][from.1],
            Op::Mix(c, to, from) => {
                let mixed = |k: usize| b[c][to][k].wrapping_mul(31).wrapping_add(b[c][from][k]);
                b[c][to] = std::array::from_fn(mixed);
            }
            Op::Download((c, from)) => seen.outputs.push(b[c][from]),
            Op::Through(from, to) => b[to.0][to.1] = b[from.0][from.1],
        }
    }
    seen
}

fn start() -> Seen {
    let words = |c, k| std::array::from_fn(|i| (100 * c + 10 * k + i) as u32);
    let buffers = std::array::from_fn(|c| std::array::from_fn(|k| words(c, k)));
    Seen { buffers, outputs: Vec::new() }
}

/// The objects that are made in a context.
struct Bench<'ctx> {
    streams: [Stream<'ctx>; STREAMS],
    buffers: [DeviceBuffer<'ctx, u32>; BUFFERS],
    mix: Function<'ctx>,
}

impl<'ctx> Bench<'ctx> {
    fn new(gpu: &PushedGuard<'ctx>) -> Self {
        let streams = std::array::from_fn(|_| gpu.stream().unwrap());
        let buffers = std::array::from_fn(|_| gpu.alloc(LEN).unwrap());
        Bench { streams, buffers, mix: kernel(gpu, MIX, "mix") }
    }
}

/// The part of a scope in one context.
struct Part<'s, 'ctx> {
    streams: [ScopedStream<'s, 'ctx>; STREAMS],
    held: [ScopedBuffer<'s, u32>; BUFFERS],
    mix: &'s Function<'ctx>,
}

impl<'s, 'ctx> Part<'s, 'ctx> {
    /// An operation within the context.
    fn step<'host: 's>(
        &mut self,
        stream: usize,
        op: Op,
        outputs: &mut ChunksExactMut<'host, u32>,
    ) -> Result {
        let (stream, held) = (self.streams[stream], &mut self.held);
        match op {
            Op::Fill((_, to), value) => stream.fill(&mut held[to], value),
            Op::Mix(_, to, from) => {
                let [to, from] = held.get_disjoint_mut([to, from]).unwrap();
                // SAFETY: the kernel is mix(u32 *out, const u32 *in) on `LEN` elements of each.
                unsafe {
                    stream.launch_unchecked(
                        self.mix,
                        LaunchConfig::new(1, LEN as u32),
                        (to, &*from),
                    )
                }
            }
            Op::Copy((_, from), (_, to)) if from == to => Ok(()),
            Op::Copy((_, from), (_, to)) => {
                let [from, to] = held.get_disjoint_mut([from, to]).unwrap();
                stream.copy(&*from, to)
            }
            Op::Download((_, from)) => stream.download(&held[from], outputs.next().unwrap()),
            Op::Through(..) => unreachable!("it goes to the other context"),
        }
    }

    /// An operation that goes from another context to this one.
    fn step_from(&mut self, stream: usize, op: Op, other: &Part<'s, '_>) -> Result {
        let (stream, held) = (self.streams[stream], &mut self.held);
        match op {
            Op::Copy((_, from), (_, to)) => stream.copy_from_peer(&other.held[from], &mut held[to]),
            Op::Through((_, from), (_, to)) => {
                let mut scratch = stream.scratch::<u32>(LEN)?;
                let (half, held) = (LEN / 2, &mut held[to]);
                stream.copy_from_peer(&other.held[from], &mut scratch)?;
                // A copy between contexts also copies within one: while another device is current, no other copy takes
                // memory of a pool.
                stream.copy_from_peer(&scratch, held)?;
                // Memory that is freed after the copies is used again at once.
                drop(scratch);
                stream.scratch::<u32>(half).map(drop)
            }
            _ => unreachable!("it is within a context"),
        }
    }
}

/// Runs a program in a scope of the second context, and tells what the host sees after it.
fn run<'ctx>(
    gpu: &PushedGuard<'ctx>,
    own: &mut Bench<'ctx>,
    peer: &mut Bench<'_>,
    program: &Program,
    host: &mut Vec<u32>,
) -> Seen {
    let mut seen = start();
    host.clear();
    host.resize(LEN * (program.ops.len() + 4 * BUFFERS), 0);
    let (first, rest) = host.split_at_mut(2 * BUFFERS * LEN);
    let (last, outputs) = rest.split_at_mut(2 * BUFFERS * LEN);
    first.copy_from_slice(seen.buffers.as_flattened().as_flattened());
    let (first, mut outputs) = (&*first, outputs.chunks_exact_mut(LEN));
    let mut count = 0;
    gpu.scope(|s| {
        let mut peer = Part {
            streams: std::array::from_fn(|i| s.on_peer(&peer.streams[i])),
            held: peer.buffers.each_mut().map(|buffer| s.hold_peer(buffer)),
            mix: &peer.mix,
        };
        let mut own = Part {
            streams: std::array::from_fn(|i| s.on(&own.streams[i])),
            held: own.buffers.each_mut().map(|buffer| s.hold(buffer)),
            mix: &own.mix,
        };
        let mut inputs = first.chunks_exact(LEN);
        for k in 0..BUFFERS {
            peer.streams[0].upload(inputs.next().unwrap(), &mut peer.held[k])?;
        }
        for k in 0..BUFFERS {
            own.streams[0].upload(inputs.next().unwrap(), &mut own.held[k])?;
        }
        for &(stream, op) in &program.ops {
            let (from, to) = match op {
                Op::Fill(to, _) | Op::Download(to) => (to.0, to.0),
                Op::Mix(context, ..) => (context, context),
                Op::Copy(from, to) | Op::Through(from, to) => (from.0, to.0),
            };
            count += usize::from(matches!(op, Op::Download(_)));
            match (from, to) {
                (0, 0) => peer.step(stream, op, &mut outputs)?,
                (1, 1) => own.step(stream, op, &mut outputs)?,
                (0, _) => own.step_from(stream, op, &peer)?,
                _ => peer.step_from(stream, op, &own)?,
            }
        }
        let mut last = last.chunks_exact_mut(LEN);
        for k in 0..BUFFERS {
            peer.streams[1].download(&peer.held[k], last.next().unwrap())?;
        }
        for k in 0..BUFFERS {
            own.streams[1].download(&own.held[k], last.next().unwrap())?;
        }
        Ok(())
    })
    .unwrap();
    // At once after the scope: what comes later would be missing.
    let words = |at: usize| host[at * LEN..(at + 1) * LEN].try_into().unwrap();
    for at in 0..2 * BUFFERS {
        seen.buffers[at / BUFFERS][at % BUFFERS] = words(2 * BUFFERS + at);
    }
    seen.outputs = (0..count).map(|at| words(4 * BUFFERS + at)).collect();
    seen
}

/// Two contexts on one device, and on two if there are so many.
fn pairs() -> [[Context; 2]; 2] {
    let last = *Device::all().unwrap().last().unwrap();
    [[new_context(), new_context()], [new_context(), new_context_on(last)]]
}

/// In many orders of the software driver, which is the process's.
#[test]
fn scopes_over_contexts_give_the_results_of_a_sequential_model_in_every_order() {
    fresh!(scopes_over_contexts_give_the_results_of_a_sequential_model_in_every_order, {
        for [first, second] in &pairs() {
            let mut stack = ContextStack::current_thread().unwrap();
            let mut outer = stack.push(first).unwrap();
            let peer = RefCell::new(Bench::new(&outer));
            let gpu = outer.push(second).unwrap();
            let (own, host) = (RefCell::new(Bench::new(&gpu)), RefCell::new(Vec::new()));
            let config = config(fewer_on_a_gpu(CASES), 7);
            TestRunner::new(config)
                .run(&program(), |program| {
                    scheduled(program.seed);
                    let (own, peer) = (&mut own.borrow_mut(), &mut peer.borrow_mut());
                    let seen = run(&gpu, own, peer, &program, &mut host.borrow_mut());
                    prop_assert_eq!(seen, model(&program));
                    if common::software() {
                        prop_assert_eq!(control::take_races(), []);
                    }
                    Ok(())
                })
                .unwrap();
            schedule::stop();
            // Events of the first context were created while it was covered.
            assert!(current_context().unwrap().unwrap().is(second));
        }
    });
}

/// Runs a test in a scope of the second context: with a stream and memory of it, and of the first one.
macro_rules! in_both {
    ($contexts:expr, |$gpu:ident, $s:ident, $theirs:ident, $x:ident, $ours:ident, $y:ident| $test:expr) => {{
        let [first, second] = $contexts;
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(first).unwrap();
        let there = outer.stream().unwrap();
        let mut x = uploaded(&outer, &there, &[1_u32; LEN]);
        let $gpu = outer.push(second).unwrap();
        let here = $gpu.stream().unwrap();
        let mut y = uploaded(&$gpu, &here, &[2_u32; LEN]);
        $gpu.scope(|$s| {
            let ($theirs, mut $x) = ($s.on_peer(&there), $s.hold_peer(&mut x));
            let ($ours, mut $y) = ($s.on(&here), $s.hold(&mut y));
            $test
        })
        .unwrap();
        let ours = downloaded(&$gpu, &here, &y);
        $gpu.pop().unwrap();
        [downloaded(&outer, &there, &x), ours]
    }};
}

#[test]
fn held_memory_is_used_in_its_own_context_only() {
    for contexts in &pairs() {
        let left = in_both!(contexts, |gpu, s, theirs, x, ours, y| {
            let other = |call| Err(Error::OtherContext { call });
            assert_eq!(ours.fill(&mut x, 3), other("cuMemsetD32Async"));
            assert_eq!(theirs.fill(&mut y, 3), other("cuMemsetD32Async"));
            assert_eq!(ours.copy(&x, &mut y), other("cuMemcpyDtoDAsync_v2"));
            assert_eq!(theirs.copy(&x, &mut y), other("cuMemcpyDtoDAsync_v2"));
            // One end of a copy between contexts belongs to the stream's: the destination, if it copies from.
            assert_eq!(theirs.copy_from_peer(&x, &mut y), other("cuMemcpyPeerAsync"));
            assert_eq!(ours.copy_from_peer(&y, &mut x), other("cuMemcpyPeerAsync"));
            let mut scratch = theirs.scratch::<u32>(LEN)?;
            assert_eq!(ours.zero(&mut scratch), other("cuMemsetD8Async"));
            theirs.zero(&mut scratch)?;
            let mut scratch = ours.scratch::<u32>(LEN)?;
            assert_eq!(theirs.zero(&mut scratch), other("cuMemsetD8Async"));
            let store = kernel(&gpu, STORE, "store");
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            let launched =
                unsafe { ours.launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut x, 3_u32)) };
            assert_eq!(launched, other("cuLaunchKernel"));
            ours.zero(&mut scratch)
        });
        assert_eq!(left, [[1; LEN], [2; LEN]], "nothing was written");
    }
}

/// Held memory may be given for another context's only if the scope holds it as that of a peer.
#[test]
fn a_scope_that_copies_what_it_holds_itself_still_compares() {
    for contexts in &pairs() {
        let left = in_both!(contexts, |_gpu, s, theirs, x, ours, y| {
            let mut z = ours.scratch::<u32>(LEN)?;
            ours.copy_from_peer(&y, &mut z)?; // from itself
            ours.fill(&mut y, 4)?;
            ours.copy_from_peer(&z, &mut y)?;
            theirs.copy_from_peer(&y, &mut x)
        });
        assert_eq!(left, [[2; LEN], [2; LEN]]);
    }
}

/// Foreign code covers the scope's context while streams of both contexts have to be ordered.
#[test]
fn streams_are_ordered_whatever_context_is_current() {
    for contexts in &pairs() {
        let third = new_context();
        let left = in_both!(contexts, |_gpu, s, theirs, x, ours, y| {
            foreign::push(third.raw());
            for value in 5..8 {
                theirs.fill(&mut x, value)?;
                ours.copy_from_peer(&x, &mut y)?;
            }
            assert!(current_context()?.unwrap().is(&third));
            foreign::pop();
            Ok(())
        });
        assert_eq!(left, [[7; LEN], [7; LEN]]);
    }
}

/// An operation whose order fails is not enqueued: the event of the other context could not be created or recorded.
#[test]
fn an_operation_whose_order_fails_is_refused() {
    fresh!(an_operation_whose_order_fails_is_refused, {
        if !common::software() {
            skip!("injects errors");
        }
        for call in ["cuCtxPushCurrent_v2", "cuEventCreate", "cuEventRecord", "cuStreamWaitEvent"] {
            let left = in_both!(&pairs()[0], |_gpu, s, theirs, x, ours, y| {
                theirs.fill(&mut x, 5)?;
                let code = ffi::CUDA_ERROR_OUT_OF_MEMORY;
                let fault = Fault { which: Which::Named(call), code, performed: false };
                let (refused, failed) = with_fault(fault, || ours.copy_from_peer(&x, &mut y));
                assert_eq!((refused.unwrap_err().call(), &failed[..]), (Some(call), &[call][..]));
                Ok(())
            });
            assert_eq!(left, [[5; LEN], [2; LEN]], "{call}");
        }
    });
}

/// Nothing is in flight after a scope that fails, in no context.
#[test]
fn a_scope_that_fails_waits_for_all_contexts() {
    for contexts in &pairs() {
        let [first, second] = contexts;
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(first).unwrap();
        let there = outer.stream().unwrap();
        let mut x = uploaded(&outer, &there, &[1_u32; LEN]);
        let gpu = outer.push(second).unwrap();
        let here = gpu.stream().unwrap();
        let (mut y, mut host) = (gpu.alloc(LEN).unwrap(), [0; LEN]);
        let failed: Result = gpu.scope(|s| {
            let (mut x, mut y) = (s.hold_peer(&mut x), s.hold(&mut y));
            s.on_peer(&there).fill(&mut x, 9)?;
            s.on(&here).copy_from_peer(&x, &mut y)?;
            s.on(&here).download(&y, &mut host)?;
            Err(Error::StackTaken)
        });
        assert_eq!((failed, host), (Err(Error::StackTaken), [9; LEN]));
        assert_eq!([there.query(), here.query()], [Ok(true), Ok(true)]);
    }
}
