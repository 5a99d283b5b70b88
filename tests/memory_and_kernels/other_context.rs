//! Handles of two contexts under guards that leaked places give one brand: what the compiler then lets through is
//! refused, each time, wherever the comparison is made (invariant `own-context`).
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{kernel, new_context, new_context_on};
use crate::common::kernels::SAXPY;
use cuscope::memory::{Advice, Attachment, CopyFlags, Location, PitchedBuffer};
use cuscope::tensor_map::TensorLayout;
use cuscope::{
    Context, ContextStack, Device, DeviceBuffer, Element, Error, Event, Function, Graph, Kernel,
    LaunchConfig, OrderedBuffer, OrderedStream, PinnedBuffer, Ptx, PushedGuard, Result,
    ScopedBuffer, ScopedHostSlice, ScopedStream, SharedBuffer, Stream,
    context::SmSplitFlags,
    ffi,
    graph::GraphDefinition,
    launch::ExtendedLaunch,
    ordered::OrderedOptions,
    texture::{ArrayFlags, ArrayShape, Sampling, SharedTexture},
};

const LEN: usize = 4;
const ONE: fn() -> LaunchConfig = || LaunchConfig::new(1, 4);

fn other<T>(call: &'static str) -> Result<T> {
    Err(Error::OtherContext { call })
}

/// The objects of a context.
struct Things {
    stream: Stream<'static>,
    second: Stream<'static>,
    event: Event<'static>,
    saxpy: Function<'static>,
    x: DeviceBuffer<'static, f32>,
    y: DeviceBuffer<'static, f32>,
    named: DeviceBuffer<'static, f32>,
    graph: Graph<'static>,
    pinned: PinnedBuffer<f32>,
    ordered: OrderedStream,
    several: Vec<Stream<'static>>,
    definitions: Vec<GraphDefinition<'static>>,
    bytes: (DeviceBuffer<'static, u8>, PitchedBuffer<'static, u8>),
    halves: (DeviceBuffer<'static, u16>, PitchedBuffer<'static, u16>),
    words: (DeviceBuffer<'static, u32>, PitchedBuffer<'static, u32>),
}

fn both<T: Element>(
    gpu: &PushedGuard<'static>,
) -> (DeviceBuffer<'static, T>, PitchedBuffer<'static, T>) {
    (gpu.alloc(LEN).unwrap(), gpu.alloc_pitched((2, 2)).unwrap())
}

fn things(gpu: &PushedGuard<'static>) -> Things {
    let stream = gpu.stream().unwrap();
    let mut second = gpu.stream().unwrap();
    let alloc = || gpu.on(&stream).zeroed::<f32>(LEN).unwrap();
    let (x, y, mut named) = (alloc(), alloc(), alloc());
    let graph = gpu.capture(&mut second, |c| c.stream().zero(&mut c.hold(&mut named))).unwrap();
    let saxpy = kernel(gpu, SAXPY, "saxpy");
    let (event, pinned) = (gpu.event().unwrap(), gpu.pinned(LEN).unwrap());
    let ordered = gpu.ordered_stream().unwrap();
    let several = (0..16).map(|_| gpu.stream().unwrap()).collect();
    let definition = || gpu.define_graph(|g| g.empty(&[])).unwrap().0;
    let definitions = (0..3).map(|_| definition()).collect();
    Things {
        stream,
        second,
        event,
        saxpy,
        x,
        y,
        named,
        graph,
        pinned,
        ordered,
        several,
        definitions,
        bytes: both(gpu),
        halves: both(gpu),
        words: both(gpu),
    }
}

/// The guard of the second context, what that has, and what the first one has, all of one brand.
fn unified([a, b]: [Context; 2]) -> (PushedGuard<'static>, Things, Things) {
    let [a, b]: [&'static Context; 2] = [a, b].map(|context| &*Box::leak(Box::new(context)));
    let stack: &'static mut ContextStack =
        Box::leak(Box::new(ContextStack::current_thread().unwrap()));
    let outer: &'static mut PushedGuard<'static> = Box::leak(Box::new(stack.push(a).unwrap()));
    let theirs = things(outer);
    let gpu = outer.push(b).unwrap();
    let own = things(&gpu);
    (gpu, own, theirs)
}

/// A launch of saxpy.
macro_rules! saxpy {
    ($stream:expr, $launch:ident($function:expr, $config:expr), $x:expr, $y:expr) => {
        // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y), and is waited for before
        // anything else uses the memory.
        unsafe { $stream.$launch($function, $config, (4_u32, 1_f32, $x, $y)) }
    };
    ($stream:expr, $function:expr, $x:expr, $y:expr) => {
        saxpy!($stream, launch_unchecked($function, ONE()), $x, $y)
    };
}

#[test]
fn a_stream_takes_functions_events_and_memory_of_its_context() {
    let (gpu, mut own, mut theirs) = unified([new_context(), new_context()]);
    let kernel = "cuLaunchKernel";
    for _ in 0..4 {
        let on = gpu.on(&own.stream);
        let (f, g) = (&own.saxpy, &theirs.saxpy);
        assert_eq!(saxpy!(on, launch_unscoped(g, ONE()), &own.x, &mut own.y), other(kernel));
        assert_eq!(saxpy!(on, launch_unscoped(f, ONE()), &own.x, &mut own.y), Ok(()));
        assert_eq!(saxpy!(on, launch_unchecked(g, ONE()), &own.x, &mut own.y), other(kernel));
        let mut list = f.arguments().unwrap();
        list.push(4_u32).unwrap().push(1_f32).unwrap().push(&theirs.x).unwrap();
        list.push(&mut own.y).unwrap();
        // SAFETY: it is not launched.
        assert_eq!(unsafe { on.launch_unchecked(f, ONE(), list) }, other(kernel));
        let extended = ONE().extended().priority(0);
        let launched = saxpy!(on, launch_unchecked(g, extended), &own.x, &mut own.y);
        assert_eq!(launched, other("cuLaunchKernelEx"));
        assert_eq!(saxpy!(on, launch_unscoped(f, ONE()), &own.x, &mut theirs.y), other(kernel));
        assert_eq!(saxpy!(on, launch_unscoped(f, ONE()), &theirs.x, &mut own.y), other(kernel));
        assert_eq!(on.record(&theirs.event), other("cuEventRecord"));
        assert_eq!(on.record(&own.event), Ok(()));
        assert_eq!(on.wait(&theirs.event), Ok(()), "as the driver does (F36)");
        assert_eq!(on.replay(&theirs.graph, &mut theirs.named), other("cuGraphLaunch"));
        // SAFETY: 1. It is refused.
        let replayed = unsafe { on.replay_unscoped(&theirs.graph, &mut theirs.named) };
        assert_eq!(replayed, other("cuGraphLaunch"));
        // SAFETY: 1. As above: it is not the memory of the graph.
        let replayed = unsafe { on.replay_unscoped(&own.graph, &mut own.x) };
        assert!(matches!(replayed, Err(Error::GraphBuffers { .. })), "{replayed:?}");
        let peer = "cuMemcpyPeerAsync";
        // Memory of any context on one side, and of the stream's on the other one.
        assert_eq!(on.copy_from_peer(&own.x, &mut theirs.y), other(peer));
        assert_eq!(on.copy_from_peer(&theirs.x, &mut theirs.y), other(peer));
        assert_eq!(on.copy_to_peer(&theirs.x, &mut own.y), other(peer));
        assert_eq!(on.copy_from_peer(&theirs.x, &mut own.y), Ok(()));
        assert_eq!(on.copy_to_peer(&own.x, &mut theirs.y), Ok(()));
        assert_eq!(on.copy_to_peer(&own.x, &mut own.y), Ok(()));
        own.stream.synchronize().unwrap();
        // And the other way round.
        std::mem::swap(&mut own, &mut theirs);
    }
    let on = gpu.on(&own.stream);
    // SAFETY: nothing is enqueued.
    let foreign = unsafe { on.foreign((&own.x, &mut theirs.y), |_, _| unreachable!()) };
    assert_eq!(foreign, other::<()>("SyncStream::foreign"));
    // On a default stream, which is one of the current context.
    let legacy = gpu.on_legacy_default();
    assert_eq!(legacy.record(&theirs.event), other("cuEventRecord"));
    assert_eq!(legacy.record(&own.event), Ok(()));
    assert_eq!(legacy.copy_from_peer(&own.x, &mut theirs.y), other("cuMemcpyPeerAsync"));
    assert_eq!(legacy.copy_from_peer(&theirs.x, &mut own.y), Ok(()));
    assert_eq!(saxpy!(legacy, &theirs.saxpy, &own.x, &mut own.y), other(kernel));
    assert_eq!(saxpy!(legacy, &own.saxpy, &own.x, &mut own.y), Ok(()));
    gpu.pop().unwrap();
}

/// The objects that a scope borrows.
#[derive(Clone, Copy)]
struct Own<'s> {
    stream: &'s Stream<'static>,
    second: &'s Stream<'static>,
    event: &'s Event<'static>,
    saxpy: &'s Function<'static>,
    x: &'s DeviceBuffer<'static, f32>,
}

/// The objects that a scope lends.
struct Lent<'s> {
    good: ScopedBuffer<'s, f32>,
    bad: ScopedBuffer<'s, f32>,
    staged: ScopedHostSlice<'s, f32>,
    graph: &'s Graph<'static>,
}

const HOST: &[f32] = &[1.0; LEN];

/// Asserts that a stream refuses uses of another context's objects.
fn refuses<'s>(
    stream: ScopedStream<'s, 'static>,
    lent: &mut Lent<'s>,
    own: Own<'s>,
    theirs: &'s (Event<'static>, Function<'static>, DeviceBuffer<'static, f32>),
) {
    let (event, g, x) = theirs;
    let Lent { good, bad, staged, .. } = lent;
    let fill = "cuMemsetD32Async";
    assert_eq!(stream.fill(bad, 1.0), other(fill));
    assert_eq!(stream.zero(bad), other("cuMemsetD8Async"));
    assert_eq!(stream.upload(HOST, bad), other("cuMemcpyHtoDAsync_v2"));
    assert_eq!(stream.upload_staged(staged, bad), other("cuMemcpyHtoDAsync_v2"));
    assert_eq!(stream.download_staged(&*bad, staged), other("cuMemcpyDtoHAsync_v2"));
    assert_eq!(stream.download_staged(x, staged), other("cuMemcpyDtoHAsync_v2"));
    assert_eq!(stream.copy(&*bad, good), other("cuMemcpyDtoDAsync_v2"));
    assert_eq!(stream.copy(bad.slice(..).unwrap(), good), other("cuMemcpyDtoDAsync_v2"));
    assert_eq!(stream.copy(&*good, bad), other("cuMemcpyDtoDAsync_v2"));
    assert_eq!(stream.copy(x, good), other("cuMemcpyDtoDAsync_v2"));
    assert_eq!(stream.copy_from_peer(own.x, bad), other("cuMemcpyPeerAsync"));
    assert_eq!(stream.copy_from_peer(x, bad), other("cuMemcpyPeerAsync"));
    let launch = "cuLaunchKernel";
    assert_eq!(saxpy!(stream, own.saxpy, &*bad, &mut *good), other(launch));
    assert_eq!(saxpy!(stream, own.saxpy, bad.slice(..).unwrap(), &mut *good), other(launch));
    assert_eq!(saxpy!(stream, own.saxpy, &*good, &mut *bad), other(launch));
    assert_eq!(saxpy!(stream, own.saxpy, x, &mut *good), other(launch));
    assert_eq!(saxpy!(stream, g, own.x, &mut *good), other(launch));
    // SAFETY: nothing is enqueued.
    let foreign = unsafe { stream.foreign((&*good, &mut *bad), |_, _| unreachable!()) };
    assert_eq!(foreign, other::<()>("ScopedStream::foreign"));
    assert_eq!(stream.record(event), other("cuEventRecord"));
    assert_eq!(stream.replay(lent.graph, &mut *bad), other("cuGraphLaunch"));
}

/// Asserts that a stream takes uses of its own context's objects.
fn takes<'s>(stream: ScopedStream<'s, 'static>, lent: &mut Lent<'s>, own: Own<'s>) {
    let Lent { good, staged, .. } = lent;
    stream.fill(good, 1.0).unwrap();
    stream.copy_from_peer(own.x, good).unwrap();
    stream.fill(good, 1.0).unwrap();
    stream.download_staged(&*good, staged).unwrap();
    saxpy!(stream, own.saxpy, own.x, &mut *good).unwrap();
    assert_eq!(staged.access().unwrap(), HOST);
}

/// A stream of another context is refused everything, with its own memory too.
fn refuses_all<'s>(stream: ScopedStream<'s, 'static>, lent: &mut Lent<'s>, own: Own<'s>) {
    let Lent { good, bad, staged, .. } = lent;
    for held in [good, bad] {
        assert_eq!(stream.fill(held, 1.0), other("cuMemsetD32Async"));
        assert_eq!(stream.download_staged(&*held, staged), other("cuMemcpyDtoHAsync_v2"));
        assert_eq!(saxpy!(stream, own.saxpy, own.x, &mut *held), other("cuLaunchKernel"));
    }
    assert_eq!(stream.record(own.event), other("cuEventRecord"));
    assert_eq!(stream.wait(own.event), other("cuStreamWaitEvent"));
    assert_eq!(stream.host_function(|| panic!("it is not called")), other("cuLaunchHostFunc"));
    assert_eq!(stream.replay(lent.graph, &mut lent.bad), other("cuGraphLaunch"));
    // SAFETY: it is not launched.
    let launched = unsafe { stream.launch_unchecked(own.saxpy, ONE(), (1_u32, 1_f32)) };
    assert_eq!(launched, other("cuLaunchKernel"));
}

#[test]
fn a_scope_refuses_what_is_of_another_context_each_time() {
    let (gpu, mut own, theirs) = unified([new_context(), new_context()]);
    let Things { stream: elsewhere, event, saxpy, x, mut named, graph, .. } = theirs;
    let theirs = (event, saxpy, x);
    let (mut long, mut short) = (gpu.alloc::<f32>(LEN - 1).unwrap(), gpu.alloc::<f32>(1).unwrap());
    gpu.scope(|s| {
        let mut lent = Lent {
            good: s.hold(&mut own.y),
            bad: s.hold(&mut named),
            staged: s.stage(&mut own.pinned),
            graph: &graph,
        };
        let own = Own {
            stream: &own.stream,
            second: &own.second,
            event: &own.event,
            saxpy: &own.saxpy,
            x: &own.x,
        };
        // With no stream but one of another context.
        let there = s.on(&elsewhere);
        refuses_all(there, &mut lent, own);
        // With one stream: before, between and after good uses.
        let stream = s.on(own.stream);
        for _ in 0..3 {
            refuses(stream, &mut lent, own, &theirs);
            takes(stream, &mut lent, own);
            refuses_all(there, &mut lent, own);
        }
        // With two.
        let second = s.on(own.second);
        for stream in [second, stream, second] {
            refuses(stream, &mut lent, own, &theirs);
            takes(stream, &mut lent, own);
            refuses_all(there, &mut lent, own);
        }
        // Parts are of the context of the whole.
        let (mut left, mut right) = lent.bad.split_at(1)?;
        for part in [&mut left, &mut right] {
            assert_eq!(stream.zero(part), other("cuMemsetD8Async"));
        }
        let (mut left, _right) = lent.good.split_at(1)?;
        stream.zero(&mut left)?;
        // Memory that the scope borrows is another one's, and what it holds its own.
        assert_eq!(stream.copy_to_peer(&right, &mut long), other("cuMemcpyPeerAsync"));
        stream.copy_to_peer(&left, &mut short)
    })
    .unwrap();
    drop((graph, named, own));
    gpu.pop().unwrap();
}

/// Only the copy between contexts takes held memory of another one. What it notes is no proof for other operations.
#[test]
fn memory_that_a_copy_between_contexts_has_read_is_still_refused() {
    let (gpu, mut own, mut theirs) = unified([new_context(), new_context()]);
    gpu.scope(|s| {
        let (stream, mut good) = (s.on(&own.stream), s.hold(&mut own.y));
        let mut bad = s.hold(&mut theirs.y);
        stream.zero(&mut good)?;
        for _ in 0..2 {
            stream.copy_from_peer(&bad, &mut good)?;
            assert_eq!(stream.copy(&bad, &mut good), other("cuMemcpyDtoDAsync_v2"));
            assert_eq!(stream.zero(&mut bad), other("cuMemsetD8Async"));
            assert_eq!(saxpy!(stream, &own.saxpy, &bad, &mut good), other("cuLaunchKernel"));
            saxpy!(stream, &own.saxpy, &own.x, &mut good)?;
        }
        Ok(())
    })
    .unwrap();
    drop((own, theirs));
    gpu.pop().unwrap();
}

#[test]
fn parts_of_used_memory_are_used_at_once() {
    let (gpu, mut own, theirs) = unified([new_context(), new_context()]);
    gpu.scope(|s| {
        let (stream, mut whole) = (s.on(&own.stream), s.hold(&mut own.y));
        stream.fill(&mut whole, 1.0)?;
        let (mut left, mut right) = whole.split_at(1)?;
        for part in [&mut left, &mut right] {
            stream.fill(part, 2.0)?;
            assert_eq!(
                stream.copy(&theirs.x, part),
                Err(Error::LengthMismatch {
                    call: "cuMemcpyDtoDAsync_v2",
                    from: LEN,
                    to: part.len()
                })
            );
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(gpu.on(&own.stream).to_vec(&own.y).unwrap(), [2.0; LEN]);
    gpu.pop().unwrap();
}

#[test]
fn newer_operations_on_memory_compare_contexts_too() {
    let (gpu, mut own, mut theirs) = unified([new_context(), new_context()]);
    for _ in 0..2 {
        let on = gpu.on(&own.stream);
        // `gpu` belongs to the second context, and `own` to either in turn.
        let foreign = if own.x.context() == gpu.context() { &theirs.x } else { &own.x };
        assert_eq!(gpu.host_slice(foreign).map(drop), other("cuMemGetAddressRange_v2"));
        assert_eq!(gpu.advise(foreign, Advice::ReadMostly(true)), other("cuMemAdvise_v2"));
        assert_eq!(gpu.range_info(foreign).map(drop), other("cuMemRangeGetAttributes"));
        let prefetched = on.prefetch(&theirs.x, Location::Host);
        assert_eq!(prefetched, other("cuMemPrefetchAsync_v2"));
        assert_eq!(on.discard(&mut theirs.x), other("cuMemDiscardBatchAsync"));
        // SAFETY: 1. Not to one stream alone.
        let attached = unsafe { on.attach(&mut theirs.x, Attachment::Global) };
        assert_eq!(attached, other("cuStreamAttachMemAsync"));
        let batch = "cuMemcpyBatchAsync";
        assert_eq!(on.copy_batch([(&theirs.x, &mut own.y)]), other(batch));
        assert_eq!(on.copy_batch([(&own.x, &mut theirs.y)]), other(batch));
        if ffi::cuMemcpyWithAttributesAsync().is_ok() {
            let one = "cuMemcpyWithAttributesAsync";
            assert_eq!(on.copy_with(&theirs.x, &mut own.y, CopyFlags::empty()), other(one));
            assert_eq!(on.copy_with(&own.x, &mut theirs.y, CopyFlags::empty()), other(one));
        }
        let map = gpu.tensor_map(&TensorLayout::tiled(&[4], &[4]), &theirs.x).unwrap();
        // SAFETY: it is not launched.
        let launched = unsafe { on.launch_unchecked(&own.saxpy, ONE(), (map,)) };
        assert_eq!(launched, other("cuLaunchKernel"));
        std::mem::swap(&mut own, &mut theirs);
    }
    gpu.pop().unwrap();
}

cuscope::handles! {
    struct Pair<'ctx> {
        first: Stream<'ctx>,
        second: Event<'ctx>,
    }
}

/// Each handle of the whole is looked at, wherever it is.
#[test]
fn every_detached_handle_belongs_to_one_context() {
    use std::collections::{BTreeMap, HashMap};
    let (gpu, own, theirs) = unified([new_context(), new_context()]);
    macro_rules! refused {
        ($handles:expr) => {{
            let mut all = cuscope::Detached::new($handles);
            assert!(
                gpu.bind(&all)
                    .is_err_and(|error| error == Error::OtherContext { call: "PushedGuard::bind" })
            );
            assert!(
                gpu.bind_mut(&mut all).is_err_and(
                    |error| error == Error::OtherContext { call: "PushedGuard::bind_mut" }
                )
            );
            let Err(error) = gpu.attach(all).map(drop).map_err(Error::from) else {
                panic!("attached under a context of another handle")
            };
            assert_eq!(error, Error::OtherContext { call: "PushedGuard::attach" });
        }};
    }
    let mine = || gpu.stream().unwrap();
    let mut its = theirs.several.into_iter();
    let mut odd = || its.next().expect("there are enough");
    refused!((mine(), odd()));
    refused!((odd(), mine()));
    refused!((mine(), mine(), (mine(), odd())));
    refused!([mine(), mine(), odd()]);
    refused!(vec![mine(), odd(), mine()]);
    refused!((mine(), Some(odd())));
    refused!((mine(), Box::new(odd())));
    refused!((mine(), std::sync::Arc::new(odd())));
    refused!(BTreeMap::from([(1, mine()), (2, odd())]));
    refused!(HashMap::from([(1, mine()), (2, odd()), (3, mine())]));
    refused!(Pair { first: mine(), second: theirs.event });
    refused!(Pair { first: odd(), second: own.event });
    refused!((mine(), theirs.x, mine()));
    refused!((theirs.graph, own.graph));
    // Two that are both of this context.
    assert!(gpu.attach(cuscope::Detached::new((mine(), own.x))).is_ok());
    gpu.pop().unwrap();
}

#[test]
fn a_capture_fails_with_what_is_of_another_context() {
    let (gpu, mut own, mut theirs) = unified([new_context(), new_context()]);
    let Things { second, x, y, saxpy, .. } = &mut own;
    let Things { x: their_x, y: their_y, saxpy: their_saxpy, event: their_event, .. } = &mut theirs;
    for _ in 0..2 {
        let launched = gpu.capture(second, |c| {
            let _refused = saxpy!(c.stream(), &*their_saxpy, &*x, &mut c.hold(&mut *y));
            Ok(())
        });
        assert_eq!(launched.unwrap_err(), Error::OtherContext { call: "cuLaunchKernel" });
        let read = gpu.capture(second, |c| {
            let (stream, mut y) = (c.stream(), c.hold(&mut *y));
            stream.zero(&mut y)?;
            let _refused = saxpy!(stream, &*saxpy, &*their_x, &mut y);
            stream.zero(&mut y)
        });
        assert_eq!(read.unwrap_err(), Error::OtherContext { call: "cuLaunchKernel" });
        let recorded = gpu.capture(second, |c| {
            let _refused = c.stream().record(&*their_event);
            Ok(())
        });
        assert_eq!(recorded.unwrap_err(), Error::OtherContext { call: "cuEventRecordWithFlags" });
        let written = gpu.capture(second, |c| c.stream().zero(&mut c.hold(&mut *their_y)));
        assert_eq!(written.unwrap_err(), Error::OtherContext { call: "cuMemsetD8Async" });
        // The next one is as if these had not been.
        let mut graph =
            gpu.capture(second, |c| saxpy!(c.stream(), &*saxpy, &*x, &mut c.hold(&mut *y)));
        assert_eq!(graph.as_mut().unwrap().nodes(), Ok(1));
    }
    gpu.pop().unwrap();
}

#[test]
fn an_ordered_stream_takes_memory_of_its_own() {
    let (gpu, mut own, mut theirs) = unified([new_context(), new_context()]);
    let named_by_address = gpu.on(&own.stream).from_slice(HOST).unwrap();
    let refused = |result: Result, call: &'static str| {
        assert_eq!(result, Err(Error::OtherStream { call }));
    };
    for _ in 0..2 {
        let ordered = &own.ordered;
        let (mut good, mut bad) =
            (ordered.zeroed::<f32>(LEN).unwrap(), theirs.ordered.zeroed::<f32>(LEN).unwrap());
        refused(ordered.fill(&mut bad, 1.0), "cuMemsetD32Async");
        refused(ordered.zero(&mut bad.slice_mut(1..).unwrap()), "cuMemsetD8Async");
        refused(ordered.upload(HOST, &mut bad), "cuMemcpyHtoDAsync_v2");
        refused(ordered.download(&bad, &mut [0.0; LEN]), "cuMemcpyDtoHAsync_v2");
        refused(ordered.copy(&bad, &mut good), "cuMemcpyDtoDAsync_v2");
        refused(ordered.copy(&good, &mut bad), "cuMemcpyDtoDAsync_v2");
        refused(ordered.to_vec_later(&bad).map(drop), "cuMemcpyDtoHAsync_v2");
        refused(saxpy!(ordered, &own.saxpy, &bad, &mut good), "cuLaunchKernel");
        refused(saxpy!(ordered, &own.saxpy, &good, &mut bad), "cuLaunchKernel");
        assert_eq!(
            saxpy!(ordered, &theirs.saxpy, &good, &mut good_of(ordered)),
            other("cuLaunchKernel")
        );
        assert_eq!(saxpy!(ordered, &own.saxpy, &good, &mut good_of(ordered)), Ok(()));
        // A range has the context of its guard, which is that of the stream in the first round alone.
        // SAFETY: 1. and 2. The buffer lives longer, and nothing writes it.
        let range = unsafe { gpu.device_range::<f32>(named_by_address.address(), LEN) }.unwrap();
        let mut sum = good_of(ordered);
        let launched = saxpy!(ordered, &own.saxpy, range, &mut sum);
        if ordered.context() == gpu.context() {
            assert_eq!(launched.and_then(|()| ordered.to_vec(&sum)).unwrap(), HOST);
        } else {
            refused(launched, "cuLaunchKernel");
        }
        let down = ordered.download_owned(&bad, gpu.pinned(LEN).unwrap()).unwrap_err();
        assert_eq!(down.error, Error::OtherStream { call: "cuMemcpyDtoHAsync_v2" });
        assert!(down.value.is_some());
        // SAFETY: it is not called.
        let foreign = unsafe { ordered.foreign((&mut bad,), |_, _| panic!("it is called")) };
        refused(foreign, "OrderedStream::foreign");
        let shared = bad.share();
        refused(ordered.copy(&shared, &mut good), "cuMemcpyDtoDAsync_v2");
        let bad = shared.try_unwrap().unwrap();
        let call = "cuStreamWaitEvent";
        let not_handed = ordered.hand_over(bad).unwrap_err();
        assert_eq!(not_handed.error, Error::OtherContext { call });
        drop(not_handed.value.expect("it comes back"));

        let adopted = own.ordered.adopt(theirs.y).unwrap_err();
        assert_eq!(adopted.error, Error::OtherContext { call: "OrderedStream::adopt" });
        theirs.y = adopted.value.expect("it comes back");
        assert_eq!(ordered.record(&theirs.event), other("cuEventRecord"));
        assert_eq!(ordered.wait(&theirs.event), Ok(()), "as the driver does (F36)");
        let named = std::mem::replace(&mut theirs.named, gpu.alloc(0).unwrap());
        let mut named = theirs.ordered.adopt(named).unwrap();
        assert_eq!(ordered.replay(&theirs.graph, &mut named), other("cuGraphLaunch"));
        assert_eq!(theirs.ordered.replay(&theirs.graph, &mut named), Ok(()));
        let is_own = named.context() == gpu.context();
        match named.into_idle(&gpu) {
            Ok(_) => assert!(is_own),
            Err(refused) => {
                assert_eq!(refused.error, Error::OtherContext { call: "Ordered::into_idle" });
                assert!(!is_own && refused.value.is_some());
            }
        }
        assert_eq!(theirs.ordered.stream(&gpu).is_ok(), is_own);
        // And the other way round.
        std::mem::swap(&mut own, &mut theirs);
    }
    let mut bad = theirs.ordered.zeroed::<f32>(LEN).unwrap();
    gpu.scope(|s| {
        let held = s.hold_ordered(&mut bad);
        assert_eq!(held.map(drop), other("Scope::hold_ordered"));
        Ok(())
    })
    .unwrap();
    let made = gpu.ordered_stream_with(theirs.second, &OrderedOptions::new());
    assert_eq!(made.map(drop), other("cuEventCreate"));
    gpu.pop().unwrap();
}

/// The elements of shared memory.
const WEIGHTS: &[f32] = &[1.0, 2.0, 3.0, 4.0];

type Saxpy = (u32, f32, &'static [f32], &'static mut [f32]);

/// The objects that a context shares, and a stream of it with kernels.
struct Shares {
    ordered: OrderedStream,
    saxpy: Function<'static>,
    typed: Kernel<Saxpy>,
    weights: SharedBuffer<f32>,
    texture: SharedTexture,
}

fn shares(gpu: &PushedGuard<'static>) -> Shares {
    let loader = gpu.ordered_stream().unwrap();
    let weights = loader.from_slice(WEIGHTS).unwrap().share();
    let array = gpu.alloc_array::<f32>(ArrayShape::D1 { width: LEN }, ArrayFlags::empty()).unwrap();
    let texture = gpu.texture(array, Sampling::default()).unwrap().share();
    let module = gpu.load(&Ptx::new(SAXPY).unwrap()).unwrap();
    let (saxpy, typed) = (module.function("saxpy").unwrap(), module.kernel("saxpy").unwrap());
    Shares { ordered: gpu.ordered_stream().unwrap(), saxpy, typed, weights, texture }
}

/// Returns the answer of each operation of an ordered stream that takes shared memory.
fn reads_of(
    gpu: &PushedGuard<'static>,
    Shares { ordered, saxpy, typed, .. }: &Shares,
    shared: &SharedBuffer<f32>,
    texture: &SharedTexture,
) -> Vec<(&'static str, Result)> {
    let (mut y, mut listed) = (good_of(ordered), good_of(ordered));
    let mut rows = ordered.alloc_pitched::<f32>((2, LEN / 2)).unwrap();
    let part = shared.slice(1..2).unwrap();
    let mut list = saxpy.arguments().unwrap();
    list.push(4_u32).unwrap().push(1_f32).unwrap().push(shared).unwrap();
    list.push(&mut listed).unwrap();
    // SAFETY: 1. to 3. Nothing is enqueued.
    let foreign = unsafe { ordered.foreign((shared,), |_, _| ()) };
    // SAFETY: as above.
    let fetched = unsafe { ordered.foreign((texture,), |_, _| ()) };
    // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y).
    let listed = unsafe { ordered.launch_unchecked(saxpy, ONE(), list) };
    let owned = ordered.download_owned(shared, gpu.pinned(LEN).unwrap());
    let extended = ONE().extended().priority(0);
    vec![
        ("copy", ordered.copy(shared, &mut y)),
        ("copy of a part", ordered.copy(&part, &mut y.slice_mut(..1).unwrap())),
        ("copy to rows", ordered.copy(shared, &mut rows)),
        ("copy_batch", ordered.copy_batch([(shared, &mut y)])),
        ("copy_batch to rows", ordered.copy_batch([(shared, &mut rows)])),
        ("copy_with", ordered.copy_with(shared, &mut y, CopyFlags::empty())),
        ("copy_with to rows", ordered.copy_with(shared, &mut rows, CopyFlags::empty())),
        ("prefetch", ordered.prefetch(shared, Location::Host)),
        ("download", ordered.download(shared, &mut [0.0; LEN])),
        ("to_vec", ordered.to_vec(shared).map(drop)),
        ("download_owned", owned.map(drop).map_err(Error::from)),
        ("launch", saxpy!(ordered, saxpy, shared, &mut y)),
        (
            "launch with attributes",
            saxpy!(ordered, launch_unchecked(saxpy, extended), shared, &mut y),
        ),
        ("launch of a typed kernel", saxpy!(ordered, typed, shared, &mut y)),
        ("launch with a list", listed),
        ("foreign", foreign),
        ("foreign, with a texture", fetched),
    ]
}

/// A copy between contexts reads shared memory of another context, and is no proof for other operations. The contexts are
/// on one device, and on two where there are two.
#[test]
fn shared_memory_of_another_context_is_refused_whatever_copied_it() {
    let devices = Device::all().unwrap();
    let last = *devices.last().unwrap();
    let [a, b, c]: [&'static Context; 3] =
        [devices[0], devices[0], last].map(|device| &*Box::leak(Box::new(new_context_on(device))));
    let stack: &'static mut ContextStack =
        Box::leak(Box::new(ContextStack::current_thread().unwrap()));
    let first: &'static mut PushedGuard<'static> = Box::leak(Box::new(stack.push(a).unwrap()));
    let of_a = shares(first);
    let second: &'static mut PushedGuard<'static> = Box::leak(Box::new(first.push(b).unwrap()));
    let of_b = shares(second);
    // The last context on top is that of the stream, which may be of the other device.
    let check = |gpu: &PushedGuard<'static>, own: &Shares, theirs: &Shares| {
        let refused = |when: &str| {
            for (what, answer) in reads_of(gpu, own, &theirs.weights, &theirs.texture) {
                let is_refused = matches!(answer, Err(Error::OtherStream { .. }));
                // A driver that lacks the call is asked first.
                let is_lacking = matches!(answer, Err(Error::NeedsDriver { .. }));
                assert!(
                    is_refused || is_lacking && what.starts_with("copy_with"),
                    "{what}, {when}: {answer:?}"
                );
            }
            let fetched = reads_of(gpu, own, &own.weights, &theirs.texture);
            let answer = &fetched.last().unwrap().1;
            assert!(matches!(answer, Err(Error::OtherStream { .. })), "{when}: {answer:?}");
        };
        refused("before a copy");
        let mut y = good_of(&own.ordered);
        for when in ["after a copy", "after two copies"] {
            own.ordered.copy_from_peer(&theirs.weights, &mut y).unwrap();
            refused(when);
        }
        let part = theirs.weights.slice(..2).unwrap();
        own.ordered.copy_from_peer(&part, &mut y.slice_mut(2..).unwrap()).unwrap();
        refused("after a copy of a part");
        assert_eq!(own.ordered.to_vec(&y).unwrap(), [&WEIGHTS[..2], &WEIGHTS[..2]].concat());
        // A copy within the context makes the stream a reader like others.
        own.ordered.copy_from_peer(&own.weights, &mut y).unwrap();
        for (what, answer) in reads_of(gpu, own, &own.weights, &own.texture) {
            let is_refused = matches!(answer, Err(Error::OtherStream { .. }));
            assert!(!is_refused, "{what}, of the own context: {answer:?}");
        }
    };
    check(second, &of_b, &of_a);
    let gpu = second.push(c).unwrap();
    let of_c = shares(&gpu);
    check(&gpu, &of_c, &of_a);
    check(&gpu, &of_c, &of_b);
    gpu.pop().unwrap();
}

fn good_of(ordered: &OrderedStream) -> OrderedBuffer<f32> {
    ordered.zeroed(LEN).unwrap()
}

/// For the driver, an object made under a green context belongs to the primary one, and it refuses nothing then (F130).
/// Memory is compared all the same.
#[test]
fn a_green_context_and_the_primary_one_are_one_to_launches_and_records() {
    let device = Device::get(0).unwrap();
    let split = device.sm_resource().unwrap().split_by_count(1, 8, SmSplitFlags::empty()).unwrap();
    let contexts =
        [Context::create_green(&split.groups).unwrap(), Context::primary(device).unwrap()];
    let (gpu, mut own, mut theirs) = unified(contexts);
    let on = gpu.on(&own.stream);
    assert_eq!(on.record(&theirs.event), Ok(()));
    assert_eq!(saxpy!(on, &theirs.saxpy, &own.x, &mut own.y), Ok(()));
    assert_eq!(saxpy!(on, &theirs.saxpy, &theirs.x, &mut own.y), other("cuLaunchKernel"));
    assert_eq!(on.zero(&mut theirs.y), other("cuMemsetD8Async"));
    gpu.scope(|s| {
        let (stream, mut y) = (s.on(&own.stream), s.hold(&mut theirs.y));
        assert_eq!(stream.record(&theirs.event), Ok(()));
        assert_eq!(stream.zero(&mut y), other("cuMemsetD8Async"));
        Ok(())
    })
    .unwrap();
    gpu.pop().unwrap();
}

/// The code that stands for a handle of another context stands for others too.
#[test]
fn a_handle_that_is_none_is_no_handle_of_another_context() {
    let device = Device::get(0).unwrap();
    let split = device.sm_resource().unwrap().split_by_count(1, 8, SmSplitFlags::empty()).unwrap();
    let green = Context::create_green(&split.groups).unwrap();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&green).unwrap();
    let event = gpu.event().unwrap();
    // A green context has no stream of the thread (F133).
    let error = gpu.on_per_thread_default().record(&event).unwrap_err();
    assert_eq!(
        (error.code(), error.call()),
        (Some(ffi::CUDA_ERROR_INVALID_HANDLE), Some("cuEventRecord"))
    );
}

#[test]
fn arrays_textures_and_surfaces_of_another_context_are_refused() {
    let [a, b]: [&'static Context; 2] =
        [new_context(), new_context()].map(|context| &*Box::leak(Box::new(context)));
    let stack: &'static mut ContextStack =
        Box::leak(Box::new(ContextStack::current_thread().unwrap()));
    let outer: &'static mut PushedGuard<'static> = Box::leak(Box::new(stack.push(a).unwrap()));
    let shape = ArrayShape::D1 { width: LEN };
    let array =
        |gpu: &PushedGuard<'static>| gpu.alloc_array::<f32>(shape, ArrayFlags::SURFACE).unwrap();
    let (mut first, mut second) = (array(outer), array(outer));
    let texture = outer.texture(array(outer), Sampling::default()).unwrap();
    let surface = outer.surface(array(outer)).unwrap();
    let gpu = outer.push(b).unwrap();
    let (stream, saxpy) = (gpu.stream().unwrap(), kernel(&gpu, SAXPY, "saxpy"));
    let (on, mut own) = (gpu.on(&stream), array(&gpu));
    let copy = "cuMemcpy3DAsync_v2";
    for _ in 0..2 {
        assert_eq!(on.upload(&[1.0; LEN], &mut first), other(copy));
        assert_eq!(on.copy(&first, &mut own), other(copy));
        assert_eq!(on.copy(&own, &mut first), other(copy));
        let created = gpu.texture(&first, Sampling::default()).map(drop);
        assert_eq!(created, other("cuTexObjectCreate"));
        assert_eq!(gpu.surface(&mut second).map(drop), other("cuSurfObjectCreate"));
        // SAFETY: refused, as the objects belong to another context.
        let launched = unsafe { on.launch_unchecked(&saxpy, ONE(), (&texture,)) };
        assert_eq!(launched, other("cuLaunchKernel"));
        // SAFETY: as above.
        let launched = unsafe { on.launch_unchecked(&saxpy, ONE(), (&surface,)) };
        assert_eq!(launched, other("cuLaunchKernel"));
        gpu.scope(|s| {
            let (run, mut held) = (s.on(&stream), s.hold(&mut own));
            assert_eq!(run.copy(&first, &mut held), other(copy));
            // SAFETY: as above.
            let launched = unsafe { run.launch_unchecked(&saxpy, ONE(), (&texture,)) };
            assert_eq!(launched, other("cuLaunchKernel"));
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn queries_of_handles_compare_contexts_too() {
    let (gpu, mut own, mut theirs) = unified([new_context(), new_context()]);
    assert_eq!(own.stream.copy_attributes(&theirs.stream), other("cuStreamCopyAttributes"));
    assert_eq!(gpu.record_event(&theirs.event), other("cuCtxRecordEvent"));
    assert_eq!(gpu.on(&own.stream).upload_graph(&theirs.graph), other("cuGraphUpload"));
    assert_eq!(theirs.graph.try_clone(&gpu).map(drop), other("cuGraphClone"));
    assert_eq!(gpu.export_buffer(&theirs.x).map(drop), other("cuIpcGetMemHandle"));
    assert_eq!(gpu.export_event(&theirs.event).map(drop), other("cuIpcGetEventHandle"));
    #[cfg(unix)]
    {
        assert_eq!(gpu.export_pooled(&theirs.x).map(drop), other("cuMemPoolExportPointer"));
        let exported = gpu.export_dma_buf(&theirs.x);
        assert_eq!(exported.map(drop), other("cuMemGetHandleForAddressRange"));
    }
    let asked = gpu.occupancy(&theirs.saxpy).active_blocks(32, 0);
    assert_eq!(asked.map(drop), other("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"));

    let opened = gpu.open_capture(&theirs.stream);
    assert_eq!(opened.map(drop), other("cuStreamBeginCapture_v2"));
    let captured = gpu.capture(&mut theirs.second, |_| panic!("it is not called"));
    assert_eq!(captured.map(drop), other("cuStreamBeginCapture_v2"));
    let captured = gpu.capture(&mut own.second, |c| {
        assert_eq!(c.fork(&mut theirs.second).map(drop), other("cuStreamWaitEvent"));
        Ok(())
    });
    assert_eq!(captured.map(drop), Ok(()), "nothing of the other context was drawn in");
    let built = gpu.build_graph(|g| g.record(&[], &theirs.event).map(drop));
    assert_eq!(built.map(drop), other("cuGraphAddEventRecordNode"));
    let again = gpu.recapture(&mut theirs.graph, &mut own.second, |_| panic!("it is not called"));
    assert_eq!(again, other("cuGraphExecUpdate_v2"));
    let again = gpu.rebuild_graph::<()>(&mut theirs.graph, |_| panic!("it is not called"));
    assert_eq!(again, other("cuGraphExecUpdate_v2"));
    gpu.pop().unwrap();
}

#[test]
fn a_built_graph_refuses_what_is_of_another_context() {
    let (gpu, mut own, mut theirs) = unified([new_context(), new_context()]);
    let Things { x, y, saxpy, stream, .. } = &mut own;
    let Things { x: their_x, y: their_y, saxpy: their_saxpy, event: their_event, .. } = &mut theirs;
    let (fill, copy, kernel) =
        ("cuGraphAddMemsetNode", "cuGraphAddMemcpyNode", "cuGraphAddKernelNode_v2");
    let launched = |config: ExtendedLaunch<'_, 'static>, f: &_, x: &_, y: &mut _| {
        let built = gpu.build_graph(|g| {
            let (x, mut y) = (&*x, g.hold(y));
            // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y), and is not replayed.
            unsafe { g.kernel_unchecked(&[], f, config, (4_u32, 1_f32, x, &mut y)) }.map(drop)
        });
        built.map(drop)
    };
    let plain = || ONE().extended();
    for _ in 0..2 {
        let filled = gpu.build_graph(|g| g.fill(&[], &mut g.hold(&mut *their_y), 1.0).map(drop));
        assert_eq!(filled.map(drop), other(fill));
        let copied = gpu.build_graph(|g| g.copy(&[], &*their_x, &mut g.hold(&mut *y)).map(drop));
        assert_eq!(copied.map(drop), other(copy));
        let copied = gpu.build_graph(|g| g.copy(&[], &*x, &mut g.hold(&mut *their_y)).map(drop));
        assert_eq!(copied.map(drop), other(copy));
        assert_eq!(launched(plain(), their_saxpy, x, y), other(kernel));
        assert_eq!(launched(plain(), saxpy, their_x, y), other(kernel));
        assert_eq!(launched(plain(), saxpy, x, their_y), other(kernel));
        assert_eq!(launched(plain(), saxpy, x, y), Ok(()));
    }
    // An event of a launch is compared too.
    let launch = "cuLaunchKernelEx";
    gpu.scope(|s| {
        let (run, mut y) = (s.on(&*stream), s.hold(&mut *y));
        for event in [&*their_event; 2] {
            let first = plain().programmatic_event(event, false);
            assert_eq!(saxpy!(run, launch_unchecked(saxpy, first), &*x, &mut y), other(launch));
            let second = plain().launch_completion_event(event);
            assert_eq!(saxpy!(run, launch_unchecked(saxpy, second), &*x, &mut y), other(launch));
            saxpy!(run, launch_unchecked(saxpy, plain()), &*x, &mut y)?;
        }
        Ok(())
    })
    .unwrap();
    gpu.pop().unwrap();
}

/// A graph, and what makes or changes one, under a guard of another context.
#[test]
fn graphs_and_definitions_are_of_one_context() {
    let (gpu, mut own, mut theirs) = unified([new_context(), new_context()]);
    let timed = gpu.time_nodes(&own.stream, &mut theirs.graph, &mut theirs.named);
    assert_eq!(timed.map(drop), other("cuGraphClone"));
    let [first, second, third]: [_; 3] = theirs.definitions.try_into().unwrap();
    assert_eq!(first.instantiate(&gpu).map(drop), other("cuGraphClone"));
    let extended = second.extend(&gpu, |_| Ok(()));
    assert_eq!(extended.map(drop), other("cuGraphAddEmptyNode"));
    assert_eq!(third.into_graph(&gpu).map(drop), other("cuGraphInstantiateWithFlags"));
    for definition in own.definitions {
        assert!(definition.instantiate(&gpu).is_ok());
        assert!(definition.extend(&gpu, |_| Ok(())).unwrap().0.into_graph(&gpu).is_ok());
    }
    let (graph, (copy, kernel, record)) = gpu
        .build_graph(|g| {
            let mut y = g.hold(&mut own.y);
            let copy = g.copy(&[], &own.x, &mut y)?;
            // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y), and is not replayed.
            let kernel = unsafe {
                g.kernel_unchecked(&[], &own.saxpy, ONE(), (4_u32, 1_f32, &own.x, &mut y))
            }?;
            Ok((copy, kernel, g.record(&[], &own.event)?))
        })
        .unwrap();
    let mut graph = graph;
    let copied = "cuGraphExecMemcpyNodeSetParams";
    assert_eq!(graph.set_copy(copy, &theirs.x, &mut own.y), other(copied));
    assert_eq!(graph.set_copy(copy, &own.x, &mut theirs.y), other(copied));
    assert_eq!(graph.set_copy(copy, &own.x, &mut own.y), Ok(()));
    let recorded = "cuGraphExecEventRecordNodeSetEvent";
    assert_eq!(graph.set_event_record(record, &theirs.event), other(recorded));
    assert_eq!(graph.set_event_record(record, &own.event), Ok(()));
    let launched = "cuGraphExecKernelNodeSetParams_v2";
    let mut set = |function: &_, x: &_, y: &mut _| {
        // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y), and is not replayed.
        unsafe {
            gpu.set_kernel_unchecked(&mut graph, kernel, function, ONE(), (4_u32, 1_f32, x, y))
        }
    };
    assert_eq!(set(&theirs.saxpy, &own.x, &mut own.y), other(launched));
    assert_eq!(set(&own.saxpy, &theirs.x, &mut own.y), other(launched));
    assert_eq!(set(&own.saxpy, &own.x, &mut theirs.y), other(launched));
    assert_eq!(set(&own.saxpy, &own.x, &mut own.y), Ok(()));
    gpu.pop().unwrap();
}

/// With attributes, a launch names its kernel and events in another way.
#[test]
fn an_ordered_stream_takes_launches_with_attributes_of_its_context() {
    let (gpu, own, theirs) = unified([new_context(), new_context()]);
    let (x, ordered) = (good_of(&own.ordered), &own.ordered);
    let launch = |function, config: ExtendedLaunch<'_, 'static>| {
        saxpy!(ordered, launch_unchecked(function, config), &x, &mut good_of(ordered))
    };
    let (plain, call) = (ONE().extended().priority(0), "cuLaunchKernelEx");
    for _ in 0..2 {
        assert_eq!(launch(&theirs.saxpy, plain), other(call));
        assert_eq!(launch(&own.saxpy, plain.launch_completion_event(&theirs.event)), other(call));
        assert_eq!(launch(&own.saxpy, plain.programmatic_event(&theirs.event, false)), other(call));
        assert_eq!(launch(&own.saxpy, plain), Ok(()));
    }
    gpu.pop().unwrap();
}

/// A fill is named by its elements, and by whether they lie in rows.
#[test]
fn a_fill_names_the_call_that_it_does_not_make() {
    let (gpu, own, theirs) = unified([new_context(), new_context()]);
    let (on, Things { bytes, halves, words, .. }) = (gpu.on(&own.stream), theirs);
    let ((mut x, mut rows), (mut y, mut rows_of_y), (mut z, mut rows_of_z)) =
        (bytes, halves, words);
    assert_eq!(on.fill(&mut x, 1), other("cuMemsetD8Async"));
    assert_eq!(on.fill(&mut y, 1), other("cuMemsetD16Async"));
    assert_eq!(on.fill(&mut z, 1), other("cuMemsetD32Async"));
    assert_eq!(on.fill(&mut rows, 1), other("cuMemsetD2D8Async"));
    assert_eq!(on.fill(&mut rows_of_y, 1), other("cuMemsetD2D16Async"));
    assert_eq!(on.fill(&mut rows_of_z, 1), other("cuMemsetD2D32Async"));
    gpu.pop().unwrap();
}
