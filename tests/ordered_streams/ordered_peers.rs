//! Copies between ordered streams of different contexts and devices. With one device, between two of its contexts.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::fewer;
use crate::common::gpu::{kernel, new_context, new_context_on};
use crate::common::kernels::SPIN;
use crate::common::longer;
use crate::{common, fresh, skip};
use cuscope::{
    Context, ContextStack, Detached, Device, Error, Function, LaunchConfig, OrderedBuffer,
    OrderedStream, SharedBuffer, ffi,
};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use cuscope_softdriver::{control, schedule};
use std::time::Duration;

const LEN: usize = 64;

cuscope::handles! {
    /// The objects of a context.
    struct Place<'ctx> {
        ordered: OrderedStream,
        spin: Function<'ctx>,
        x: OrderedBuffer<u32>,
    }
}

/// Contexts on the devices in turn.
fn contexts(count: usize) -> Vec<Context> {
    let devices = Device::all().unwrap();
    devices.iter().cycle().take(count).map(|&device| new_context_on(device)).collect()
}

/// A stream in each context, with a buffer that holds the number of the context.
fn places(stack: &mut ContextStack, contexts: &[Context]) -> Vec<Detached<Place<'static>>> {
    let place = |(number, context)| {
        let gpu = stack.push(context).unwrap();
        let ordered = gpu.ordered_stream().unwrap();
        let x = ordered.from_slice(&[number; LEN]).unwrap();
        Place { ordered, spin: kernel(&gpu, SPIN, "spin"), x }.detach()
    };
    (0_u32..).zip(contexts).map(place).collect()
}

/// Keeps a stream busy.
fn busy<'ctx>(ordered: &OrderedStream, spin: &Function<'ctx>) {
    let time = longer(Duration::from_millis(5)).as_nanos() as u64;
    // SAFETY: the kernel is spin(u64), and uses no memory.
    unsafe { ordered.launch_unchecked(spin, LaunchConfig::new(1, 1), (time,)) }.unwrap();
}

/// Runs a test with the places of two neighbours: a copy goes from the first to the second.
fn exchange(
    stack: &mut ContextStack,
    [(a, from), (b, to)]: [(&Context, &mut Detached<Place<'static>>); 2],
    rows: bool,
) {
    let mut outer = stack.push(a).unwrap();
    let from = outer.bind_mut(from).unwrap();
    busy(&from.ordered, &from.spin);
    let gpu = outer.push(b).unwrap();
    let to = gpu.bind_mut(to).unwrap();
    busy(&to.ordered, &to.spin);
    if rows {
        let mut plane = to.ordered.alloc_pitched::<u32>((8, LEN / 8)).unwrap();
        to.ordered.copy_from_peer(&from.x, &mut plane).unwrap();
        to.ordered.copy(&plane, &mut to.x).unwrap();
    } else {
        let (half, x) = (from.x.slice(..LEN / 2).unwrap(), &mut to.x);
        to.ordered.copy_from_peer(&half, &mut x.slice_mut(LEN / 2..).unwrap()).unwrap();
        to.ordered.copy_from_peer(&from.x, x).unwrap();
    }
    // Written and dropped after the copy, which may not have begun.
    from.ordered.fill(&mut from.x, u32::MAX).unwrap();
    let next = from.ordered.zeroed::<u32>(LEN).unwrap();
    drop(std::mem::replace(&mut from.x, next));
}

#[test]
fn a_value_goes_round_and_its_sources_are_written_and_dropped_at_once() {
    for rows in [false, true] {
        let contexts = contexts(3);
        let mut stack = ContextStack::current_thread().unwrap();
        let mut places = places(&mut stack, &contexts);
        for _ in 0..fewer(3, 1) {
            for at in 0..places.len() {
                let next = (at + 1) % places.len();
                let [from, to] = places.get_disjoint_mut([at, next]).unwrap();
                exchange(&mut stack, [(&contexts[at], from), (&contexts[next], to)], rows);
            }
        }
        let gpu = stack.push(&contexts[0]).unwrap();
        let first = gpu.bind(&places[0]).unwrap();
        assert_eq!(first.ordered.to_vec(&first.x).unwrap(), [0; LEN], "it came back");
    }
}

#[test]
fn weights_are_shared_with_all_devices() {
    let contexts = contexts(4);
    let mut stack = ContextStack::current_thread().unwrap();
    let mut places = places(&mut stack, &contexts);
    let mut outer = stack.push(&contexts[0]).unwrap();
    let loader = outer.ordered_stream().unwrap();
    let weights: SharedBuffer<u32> = loader.from_slice(&[7_u32; LEN]).unwrap().share();
    for (context, place) in contexts.iter().zip(&mut places).skip(1) {
        let gpu = outer.push(context).unwrap();
        let Place { ordered, spin, x } = gpu.bind_mut(place).unwrap();
        busy(ordered, spin);
        for _ in 0..2 {
            ordered.copy_from_peer(&weights, x).unwrap();
        }
    }
    drop(weights);
    let _written = loader.from_slice(&[9_u32; LEN]).unwrap();
    for (context, place) in contexts.iter().zip(&places).skip(1) {
        let gpu = outer.push(context).unwrap();
        let place = gpu.bind(place).unwrap();
        assert_eq!(place.ordered.to_vec(&place.x).unwrap(), [7; LEN]);
    }
}

#[test]
fn lengths_and_streams_are_compared() {
    let [a, b] = [new_context(), new_context()];
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    let (there, elsewhere) = (outer.ordered_stream().unwrap(), outer.ordered_stream().unwrap());
    let x = there.zeroed::<u32>(LEN).unwrap();
    let mut not_mine = elsewhere.zeroed::<u32>(LEN).unwrap();
    elsewhere.copy_from_peer(&x, &mut not_mine).unwrap();
    let refused = there.copy_from_peer(&x, &mut not_mine).unwrap_err();
    assert!(matches!(refused, Error::OtherStream { .. }));
    let gpu = outer.push(&b).unwrap();
    let here = gpu.ordered_stream().unwrap();
    let refused = here.copy_from_peer(&x, &mut here.alloc(LEN + 1).unwrap()).unwrap_err();
    assert!(matches!(refused, Error::LengthMismatch { from: LEN, .. }), "{refused}");
    // Of no bytes nothing is copied.
    let (nothing, mut none) = (there.alloc::<u32>(0).unwrap(), here.alloc::<u32>(0).unwrap());
    here.copy_from_peer(&nothing, &mut none).unwrap();
    let (units, mut copies) =
        (there.alloc::<[u32; 0]>(LEN).unwrap(), here.alloc::<[u32; 0]>(LEN).unwrap());
    here.copy_from_peer(&units, &mut copies).unwrap();
}

/// A stream of another context that cannot be ordered before the free is waited for, as one of the same context is.
#[test]
fn a_copy_that_cannot_be_ordered_before_the_free_is_waited_for() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    let [a, b] = [new_context(), new_context()];
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    let there = outer.ordered_stream().unwrap();
    let shared = there.from_slice(&[7_u32; LEN]).unwrap().share();
    let gpu = outer.push(&b).unwrap();
    let here = gpu.ordered_stream().unwrap();
    let mut x = here.alloc(LEN).unwrap();
    busy(&here, &kernel(&gpu, SPIN, "spin"));
    here.copy_from_peer(&shared, &mut x).unwrap();
    let code = ffi::CUDA_ERROR_OUT_OF_MEMORY;
    let fault = Fault { which: Which::Named("cuStreamWaitEvent"), code, performed: false };
    let (_, calls) = control::record(|| with_fault(fault, || drop(shared)));
    assert_eq!(calls, ["cuEventRecord", "cuStreamWaitEvent", "cuStreamSynchronize"]);
    assert!(here.query().unwrap(), "it waited");
}

/// Each call of a copy fails in turn, taken by the driver or not, in orders that the software driver chooses: what comes
/// after the copy in its source's stream does not race with it.
#[test]
fn a_copy_whose_calls_fail_races_with_nothing() {
    fresh!(a_copy_whose_calls_fail_races_with_nothing, {
        if !common::software() {
            skip!("the software driver fails calls");
        }
        let contexts = contexts(2);
        let mut stack = ContextStack::current_thread().unwrap();
        for seed in 0..fewer(40, 2) as u64 {
            schedule::seed(seed);
            for (nth, performed) in (0..5).flat_map(|nth| [(nth, false), (nth, true)]) {
                let mut places = places(&mut stack, &contexts);
                let [from, to] = places.get_disjoint_mut([0, 1]).unwrap();
                let mut outer = stack.push(&contexts[0]).unwrap();
                let from = outer.bind_mut(from).unwrap();
                let gpu = outer.push(&contexts[1]).unwrap();
                let to = gpu.bind_mut(to).unwrap();
                let code = ffi::CUDA_ERROR_UNKNOWN;
                let fault = Fault { which: Which::Nth(nth), code, performed };
                let (copied, _) =
                    with_fault(fault, || to.ordered.copy_from_peer(&from.x, &mut to.x));
                copied.unwrap_err();
                from.ordered.fill(&mut from.x, 5).unwrap();
                let seen = to.ordered.to_vec(&to.x).unwrap();
                assert!(seen == [1; LEN] || seen == [0; LEN], "{seen:?}");
                gpu.pop().unwrap();
                assert_eq!(from.ordered.to_vec(&from.x).unwrap(), [5; LEN]);
            }
        }
        let races = control::take_races();
        schedule::stop();
        assert_eq!(races, []);
    });
}
