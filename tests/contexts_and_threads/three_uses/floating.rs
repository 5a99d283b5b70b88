//! A context that is used on one thread, then on another.

use super::{Handles, Kept, LEN, Then};
use crate::common::foreign::current;
use crate::common::gpu::new_context;
use cuscope::ContextStack;
use std::sync::mpsc;
use std::thread;

#[test]
fn a_context_floats_and_is_used_on_both_threads_in_turn() {
    let (there, arrivals) = mpsc::channel::<Kept>();
    let (back, returns) = mpsc::channel();
    let other = thread::spawn(move || {
        let mut stack = ContextStack::current_thread().unwrap();
        for mut kept in arrivals {
            assert!(current().is_null());
            let answer = kept.next(&mut stack, Then::Succeed);
            assert!(current().is_null());
            back.send((kept, answer)).unwrap();
        }
    });
    let mut stack = ContextStack::current_thread().unwrap();
    let mut kept = Kept::new(&mut stack, new_context()).unwrap();
    let raw = kept.context.raw();
    for round in 0..10 {
        assert_eq!(kept.next(&mut stack, Then::Succeed), Ok([2 * round + 1, 0, 0, 0]));
        assert!(current().is_null());
        there.send(kept).unwrap();
        let answer;
        (kept, answer) = returns.recv().unwrap();
        assert_eq!(answer, Ok([2 * round + 2, 0, 0, 0]));
    }
    drop(there);
    other.join().unwrap();

    // The thread it was used on is gone: it is as good as before, and nothing else holds it.
    let Kept { context, handles } = kept;
    assert_eq!(context.raw(), raw);
    let gpu = stack.push(&context).unwrap();
    assert_eq!(current(), raw);
    let Handles { stream, data, stores, .. } = gpu.attach(handles).unwrap();
    let mut host = [0; LEN];
    gpu.on(&stream).download(&data, &mut host).unwrap();
    assert_eq!((host, stores), ([20, 0, 0, 0], 20));
    drop((stream, data));
    gpu.pop().unwrap();
    context.try_destroy().expect("nothing holds it").unwrap();
}

#[test]
fn a_context_can_end_on_a_thread_that_only_received_it() {
    let mut stack = ContextStack::current_thread().unwrap();
    let kept = Kept::new(&mut stack, new_context()).unwrap();
    let own = new_context();
    let gpu = stack.push(&own).unwrap();
    thread::spawn(move || {
        let Kept { context, handles } = kept;
        drop(handles);
        context.try_destroy().expect("nothing holds it").unwrap();
        assert!(current().is_null());
    })
    .join()
    .unwrap();
    assert_eq!(current(), own.raw());
    gpu.synchronize().unwrap();
}
