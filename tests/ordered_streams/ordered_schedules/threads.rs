//! Threads that use the same streams, and hand memory to each other.

use super::program::{LEN, Words, mixed};
use super::run::Bench;
use crate::common::gpu::new_context;
use cuscope::{
    ContextStack, LaunchConfig, OrderedBuffer, OrderedStream, PinnedBuffer, SharedBuffer,
};
use cuscope_softdriver::{control, schedule};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

const THREADS: usize = 3;
const STREAMS: usize = super::program::STREAMS;
const SLOTS: usize = 3;
const SHARED: Words = [2, 7, 1, 8, 2, 8, 1, 8];

/// An operation of a thread on its own slots.
#[derive(Clone, Copy, Debug)]
enum Op {
    New(usize, usize, u32),
    /// Of two slots, the second is handed over to the stream of the first.
    Mix(usize, usize),
    MixShared(usize),
    HandOver(usize, usize),
    Download(usize),
    Drop(usize),
}

/// The operations of a thread before it sends its first slot to the next thread, and receives its second one.
type Round = Vec<Op>;

#[derive(Clone, Debug)]
struct Program {
    seed: u64,
    rounds: Vec<[Round; THREADS]>,
}

fn program() -> impl Strategy<Value = Program> {
    let slot = || 0..SLOTS;
    let op = prop_oneof![
        4 => (slot(), 0..STREAMS, any::<u32>()).prop_map(|(a, s, v)| Op::New(a, s, v)),
        4 => (slot(), slot()).prop_map(|(a, b)| Op::Mix(a, b)),
        2 => slot().prop_map(Op::MixShared),
        2 => (slot(), 0..STREAMS).prop_map(|(a, s)| Op::HandOver(a, s)),
        1 => slot().prop_map(Op::Download),
        1 => slot().prop_map(Op::Drop),
    ];
    let round = || prop::collection::vec(op.clone(), 0..5);
    let rounds = prop::collection::vec([round(), round(), round()], 1..5);
    (any::<u64>(), rounds).prop_map(|(seed, rounds)| Program { seed, rounds })
}

/// The downloads of each thread, and its slots at the end.
type Seen = [Vec<Words>; THREADS];

fn model(program: &Program) -> Seen {
    let (mut seen, mut all) = (Seen::default(), [[None::<Words>; SLOTS]; THREADS]);
    for round in &program.rounds {
        for ((ops, slots), seen) in round.iter().zip(&mut all).zip(&mut seen) {
            for &op in ops {
                match op {
                    Op::New(slot, _, value) => slots[slot] = Some([value; LEN]),
                    Op::Mix(to, from) if to != from => {
                        if let (Some(old), Some(with)) = (slots[to], slots[from]) {
                            slots[to] = Some(mixed(old, with));
                        }
                    }
                    Op::MixShared(to) => slots[to] = slots[to].map(|old| mixed(old, SHARED)),
                    Op::Download(slot) => seen.extend(slots[slot]),
                    Op::Drop(slot) => slots[slot] = None,
                    Op::Mix(..) | Op::HandOver(..) => {}
                }
            }
        }
        let sent = all.each_mut().map(|slots| slots[0].take());
        for (thread, sent) in sent.into_iter().enumerate() {
            all[(thread + 1) % THREADS][1] = sent;
        }
    }
    for (slots, seen) in all.iter().zip(&mut seen) {
        seen.extend(slots.iter().flatten());
    }
    seen
}

type Slot<'ctx> = Option<(usize, OrderedBuffer<u32>)>;

/// The objects that a thread works with.
struct Thread<'b, 'ctx> {
    streams: &'b [OrderedStream],
    mix: &'b cuscope::Function<'ctx>,
    shared: SharedBuffer<u32>,
    slots: [Slot<'ctx>; SLOTS],
    pinned: Vec<PinnedBuffer<u32>>,
    next: Sender<Slot<'ctx>>,
    before: Receiver<Slot<'ctx>>,
}

fn words(slice: &[u32]) -> Words {
    slice.try_into().expect("of that length")
}

impl Thread<'_, '_> {
    fn step(&mut self, op: Op, pending: &mut Vec<cuscope::ordered::Pending<PinnedBuffer<u32>>>) {
        let (streams, slots) = (self.streams, &mut self.slots);
        let config = LaunchConfig::new(1, LEN as u32);
        match op {
            Op::New(slot, stream, value) => {
                let on = &streams[stream];
                let x = if value % 2 == 0 {
                    on.from_slice(&[value; LEN]).unwrap()
                } else {
                    let mut x = on.alloc(LEN).unwrap();
                    on.fill(&mut x, value).unwrap();
                    x
                };
                slots[slot] = Some((stream, x));
            }
            Op::Mix(to, from) => {
                let Ok([to, from]) = slots.get_disjoint_mut([to, from]) else { return };
                let Some((stream, to)) = to else { return };
                let Some((_, moved)) = from.take() else { return };
                let moved = streams[*stream].hand_over(moved).unwrap();
                // SAFETY: the kernel is mix(u32 *out, const u32 *in) on `LEN` elements of each.
                unsafe { streams[*stream].launch_unchecked(self.mix, config, (to, &moved)) }
                    .unwrap();
                *from = Some((*stream, moved));
            }
            Op::MixShared(to) => {
                if let Some((stream, to)) = &mut slots[to] {
                    // SAFETY: as above.
                    unsafe {
                        streams[*stream].launch_unchecked(self.mix, config, (to, &self.shared))
                    }
                    .unwrap();
                }
            }
            Op::HandOver(slot, to) => {
                let moved = slots[slot].take();
                slots[slot] = moved.map(|(_, x)| (to, streams[to].hand_over(x).unwrap()));
            }
            Op::Download(slot) => {
                if let Some((stream, x)) = &slots[slot] {
                    let to = self.pinned.pop().expect("enough");
                    pending.push(streams[*stream].download_owned(x, to).unwrap());
                }
            }
            Op::Drop(slot) => slots[slot] = None,
        }
    }

    fn run(mut self, rounds: &[[Round; THREADS]], number: usize) -> Vec<Words> {
        let (mut seen, mut pending) = (Vec::new(), Vec::new());
        for round in rounds {
            round[number].iter().for_each(|&op| self.step(op, &mut pending));
            self.next.send(self.slots[0].take()).unwrap();
            self.slots[1] = self.before.recv().unwrap();
        }
        seen.extend(pending.into_iter().map(|pending| words(&pending.wait().unwrap())));
        for (stream, x) in self.slots.iter().flatten() {
            seen.push(words(&self.streams[*stream].to_vec(x).unwrap()));
        }
        seen
    }
}

fn run<'ctx>(gpu: &cuscope::PushedGuard<'ctx>, bench: &Bench<'ctx>, program: &Program) -> Seen {
    let shared = bench.streams[0].from_slice(&SHARED).unwrap().share();
    let (mut nexts, mut befores): (Vec<_>, Vec<_>) = (0..THREADS).map(|_| channel()).unzip();
    nexts.rotate_left(1);
    let mut threads: Vec<_> = nexts
        .drain(..)
        .zip(befores.drain(..))
        .map(|(next, before)| Thread {
            streams: &bench.streams,
            mix: &bench.mix,
            shared: shared.clone(),
            slots: Default::default(),
            pinned: (0..program.rounds.len() * 5).map(|_| gpu.pinned(LEN).unwrap()).collect(),
            next,
            before,
        })
        .collect();
    drop(shared);
    let rounds = &program.rounds[..];
    thread::scope(|scope| {
        let mut running = Vec::new();
        for (number, thread) in threads.drain(..).enumerate() {
            running.push(scope.spawn(move || thread.run(rounds, number)));
        }
        let mut running = running.into_iter();
        std::array::from_fn(|_| running.next().expect("as many").join().unwrap())
    })
}

/// Runs random programs of threads.
pub(crate) fn run_all(config: Config) {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let bench = Bench::new(&gpu);
    TestRunner::new(config)
        .run(&program(), |program| {
            if crate::common::software() {
                schedule::seed(program.seed);
            }
            prop_assert_eq!(run(&gpu, &bench, &program), model(&program));
            prop_assert_eq!(control::take_races().len(), 0);
            Ok(())
        })
        .unwrap();
    schedule::stop();
}
