//! Programs of ordered streams, each in an order that the software driver chooses: results are those of a sequential model,
//! and no two uses of memory race. The programs are those of `tests/ordered_streams/ordered_schedules/`, read from the bytes.
#![no_main]
#![allow(unsafe_code, reason = "launches kernels")]

#[allow(unused, reason = "the tests use the rest")]
#[path = "../../tests/common/mod.rs"]
mod common;
#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../../tests/ordered_streams/ordered_schedules/program.rs"]
mod program;
#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../../tests/ordered_streams/ordered_schedules/run.rs"]
mod run;

use common::gpu::new_context;
use cuscope::{ContextStack, PushedGuard};
use cuscope_softdriver::{control, schedule};
use libfuzzer_sys::fuzz_target;
use program::{OPS, Op, Program, SLOTS, STREAMS, model};
use run::{Bench, run};
use std::cell::RefCell;
use std::panic::{set_hook, take_hook};

type Kit = (&'static PushedGuard<'static>, RefCell<Bench<'static>>);

thread_local! {
    /// What all programs work with, until the process ends.
    static KIT: Kit = {
        let hook = take_hook();
        set_hook(Box::new(move |info| {
            // Panics of the programs are caught, and find nothing.
            if info.payload().downcast_ref() != Some(&"in the program") {
                hook(info);
            }
        }));
        let stack = Box::leak(Box::new(ContextStack::current_thread().unwrap()));
        let gpu = &*Box::leak(Box::new(stack.push(Box::leak(Box::new(new_context()))).unwrap()));
        (gpu, RefCell::new(Bench::new(gpu)))
    };
}

fuzz_target!(|bytes: &[u8]| {
    let Some((seed, ops)) = bytes.split_first_chunk() else { return };
    let ops: Vec<_> = ops.as_chunks().0.iter().take(OPS).map(op).collect();
    let program = Program { seed: u64::from_le_bytes(*seed), ops, leaks: false };
    KIT.with(|(gpu, bench)| {
        schedule::seed(program.seed);
        let seen = run(gpu, &mut bench.borrow_mut(), &program);
        assert_eq!(seen, model(&program), "{program:?}");
        assert_eq!(control::take_races().len(), 0, "{program:?}");
    });
});

/// An operation from its kind, its slots or its stream, and its value. What leaks is left out: the process runs long.
fn op(&[kind, first, second, value]: &[u8; 4]) -> Op {
    let (a, b) = (usize::from(first) % SLOTS, usize::from(second) % SLOTS);
    let (stream, own, value) = (usize::from(second) % STREAMS, usize::from(first) % STREAMS, value.into());
    match kind % 28 {
        0 => Op::New(a, stream, value),
        1 => Op::Upload(a),
        2 => Op::OwnedUpload(a),
        3 => Op::Fill(a, value),
        4 => Op::FillOn(a, stream, value),
        5 => Op::Copy(a, b),
        6 => Op::CopyHalf(a, b),
        7 => Op::Mix(a, b),
        8 => Op::Download(a, stream),
        9 => Op::OwnedDownload(a, stream),
        10 => Op::Drop(a),
        11 => Op::Panic(a),
        12 => Op::HandOver(a, stream),
        13 => Op::Share(a),
        14 => Op::CloneShared(a, b),
        15 => Op::Unwrap(a),
        16 => Op::IntoIdle(a),
        17 => Op::Adopt(a, stream),
        18 => Op::Await,
        19 => Op::Ask,
        20 => Op::DropPending,
        21 => Op::Host(own),
        22 => Op::Synchronize(own),
        23 => Op::Trim(own),
        24 => Op::Replay(own),
        25 => Op::NewIdle(a, value),
        26 => Op::MixIdle(a),
        _ if value % 2 == 0 => Op::Scope(a, b, value),
        _ => Op::GraphOnce(a, value),
    }
}
