//! Numbers in host memory that streams wait for and write.
#![allow(unsafe_code, reason = "shares memory of the host between threads")]

use crate::common::gpu::{new_context, with_gpu};
use cuscope::stream::{StreamValue, StreamWord, Until, ValueOperation};
use cuscope::{ContextStack, Error, ffi};
use std::cell::UnsafeCell;
use std::thread;

fn spin_until(done: impl Fn() -> bool) {
    while !done() {
        thread::yield_now();
    }
}

#[test]
fn the_host_and_a_stream_tell_each_other_how_far_they_are() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let mut x = gpu.alloc::<u32>(64).unwrap();
        let (go, done) = (gpu.stream_value(0_u32).unwrap(), gpu.stream_value(0_u64).unwrap());
        assert_eq!(format!("{go:?} {:?}", go.write(1)).split(' ').next(), Some("StreamValue(0)"));
        let mut seen = vec![0; 64];
        gpu.scope(|s| {
            let (run, mut x) = (s.on(&stream), s.hold(&mut x));
            for round in 1..=3_u32 {
                run.value_operations(&[go.wait(Until::AtLeast(round))])?;
                run.fill(&mut x, round)?;
                run.value_operations(&[
                    ValueOperation::barrier(),
                    done.write(u64::from(round) << 40),
                ])?;
            }
            for round in 1..=3 {
                assert!(!run.query()?);
                assert_eq!(done.load(), (round - 1) << 40);
                go.store(round as u32);
                spin_until(|| done.load() == round << 40);
            }
            run.download(&x, &mut seen)
        })
        .unwrap();
        assert_eq!((seen, go.load()), (vec![3; 64], 3));
    });
}

#[test]
fn streams_of_two_contexts_wait_for_one_value() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let value = stack.push(&a).unwrap().stream_value(0_u32).unwrap();
    thread::scope(|threads| {
        let (context, value) = (&b, &value);
        threads.spawn(move || {
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(context).unwrap();
            let stream = gpu.stream().unwrap();
            let both = [value.wait(Until::Equal(1)), value.write(2)];
            gpu.scope(|s| s.on(&stream).value_operations(&both)).unwrap();
        });
        let gpu = stack.push(&a).unwrap();
        let stream = gpu.stream().unwrap();
        let both = [value.write(1), value.wait(Until::Equal(2))];
        gpu.scope(|s| s.on(&stream).value_operations(&both)).unwrap();
    });
    assert_eq!(value.load(), 2);
}

#[test]
fn a_wait_ends_with_any_of_its_conditions() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (small, large) = (gpu.stream_value(6_u32).unwrap(), gpu.stream_value(6_u64).unwrap());
        // In cyclic order, a small number is later than the largest one.
        let held = |value: &StreamValue<u32>, until| {
            gpu.scope(|s| s.on(&stream).value_operations(&[value.wait(until)])).unwrap();
        };
        for until in [
            Until::AtLeast(6),
            Until::AtLeast(5),
            Until::AtLeast(u32::MAX),
            Until::Equal(6),
            Until::AnyOf(2),
            Until::Nor(1),
        ] {
            held(&small, until);
        }
        gpu.scope(|s| {
            let run = s.on(&stream);
            let all = [
                large.wait(Until::AtLeast(6)),
                large.wait(Until::AnyOf(4)),
                large.write(u64::MAX),
                large.wait(Until::Equal(u64::MAX)),
            ];
            run.value_operations(&all)?;
            run.value_operations(&[])
        })
        .unwrap();
        assert_eq!((small.load(), large.load()), (6, u64::MAX));
        // All bits are set: no other bit ends the wait.
        let (all, done) = (gpu.stream_value(u32::MAX).unwrap(), gpu.stream_value(0_u32).unwrap());
        let (wait, write) = (all.wait(Until::AnyOf(1)), done.write(1));
        assert_eq!(
            format!("{write:?}"),
            format!("ValueOperation({:?})", ffi::CU_STREAM_MEM_OP_WRITE_VALUE_32)
        );
        gpu.scope(|s| {
            s.on(&stream).value_operations(&[wait, write])?;
            spin_until(|| done.load() == 1);
            Ok(())
        })
        .unwrap();
    });
}

#[test]
fn a_list_that_is_too_long_is_refused() {
    with_gpu(|gpu| {
        let (stream, value) = (gpu.stream().unwrap(), gpu.stream_value(0_u32).unwrap());
        let many = vec![value.write(1); 256];
        let refused = gpu.scope(|s| s.on(&stream).value_operations(&many)).unwrap_err();
        assert!(matches!(refused, Error::InvalidArgument { call: "cuStreamBatchMemOp_v2", .. }));
        assert!(refused.to_string().contains("at most 255"), "{refused}");
        assert_eq!(value.load(), 0);
        gpu.scope(|s| s.on(&stream).value_operations(&many[..255])).unwrap();
        assert_eq!(value.load(), 1);
    });
}

/// Whoever loads a value sees the writes that a thread made before it stored the value. Where loads or stores were weaker, Miri
/// and the thread sanitizer find a data race.
#[test]
fn writes_before_a_stored_value_are_seen_once_it_is_loaded() {
    struct Turns(UnsafeCell<u64>);
    // SAFETY: two threads take turns.
    unsafe impl Sync for Turns {}
    fn take_turns<T: StreamWord + PartialEq + From<u8>>(value: &StreamValue<T>) {
        const TURNS: u8 = 20;
        let shared = Turns(UnsafeCell::new(0));
        let take = |odd: bool| {
            let shared = &shared;
            move || {
                for turn in (0..TURNS).filter(|turn| (turn % 2 == 1) == odd) {
                    spin_until(|| value.load() == turn.into());
                    // SAFETY: it is the turn of this thread, and the other one waits.
                    unsafe { *shared.0.get() += 1 };
                    value.store((turn + 1).into());
                }
            }
        };
        thread::scope(|threads| {
            threads.spawn(take(false));
            threads.spawn(take(true));
        });
        assert_eq!(shared.0.into_inner(), TURNS.into());
    }
    with_gpu(|gpu| {
        take_turns(&gpu.stream_value(0_u32).unwrap());
        take_turns(&gpu.stream_value(0_u64).unwrap());
    });
}
