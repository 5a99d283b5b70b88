//! Random programs of streams that own the order of their memory, each in an order that the software driver chooses,
//! late and against what a program may hope for: results are those of a sequential model, and no two uses of memory
//! race. On a GPU the same programs run in the order that comes.
#![allow(unsafe_code, reason = "launches kernels")]

mod program;
mod run;
mod threads;

use crate::common::fewer;
use crate::common::gpu::{new_context, new_context_on};
use crate::common::random::{config, fewer_on_a_gpu, scheduled};
use crate::{common, fresh};
use cuscope::{ContextStack, Device};
use cuscope_softdriver::{control, schedule};
use program::{Op, Program, model, program};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use run::{Bench, Run, run};
use std::cell::RefCell;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs, unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 10_000;

fn so_many(cases: u32) -> Config {
    config(fewer(fewer_on_a_gpu(cases) as usize, 3) as u32, 7)
}

fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // The panics of the programs are many, and tell nothing.
            if info.payload().downcast_ref() != Some(&"in the program") {
                hook(info);
            }
        }));
    });
}

#[test]
fn programs_give_the_results_of_a_sequential_model_in_every_order() {
    fresh!(programs_give_the_results_of_a_sequential_model_in_every_order, {
        static STEPS: AtomicU64 = AtomicU64::new(0);
        quiet();
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let bench = RefCell::new(Bench::new(&gpu));
        TestRunner::new(so_many(CASES))
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

/// Leaves out the steps that need a guard, which here is covered by another, or the page-locked memory that it made.
fn without_guard(program: Program) -> Program {
    let ops = program.ops.into_iter().map(|op| match op {
        Op::IntoIdle(slot) => Op::Share(slot),
        Op::DropPending => Op::Ask,
        op if op.needs_guard() => Op::Synchronize(0),
        op => op,
    });
    Program { ops: ops.collect(), ..program }
}

/// The work of both is in flight at the same time, and only one context is current. They are on two devices if there are
/// two.
#[test]
fn programs_in_two_contexts_take_turns() {
    fresh!(programs_in_two_contexts_take_turns, {
        quiet();
        let devices = Device::all().unwrap();
        let contexts = [0, 1].map(|i| new_context_on(devices[i % devices.len()]));
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(&contexts[0]).unwrap();
        let first = RefCell::new(Bench::new(&outer));
        let gpu = outer.push(&contexts[1]).unwrap();
        let second = RefCell::new(Bench::new(&gpu));
        TestRunner::new(so_many(CASES / 10))
            .run(&(program(), program()), |(one, two)| {
                let one = without_guard(one);
                scheduled(one.seed);
                let (mut first, mut second) = (first.borrow_mut(), second.borrow_mut());
                let (mut run_one, mut run_two) =
                    (Run::start(&mut first, None), Run::start(&mut second, Some(&gpu)));
                for index in 0..one.ops.len().max(two.ops.len()) {
                    one.ops.get(index).into_iter().for_each(|&op| run_one.step(op));
                    two.ops.get(index).into_iter().for_each(|&op| run_two.step(op));
                }
                let seen = [run_one.end(one.leaks), run_two.end(two.leaks)];
                prop_assert_eq!(seen, [model(&one), model(&two)]);
                prop_assert_eq!(control::take_races().len(), 0);
                Ok(())
            })
            .unwrap();
        schedule::stop();
    });
}

#[test]
fn threads_hand_memory_to_each_other_in_every_order() {
    fresh!(threads_hand_memory_to_each_other_in_every_order, {
        threads::run_all(so_many(CASES / 20));
    });
}
