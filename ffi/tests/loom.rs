//! Threads that look up one function at the same time, in every order that they can take:
//! `RUSTFLAGS="--cfg loom" cargo test -p cuscope-sys --test loom`.
#![cfg(loom)]

use core::ffi::c_void;
use loom::sync::Arc;
use loom::thread;
use slot::{Slot, UNKNOWN};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use sync::AtomicPtr;

#[path = "../src/slot.rs"]
mod slot;
/// The types that the slot is made of.
mod sync {
    pub(super) use loom::sync::atomic::{AtomicPtr, Ordering};
}

const THREADS: usize = 3;

/// The orders in which threads find `function`, or that there is none.
fn orders(function: *mut c_void) -> usize {
    let count = std::sync::Arc::new(AtomicUsize::new(0));
    let counter = count.clone();
    let function = function.addr();
    loom::model(move || {
        counter.fetch_add(1, SeqCst);
        let shared = Arc::new((Slot(AtomicPtr::new(UNKNOWN)), AtomicUsize::new(0)));
        let look = move |shared: &(Slot, AtomicUsize)| {
            let found = shared.0.get(|| {
                shared.1.fetch_add(1, SeqCst);
                ptr::without_provenance_mut(function)
            });
            assert_eq!(found.map_or(0, |found| found.addr().get()), function);
        };
        let threads = [(); THREADS - 1].map(|()| {
            let shared = shared.clone();
            thread::spawn(move || look(&shared))
        });
        look(&shared);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let looked = shared.1.load(SeqCst);
        assert!((1..=THREADS).contains(&looked), "{looked} look-ups");
        look(&shared);
        assert_eq!(shared.1.load(SeqCst), looked, "looked up again");
    });
    count.load(SeqCst)
}

#[test]
fn threads_find_the_same_function() {
    let count = orders(ptr::without_provenance_mut(0x1000));
    eprintln!("look-up: {count} orders");
    assert!(count >= 10);
}

#[test]
fn threads_find_that_there_is_none() {
    let count = orders(ptr::null_mut());
    eprintln!("look-up of nothing: {count} orders");
    assert!(count >= 10);
}
