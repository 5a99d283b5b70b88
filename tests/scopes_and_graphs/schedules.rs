//! Random scopes, each in an order of its own that the software driver chooses, late and against what a
//! program may hope for: results are those of a sequential model, and no two uses of memory race. On a GPU
//! the same programs run in the order that comes.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::UNWINDS;
use crate::common::gpu::{kernel, new_context};
use crate::common::kernels::MIX;
use crate::common::random::{config, fewer_on_a_gpu, scheduled};
use crate::{common, fresh};
use cuscope::{
    ContextStack, DeviceBuffer, Error, Function, LaunchConfig, PinnedBuffer, PushedGuard, Result,
    ScopedBuffer, ScopedHostSlice, ScopedStream, Stream,
};
use cuscope_softdriver::{control, schedule};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs, unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 10_000;
const STREAMS: usize = 4;
const BUFFERS: usize = 4;
const LEN: usize = 8;
type Words = [u32; LEN];

/// One operation, on a stream.
#[derive(Clone, Copy, Debug)]
enum Op {
    /// Of the input to a buffer.
    Upload(usize),
    Fill(usize, u32),
    Zero(usize),
    /// From one to another, which may be the same: then nothing.
    Copy(usize, usize),
    Mix(usize, usize),
    /// With the buffer that the scope only reads.
    MixShared(usize),
    /// Of a buffer to the next output.
    Download(usize),
    /// To and from the staged slice, and what the host does with that.
    Stage(usize),
    Unstage(usize),
    Access,
    Synchronize,
    /// Through scratch memory: mixed on another stream with the buffer, and back on a third one.
    Through(usize, [usize; 2]),
    /// Of a buffer to scratch memory, which stays.
    Keep(usize),
    /// Of the scratch memory that has stayed longest, if there is some.
    Take(usize),
    /// To the halves of scratch memory, on two streams.
    Halves(usize, usize),
    /// From the first half of one to the second half of another.
    Half(usize, usize),
}

#[derive(Clone, Copy, Debug)]
enum End {
    Return,
    Fail,
    Panic,
}

#[derive(Clone, Debug)]
struct Program {
    seed: u64,
    ops: Vec<(usize, Op)>,
    end: End,
}

fn program() -> impl Strategy<Value = Program> {
    let buffer = || 0..BUFFERS;
    let op = prop_oneof![
        2 => buffer().prop_map(Op::Upload),
        1 => (buffer(), any::<u32>()).prop_map(|(b, value)| Op::Fill(b, value)),
        1 => buffer().prop_map(Op::Zero),
        3 => (buffer(), buffer()).prop_map(|(from, to)| Op::Copy(from, to)),
        6 => (buffer(), buffer()).prop_map(|(to, from)| Op::Mix(to, from)),
        2 => buffer().prop_map(Op::MixShared),
        3 => buffer().prop_map(Op::Download),
        2 => buffer().prop_map(Op::Stage),
        2 => buffer().prop_map(Op::Unstage),
        1 => Just(Op::Access),
        1 => Just(Op::Synchronize),
        2 => (buffer(), [0..STREAMS, 0..STREAMS]).prop_map(|(b, on)| Op::Through(b, on)),
        2 => buffer().prop_map(Op::Keep),
        2 => buffer().prop_map(Op::Take),
        1 => (buffer(), 0..STREAMS).prop_map(|(b, on)| Op::Halves(b, on)),
        2 => (buffer(), buffer()).prop_map(|(from, to)| Op::Half(from, to)),
    ];
    let panics = if UNWINDS { End::Panic } else { End::Fail };
    let end = prop_oneof![8 => Just(End::Return), 1 => Just(End::Fail), 1 => Just(panics)];
    let ops = prop::collection::vec((0..STREAMS, op), 1..OPS);
    (any::<u64>(), ops, end).prop_map(|(seed, ops, end)| Program { seed, ops, end })
}

/// The objects that the programs work with.
struct Bench<'ctx> {
    streams: Vec<Stream<'ctx>>,
    buffers: Vec<DeviceBuffer<'ctx, u32>>,
    shared: DeviceBuffer<'ctx, u32>,
    mix: Function<'ctx>,
    /// Page-locked, so that copies with it come as late as the schedule likes.
    input: PinnedBuffer<u32>,
    staged: PinnedBuffer<u32>,
    outputs: PinnedBuffer<u32>,
}
/// Operations of a program at most.
const OPS: usize = 24;

/// The values that the host sees: the buffers, the staged slice, the outputs, and those that it accessed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    buffers: [Words; BUFFERS],
    staged: Words,
    outputs: Vec<Words>,
    accessed: Vec<Words>,
}

const INPUT: Words = [3, 1, 4, 1, 5, 9, 2, 6];
const SHARED: Words = [2, 7, 1, 8, 2, 8, 1, 8];

fn start() -> Seen {
    let buffers = std::array::from_fn(|b| std::array::from_fn(|i| (100 * b + i) as u32));
    Seen { buffers, ..Seen::default() }
}

fn mixed(out: Words, with: Words) -> Words {
    std::array::from_fn(|i| out[i].wrapping_mul(31).wrapping_add(with[i]))
}

/// The program, one operation after the other.
fn model(program: &Program) -> Seen {
    let mut seen = start();
    let (mut staged, mut kept) = (seen.staged, VecDeque::new());
    for &(_, op) in &program.ops {
        let b = &mut seen.buffers;
        match op {
            Op::Upload(to) => b[to] = INPUT,
            Op::Fill(to, value) => b[to] = [value; LEN],
            Op::Zero(to) => b[to] = [0; LEN],
            Op::Copy(from, to) => b[to] = b[from],
            Op::Mix(to, from) if to != from => b[to] = mixed(b[to], b[from]),
            Op::Mix(..) | Op::Synchronize | Op::Halves(..) => {}
            Op::Half(from, to) if from != to => {
                let (low, _) = b[from].split_at(LEN / 2);
                let low = low.to_owned();
                b[to][LEN / 2..].copy_from_slice(&low);
            }
            Op::Half(..) => {}
            Op::Through(to, _) => b[to] = mixed(b[to], b[to]),
            Op::Keep(from) => kept.push_back(b[from]),
            Op::Take(to) => b[to] = kept.pop_front().unwrap_or(b[to]),
            Op::MixShared(to) => b[to] = mixed(b[to], SHARED),
            Op::Download(from) => seen.outputs.push(b[from]),
            Op::Stage(to) => b[to] = staged,
            Op::Unstage(from) => staged = b[from],
            Op::Access => {
                seen.accessed.push(staged);
                staged = staged.map(|word| word ^ 0x5555);
            }
        }
    }
    seen.staged = staged;
    seen
}

/// Two elements of a slice.
fn two<T>(all: &mut [T], a: usize, b: usize) -> (&mut T, &mut T) {
    let [a, b] = all.get_disjoint_mut([a, b]).expect("two different ones");
    (a, b)
}

struct Run<'s, 'ctx> {
    streams: Vec<ScopedStream<'s, 'ctx>>,
    held: Vec<ScopedBuffer<'s, u32>>,
    staged: ScopedHostSlice<'s, u32>,
    shared: &'s DeviceBuffer<'ctx, u32>,
    mix: &'s Function<'ctx>,
    input: &'s [u32],
    outputs: std::slice::ChunksExactMut<'s, u32>,
    kept: VecDeque<ScopedBuffer<'s, u32>>,
}

impl<'ctx> Run<'_, 'ctx> {
    fn step(&mut self, stream: usize, op: Op, accessed: &mut Vec<Words>) -> Result {
        let stream = self.streams[stream];
        let config = LaunchConfig::new(1, LEN as u32);
        match op {
            Op::Upload(to) => stream.upload(self.input, &mut self.held[to]),
            Op::Fill(to, value) => stream.fill(&mut self.held[to], value),
            Op::Zero(to) => stream.zero(&mut self.held[to]),
            Op::Copy(from, to) | Op::Mix(to, from) | Op::Half(from, to) if from == to => Ok(()),
            Op::Half(from, to) => {
                let (from, to) = two(&mut self.held, from, to);
                stream.copy(from.slice(..LEN / 2)?, &mut to.slice_mut(LEN / 2..)?)
            }
            Op::Copy(from, to) => {
                let (from, to) = two(&mut self.held, from, to);
                stream.copy(&*from, to)
            }
            Op::Mix(to, from) => {
                let (to, from) = two(&mut self.held, to, from);
                // SAFETY: the kernel is mix(u32 *out, const u32 *in) on `LEN` elements of each.
                unsafe { stream.launch_unchecked(self.mix, config, (to, &*from)) }
            }
            Op::MixShared(to) => {
                let args = (&mut self.held[to], self.shared);
                // SAFETY: as above.
                unsafe { stream.launch_unchecked(self.mix, config, args) }
            }
            Op::Download(from) => {
                let output = self.outputs.next().expect("an output for each download");
                stream.download(&self.held[from], output)
            }
            Op::Stage(to) => stream.upload_staged(&self.staged, &mut self.held[to]),
            Op::Unstage(from) => stream.download_staged(&self.held[from], &mut self.staged),
            Op::Access => {
                let words = self.staged.access()?;
                accessed.push((&*words).try_into().expect("of that length"));
                words.iter_mut().for_each(|word| *word ^= 0x5555);
                Ok(())
            }
            Op::Synchronize => stream.synchronize(),
            Op::Through(b, [second, third]) => {
                let mut scratch = stream.scratch(LEN)?;
                stream.copy(&self.held[b], &mut scratch)?;
                let args = (&mut scratch, &self.held[b]);
                // SAFETY: as above.
                unsafe { self.streams[second].launch_unchecked(self.mix, config, args) }?;
                self.streams[third].copy(&scratch, &mut self.held[b])
            }
            Op::Keep(from) => {
                let mut scratch = stream.scratch(LEN)?;
                stream.copy(&self.held[from], &mut scratch)?;
                self.kept.push_back(scratch);
                Ok(())
            }
            Op::Take(to) => match self.kept.pop_front() {
                Some(scratch) => stream.copy(&scratch, &mut self.held[to]),
                None => Ok(()),
            },
            Op::Halves(from, other) => {
                let (mut low, mut high) = stream.scratch(LEN)?.split_at(LEN / 2)?;
                stream.copy(self.held[from].slice(..LEN / 2)?, &mut low)?;
                self.streams[other].copy(self.held[from].slice(LEN / 2..)?, &mut high)
            }
        }
    }
}

/// Runs a program in a scope, and tells what the host sees after it.
fn run<'ctx>(gpu: &PushedGuard<'ctx>, bench: &mut Bench<'ctx>, program: &Program) -> Seen {
    let mut seen = start();
    let Bench { streams, buffers, shared, mix, input, staged, outputs } = bench;
    for (buffer, words) in buffers.iter_mut().zip(&seen.buffers) {
        gpu.on(&streams[0]).upload(words, buffer).unwrap();
    }
    let downloads = program.ops.iter().filter(|(_, op)| matches!(op, Op::Download(_))).count();
    staged.copy_from_slice(&seen.staged);
    outputs.fill(0);
    let accessed = &mut seen.accessed;
    let result = catch_unwind(AssertUnwindSafe(|| {
        gpu.scope(|s| {
            let mut run = Run {
                streams: streams.iter().map(|stream| s.on(stream)).collect(),
                held: buffers.iter_mut().map(|buffer| s.hold(buffer)).collect(),
                staged: s.stage(staged),
                shared,
                mix,
                input,
                outputs: outputs.chunks_exact_mut(LEN),
                kept: VecDeque::new(),
            };
            for &(stream, op) in &program.ops {
                run.step(stream, op, accessed)?;
            }
            match program.end {
                End::Return => Ok(()),
                End::Fail => Err(Error::StackTaken),
                End::Panic => panic!("in the scope"),
            }
        })
    }));
    match (program.end, result) {
        (End::Return, Ok(Ok(()))) | (End::Fail, Ok(Err(Error::StackTaken))) => {}
        (End::Panic, Err(_)) => {}
        (_, result) => panic!("the scope ended with {:?}", result.ok()),
    }
    // At once after the scope: what comes later would be missing.
    seen.staged.copy_from_slice(staged);
    let words = outputs.chunks_exact(LEN).take(downloads);
    seen.outputs = words.map(|words| words.try_into().expect("of that length")).collect();
    for (buffer, words) in buffers.iter().zip(&mut seen.buffers) {
        gpu.on(&streams[0]).download(buffer, words).unwrap();
    }
    seen
}

#[test]
fn scopes_give_the_results_of_a_sequential_model_in_every_order() {
    fresh!(scopes_give_the_results_of_a_sequential_model_in_every_order, {
        static STEPS: AtomicU64 = AtomicU64::new(0);
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let buffer = || gpu.alloc(LEN).unwrap();
        let mut bench = Bench {
            streams: (0..STREAMS).map(|_| gpu.stream().unwrap()).collect(),
            buffers: (0..BUFFERS).map(|_| buffer()).collect(),
            shared: buffer(),
            mix: kernel(&gpu, MIX, "mix"),
            input: gpu.pinned_from(&INPUT).unwrap(),
            staged: gpu.pinned(LEN).unwrap(),
            outputs: gpu.pinned(OPS * LEN).unwrap(),
        };
        gpu.on(&bench.streams[0]).upload(&SHARED, &mut bench.shared).unwrap();

        let config = config(fewer_on_a_gpu(CASES), 5);
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // The panics of the programs are many, and tell nothing.
            if info.payload().downcast_ref() != Some(&"in the scope") {
                hook(info);
            }
        }));
        let bench = std::cell::RefCell::new(bench);
        TestRunner::new(config)
            .run(&program(), |program| {
                scheduled(program.seed);
                let seen = run(&gpu, &mut bench.borrow_mut(), &program);
                prop_assert_eq!(seen, model(&program));
                prop_assert_eq!(control::take_races().len(), 0);
                STEPS.fetch_add(program.ops.len() as u64, Ordering::Relaxed);
                Ok(())
            })
            .unwrap();
        schedule::stop();
        println!("{} operations", STEPS.load(Ordering::Relaxed));
        assert!(STEPS.load(Ordering::Relaxed) > common::fewer(1000, 1) as u64);
    });
}
