//! The programs on the device.

use super::program::{INPUT, LEN, OPS, Op, Program, SLOTS, STREAMS, Seen, Words};
use crate::common::gpu::kernel;
use crate::common::kernels::MIX;
use cuscope::ordered::{OrderedOptions, Pending};
use cuscope::{
    DeviceBuffer, Error, Function, Graph, LaunchConfig, OrderedBuffer, OrderedStream, PinnedBuffer,
    PushedGuard, Result, SharedBuffer, Stream,
};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The objects that the programs work with.
pub(crate) struct Bench<'ctx> {
    pub(crate) streams: Vec<OrderedStream>,
    pub(crate) mix: Function<'ctx>,
    plain: [Stream<'ctx>; 2],
    captured: Stream<'ctx>,
    input: DeviceBuffer<'ctx, u32>,
    /// The buffer that the graph writes, the stream of the first, and the graph.
    kept: Option<(OrderedBuffer<u32>, usize)>,
    fives: Option<OrderedBuffer<u32>>,
    graph: Graph<'ctx>,
    pinned: Vec<PinnedBuffer<u32>>,
}

const CONFIG: fn() -> LaunchConfig = || LaunchConfig::new(1, LEN as u32);

impl<'ctx> Bench<'ctx> {
    pub(crate) fn new(gpu: &PushedGuard<'ctx>) -> Self {
        let usual = OrderedOptions::new();
        let options =
            [usual.clone().staging(64), usual.clone().keep(0).staging(0), usual.keep(1024)];
        let make = |options| gpu.ordered_stream_with(gpu.stream().unwrap(), options).unwrap();
        let streams: Vec<_> = options.iter().map(make).collect();
        assert_eq!(streams.len(), STREAMS);
        let (mix, mut captured) = (kernel(gpu, MIX, "mix"), gpu.stream().unwrap());
        let plain = [gpu.stream().unwrap(), gpu.stream().unwrap()];
        let input = gpu.on(&plain[0]).from_slice(&INPUT).unwrap();
        let mut kept = streams[0].zeroed(LEN).unwrap();
        let mut fives = streams[0].zeroed(LEN).unwrap();
        let graph = gpu.capture(&mut captured, |c| {
            let (mut kept, mut fives) = (c.hold_ordered(&mut kept), c.hold_ordered(&mut fives));
            c.stream().fill(&mut fives, 5)?;
            // SAFETY: the kernel is mix(u32 *out, const u32 *in) on `LEN` elements of each.
            unsafe { c.stream().launch_unchecked(&mix, CONFIG(), (&mut kept, &fives)) }
        });
        let (graph, kept, fives) = (graph.unwrap(), Some((kept, 0)), Some(fives));
        let pinned = (0..OPS).map(|_| gpu.pinned(LEN).unwrap()).collect();
        Bench { streams, mix, plain, captured, input, kept, fives, graph, pinned }
    }
}

enum Slot<'ctx> {
    Own(usize, OrderedBuffer<u32>),
    Shared(usize, SharedBuffer<u32>),
    Idle(DeviceBuffer<'ctx, u32>),
}

/// A program that runs.
pub(crate) struct Run<'b, 'ctx> {
    bench: &'b mut Bench<'ctx>,
    /// Without it, nothing that needs it may be asked for.
    gpu: Option<&'b PushedGuard<'ctx>>,
    slots: [Option<Slot<'ctx>>; SLOTS],
    pending: Vec<Pending<PinnedBuffer<u32>>>,
    functions: Arc<AtomicUsize>,
    seen: Seen,
}

fn words(slice: &[u32]) -> Words {
    slice.try_into().expect("of that length")
}

/// Whether memory of another stream was refused, and nothing else went wrong.
fn allowed(result: Result) -> bool {
    match result {
        Ok(()) => true,
        Err(Error::OtherStream { .. }) => false,
        Err(error) => panic!("{error}"),
    }
}

impl<'b, 'ctx> Run<'b, 'ctx> {
    pub(crate) fn start(bench: &'b mut Bench<'ctx>, gpu: Option<&'b PushedGuard<'ctx>>) -> Self {
        if let Some(gpu) = gpu {
            bench.pinned.resize_with(OPS, || gpu.pinned(LEN).unwrap());
        }
        let (mut kept, _) = bench.kept.take().expect("it is there");
        kept = bench.streams[0].hand_over(kept).unwrap();
        let fives = bench.streams[0].hand_over(bench.fives.take().expect("it is there")).unwrap();
        bench.streams[0].fill(&mut kept, 1).unwrap();
        (bench.kept, bench.fives) = (Some((kept, 0)), Some(fives));
        let (slots, pending, functions) = Default::default();
        Run { bench, gpu, slots, pending, functions, seen: Seen::default() }
    }

    fn gpu(&self) -> &'b PushedGuard<'ctx> {
        self.gpu.expect("the program has none that needs it")
    }

    fn new_buffer(&mut self, stream: usize, value: u32) -> OrderedBuffer<u32> {
        let on = &self.bench.streams[stream];
        let mut buffer = on.alloc(LEN).unwrap();
        match value % 3 {
            0 => on.upload(&INPUT, &mut buffer).unwrap(),
            1 => on.upload(&[value; LEN], &mut buffer).unwrap(),
            _ => on.fill(&mut buffer, value).unwrap(),
        }
        buffer
    }

    fn move_to(&mut self, from: usize, to: usize, op: Op) {
        if from == to {
            return;
        }
        let [from, to] = self.slots.get_disjoint_mut([from, to]).expect("two different ones");
        let (Some(from), Some(Slot::Own(stream, to))) = (from, to) else { return };
        let (on, mix) = (&self.bench.streams[*stream], &self.bench.mix);
        let half = |to: &mut OrderedBuffer<u32>, from: &OrderedBuffer<u32>| {
            on.copy(&from.slice(..LEN / 2)?, &mut to.slice_mut(LEN / 2..)?)
        };
        let readable = !matches!(from, Slot::Own(own, _) if *own != *stream);
        let done = match (op, &*from) {
            (_, Slot::Idle(_)) => return,
            (Op::Copy(..), Slot::Own(_, from)) => on.copy(from, to),
            (Op::Copy(..), Slot::Shared(_, from)) => on.copy(from, to),
            (Op::CopyHalf(..), Slot::Own(_, from)) => half(to, from),
            (Op::CopyHalf(..), Slot::Shared(_, from)) => {
                let from = from.slice(..LEN / 2).unwrap();
                on.copy(&from, &mut to.slice_mut(LEN / 2..).unwrap())
            }
            // SAFETY: of both, the kernel is mix(u32 *out, const u32 *in) on `LEN` elements of each.
            (_, Slot::Own(_, from)) => unsafe { on.launch_unchecked(mix, CONFIG(), (to, from)) },
            // SAFETY: as above.
            (_, Slot::Shared(_, from)) => unsafe { on.launch_unchecked(mix, CONFIG(), (to, from)) },
        };
        assert_eq!(allowed(done), readable, "{op:?}");
    }

    fn download(&mut self, slot: usize, stream: usize) {
        let on = &self.bench.streams[stream];
        let mut to = [0; LEN];
        let done = match &self.slots[slot] {
            Some(Slot::Own(_, from)) => on.download(from, &mut to),
            Some(Slot::Shared(_, from)) => on.download(from, &mut to),
            _ => return,
        };
        if allowed(done) {
            self.seen.downloads.push(to);
        }
    }

    fn owned_download(&mut self, slot: usize, stream: usize) {
        let (on, to) = (&self.bench.streams[stream], self.bench.pinned.pop().expect("enough"));
        let pending = match &self.slots[slot] {
            Some(Slot::Own(_, from)) => on.download_owned(from, to),
            Some(Slot::Shared(_, from)) => on.download_owned(from, to),
            _ => return self.bench.pinned.push(to),
        };
        match pending {
            Ok(pending) => self.pending.push(pending),
            Err(refused) => {
                assert!(matches!(refused.error, Error::OtherStream { .. }), "{}", refused.error);
                self.bench.pinned.push(refused.value.expect("it was not taken"));
            }
        }
    }

    fn first_pending(&mut self) -> Option<Pending<PinnedBuffer<u32>>> {
        (!self.pending.is_empty()).then(|| self.pending.remove(0))
    }

    fn arrived(&mut self, pinned: PinnedBuffer<u32>) {
        self.seen.pending.push(words(&pinned));
        self.bench.pinned.push(pinned);
    }

    fn scope(&mut self, a: usize, b: usize, value: u32) {
        let gpu = self.gpu();
        let Ok([Some(Slot::Own(_, a)), Some(Slot::Own(_, b))]) =
            self.slots.get_disjoint_mut([a, b])
        else {
            return;
        };
        let ([one, two], mix) = (&self.bench.plain, &self.bench.mix);
        // On streams that they belong to, or to none of them.
        let (one, two) = match value % 3 {
            0 => (self.bench.streams[0].stream(gpu).unwrap(), two),
            1 => (one, self.bench.streams[2].stream(gpu).unwrap()),
            _ => (one, two),
        };
        let mut host = [0; LEN];
        gpu.scope(|s| {
            let (mut a, mut b) = (s.hold_ordered(a)?, s.hold_ordered(b)?);
            // SAFETY: the kernel is mix(u32 *out, const u32 *in) on `LEN` elements of each.
            unsafe { s.on(one).launch_unchecked(mix, CONFIG(), (&mut b, &a)) }?;
            s.on(two).fill(&mut a, value)?;
            s.on(two).download(&b, &mut host)
        })
        .unwrap();
        self.seen.downloads.push(host);
    }

    fn graph_once(&mut self, slot: usize, value: u32) {
        let gpu = self.gpu();
        if let Some(Slot::Own(stream, x)) = &mut self.slots[slot] {
            let captured = &mut self.bench.captured;
            let graph = gpu.capture(captured, |c| c.stream().fill(&mut c.hold_ordered(x), value));
            let graph = graph.unwrap();
            self.bench.streams[*stream].replay(&graph, &mut *x).unwrap();
            if value.is_multiple_of(2) {
                // The memory goes first, and comes back from nowhere: its content is what the graph wrote.
                let again = self.bench.streams[*stream].alloc(LEN).unwrap();
                let old = mem::replace(x, again);
                self.bench.streams[*stream].copy(&old, x).unwrap();
                drop(old);
            }
            drop(graph);
        }
    }

    fn replay(&mut self, stream: usize) {
        let on = &self.bench.streams[stream];
        let (kept, home) = self.bench.kept.take().expect("it is there");
        let mut fives = self.bench.fives.take().expect("it is there");
        let mut kept = on.hand_over(kept).unwrap();
        if home != stream {
            let refused = on.replay(&self.bench.graph, (&mut kept, &mut fives));
            assert!(!allowed(refused), "one is of another stream");
        }
        let mut fives = on.hand_over(fives).unwrap();
        on.replay(&self.bench.graph, (&mut kept, &mut fives)).unwrap();
        (self.bench.kept, self.bench.fives) = (Some((kept, stream)), Some(fives));
    }

    pub(crate) fn step(&mut self, op: Op) {
        match op {
            Op::New(slot, stream, value) => {
                let buffer = self.new_buffer(stream, value);
                self.slots[slot] = Some(Slot::Own(stream, buffer));
            }
            Op::NewIdle(slot, value) => {
                let on = self.gpu().on(&self.bench.plain[0]);
                let mut x =
                    if value % 2 == 0 { on.alloc(LEN) } else { self.gpu().alloc(LEN) }.unwrap();
                on.fill(&mut x, value).unwrap();
                self.slots[slot] = Some(Slot::Idle(x));
            }
            Op::MixIdle(slot) => {
                if let Some(Slot::Idle(x)) = &mut self.slots[slot] {
                    let on = self.gpu.expect("a guard").on(&self.bench.plain[1]);
                    let Bench { mix, input, .. } = &*self.bench;
                    // SAFETY: the kernel is mix(u32 *out, const u32 *in) on `LEN` elements of each.
                    unsafe { on.launch_unchecked(mix, CONFIG(), (&mut *x, input)) }.unwrap();
                    self.seen.downloads.push(words(&on.to_vec(x).unwrap()));
                }
            }
            Op::Upload(slot) => {
                if let Some(Slot::Own(stream, x)) = &mut self.slots[slot] {
                    // From memory that is gone at once.
                    let from = Box::new(INPUT);
                    self.bench.streams[*stream].upload(&*from, x).unwrap();
                }
            }
            Op::OwnedUpload(slot) => {
                if let Some(Slot::Own(stream, x)) = &mut self.slots[slot] {
                    let mut from = self.bench.pinned.pop().expect("enough");
                    from.copy_from_slice(&INPUT);
                    self.pending.push(self.bench.streams[*stream].upload_owned(from, x).unwrap());
                }
            }
            Op::Fill(slot, value) => {
                if let Some(Slot::Own(stream, x)) = &mut self.slots[slot] {
                    self.bench.streams[*stream].fill(x, value).unwrap();
                }
            }
            Op::FillOn(slot, stream, value) => {
                if let Some(Slot::Own(own, x)) = &mut self.slots[slot] {
                    let done = self.bench.streams[stream].fill(x, value);
                    assert_eq!(allowed(done), *own == stream);
                }
            }
            Op::Copy(from, to) | Op::CopyHalf(from, to) | Op::Mix(to, from) => {
                self.move_to(from, to, op);
            }
            Op::Download(slot, stream) => self.download(slot, stream),
            Op::OwnedDownload(slot, stream) => self.owned_download(slot, stream),
            Op::Drop(slot) => self.slots[slot] = None,
            Op::Leak(slot) => mem::forget(self.slots[slot].take()),
            Op::Panic(slot) => {
                let (moved, stream) = (self.slots[slot].take(), &self.bench.streams[1]);
                let panicked = catch_unwind(AssertUnwindSafe(|| {
                    let (_moved, _more) = (moved, stream.from_slice(&INPUT));
                    panic!("in the program");
                }));
                assert!(panicked.is_err());
            }
            _ => self.step_of_owner(op),
        }
    }

    /// A step that changes the owner of memory, or waits.
    fn step_of_owner(&mut self, op: Op) {
        match op {
            Op::HandOver(slot, to) => self.change(slot, |bench, slot| match slot {
                Slot::Own(_, x) => Slot::Own(to, bench.streams[to].hand_over(x).unwrap()),
                other => other,
            }),
            Op::Share(slot) => self.change(slot, |_, slot| match slot {
                Slot::Own(stream, x) => Slot::Shared(stream, x.share()),
                other => other,
            }),
            Op::CloneShared(from, to) => {
                if let Some(Slot::Shared(stream, x)) = &self.slots[from] {
                    let clone = Slot::Shared(*stream, x.clone());
                    self.slots[to] = Some(clone);
                }
            }
            Op::Unwrap(slot) => self.change(slot, |_, slot| match slot {
                Slot::Shared(stream, x) => match x.try_unwrap() {
                    Ok(x) => Slot::Own(stream, x),
                    Err(x) => Slot::Shared(stream, x),
                },
                other => other,
            }),
            Op::IntoIdle(slot) => {
                let gpu = self.gpu();
                self.change(slot, |_, slot| match slot {
                    Slot::Own(_, x) => Slot::Idle(x.into_idle(gpu).unwrap()),
                    other => other,
                })
            }
            Op::Adopt(slot, to) => self.change(slot, |bench, slot| match slot {
                Slot::Idle(x) => Slot::Own(to, bench.streams[to].adopt(x).unwrap()),
                other => other,
            }),
            Op::Await => {
                if let Some(pending) = self.first_pending() {
                    self.arrived(pending.wait().unwrap());
                }
            }
            Op::Ask => {
                if let Some(mut pending) = self.first_pending() {
                    let early = pending.try_get().unwrap();
                    let pinned = early.unwrap_or_else(|| pending.wait().unwrap());
                    self.arrived(pinned);
                }
            }
            Op::DropPending => drop(self.first_pending()),
            Op::LeakPending => mem::forget(self.first_pending()),
            Op::Host(stream) => {
                let functions = self.functions.clone();
                let count = move || {
                    functions.fetch_add(1, Ordering::Relaxed);
                };
                self.bench.streams[stream].host_function(count).unwrap();
            }
            Op::Synchronize(stream) => self.bench.streams[stream].synchronize().unwrap(),
            Op::Trim(stream) => self.bench.streams[stream].trim(0),
            Op::Replay(stream) => self.replay(stream),
            Op::Scope(a, b, value) => self.scope(a, b, value),
            Op::GraphOnce(slot, value) => self.graph_once(slot, value),
            other => unreachable!("{other:?}"),
        }
    }

    fn change(&mut self, slot: usize, to: impl FnOnce(&Bench<'ctx>, Slot<'ctx>) -> Slot<'ctx>) {
        let changed = self.slots[slot].take().map(|slot| to(self.bench, slot));
        self.slots[slot] = changed;
    }

    /// Looks at all that is left, and drops or leaks it.
    pub(crate) fn end(mut self, leaks: bool) -> Seen {
        while let Some(pending) = self.first_pending() {
            self.arrived(pending.wait().unwrap());
        }
        let Bench { streams, kept, .. } = &*self.bench;
        let (kept, home) = kept.as_ref().expect("it is there");
        self.seen.kept = words(&streams[*home].to_vec(kept).unwrap());
        for slot in mem::take(&mut self.slots) {
            let read = |slot: &Slot<'ctx>| match slot {
                Slot::Own(stream, x) => streams[*stream].to_vec(x).unwrap(),
                Slot::Shared(stream, x) => streams[(*stream + 1) % STREAMS].to_vec(x).unwrap(),
                Slot::Idle(x) => match self.gpu {
                    Some(gpu) => gpu.on(&self.bench.plain[0]).to_vec(x).unwrap(),
                    None => panic!("adopted before"),
                },
            };
            self.seen.slots.push(slot.as_ref().map(|slot| words(&read(slot))));
            if leaks {
                mem::forget(slot);
            }
        }
        streams.iter().for_each(|stream| stream.synchronize().unwrap());
        self.seen.functions = self.functions.load(Ordering::Relaxed);
        self.seen
    }
}

/// Runs a program, and tells what the host sees.
pub(crate) fn run<'ctx>(
    gpu: &PushedGuard<'ctx>,
    bench: &mut Bench<'ctx>,
    program: &Program,
) -> Seen {
    let mut run = Run::start(bench, Some(gpu));
    program.ops.iter().for_each(|&op| run.step(op));
    run.end(program.leaks)
}
