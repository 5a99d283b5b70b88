//! Random programs against a model of the stack: after each step the driver says what the model says.
//!
//! A program is a tree, as guards borrow what lies below them, and runs on threads of its own. Without
//! settings the same programs run each time; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` change that.

mod every;
mod foreign;
mod handles;
mod model;
mod owners;
mod program;
mod run;
mod seen;
mod thread;

use crate::common::random::config;
use crate::common::{assert_success, fewer, is_alone, respawn_with};
use crate::{alone_under_miri, common, fresh, skip};
use cuscope::ffi;
use cuscope_softdriver::control::{Live, live};
use proptest::test_runner::TestRunner;
use seen::{Seen, times};
use std::env::{var, var_os};
use std::sync::atomic::{AtomicUsize, Ordering};
use thread::{Left, shared};

/// Enough for the steps that are asserted below.
const CASES: u32 = 2_000;

/// What is alive, given what was before and what the threads left.
fn with(before: Live, left: &[Left]) -> Live {
    let sum = |f: fn(&Left) -> usize| left.iter().map(f).sum::<usize>();
    let buffers = sum(|l| l.buffers);
    Live {
        contexts: before.contexts + sum(|l| l.contexts),
        streams: before.streams + sum(|l| l.streams),
        allocations: before.allocations + buffers,
        bytes: before.bytes + buffers * 4 * size_of::<u32>(),
        ..before
    }
}

#[test]
fn every_program_does_what_the_model_says() {
    fresh!(every_program_does_what_the_model_says, {
        shared();
        let default = var_os("PROPTEST_CASES").is_none();
        let mut runner = TestRunner::new(config(CASES, 12));
        let result = runner.run(&program::program(), |program| {
            let before = live();
            let left = run::run(&program);
            if common::software() {
                assert_eq!(live(), with(before, &left), "what is alive: {left:?}");
            }
            Ok(())
        });
        for what in Seen::ALL {
            eprintln!("{what:?}: {} times", times(what));
        }
        if let Err(failure) = result {
            panic!("{failure}");
        }
        if default {
            assert!(times(Seen::Step) >= 100_000, "too few steps");
            // Nothing is untried, but for what is costly on a GPU, or a matter of timing.
            let tried = |what| match what {
                Seen::Destroyed | Seen::GivenBack => !common::software() || times(what) >= 50,
                Seen::Received => true,
                _ => times(what) >= 50,
            };
            assert_eq!(Seen::ALL.into_iter().find(|what| !tried(*what)), None);
        }
    });
}

/// Every program of up to so many steps, or of as many as the variable `CUSCOPE_STEPS` says.
const STEPS: usize = fewer(6, 2);
/// In so many processes: what a program leaves for ever slows the next ones down.
const PROCESSES: usize = fewer(150, 1);
/// Which of them a process is.
const PROCESS: &str = "CUSCOPE_TEST_PROCESS";

/// Runs every so many-th program, and gives how many these are.
#[allow(unsafe_code, reason = "ends contexts that the crate keeps")]
fn run_every(process: usize) -> usize {
    shared();
    let most = var("CUSCOPE_STEPS").map_or(STEPS, |steps| steps.parse().expect("a number"));
    // What stays for ever is ended here.
    let after = |left: Left| {
        if let Some(first) = left.first {
            assert_eq!(left.contexts, 1);
            let raw = std::ptr::with_exposed_provenance_mut(first);
            // SAFETY: the context is alive, and nobody uses it any more.
            assert_eq!(unsafe { ffi::cuCtxDestroy_v2(raw) }, ffi::CUDA_SUCCESS);
        }
    };
    let (mut programs, mut next) = (0, Vec::new());
    for steps in 0..=most {
        every::programs(steps, |program| {
            programs += 1;
            if programs % PROCESSES == process {
                next.push(every::program(program));
            }
            if next.len() == 1_000 {
                run::run_all(&next, after);
                next.clear();
            }
        });
    }
    run::run_all(&next, after);
    programs
}

#[test]
fn every_short_program_does_what_the_model_says() {
    if !common::software() {
        skip!("only the software driver makes so many contexts in a short time");
    }
    let test = "every_short_program_does_what_the_model_says";
    alone_under_miri!(test);
    if is_alone(module_path!(), test) {
        let process = var(PROCESS).expect("set below").parse().expect("a number");
        let programs = run_every(process);
        eprintln!("{programs} programs, {} states here", times(Seen::Step));
        // One program without steps, 6 of one, 43 of two, 344 of three, 2,958 of four, 26,766 of five, 251,679 of six.
        assert!(programs >= fewer(281_797, 50));
        assert!(times(Seen::Step) >= fewer(10_000, 200));
        return;
    }
    let next = AtomicUsize::new(0);
    let work = || {
        while let process @ 0..PROCESSES = next.fetch_add(1, Ordering::Relaxed) {
            let variables = [(PROCESS, &*process.to_string())];
            let output = respawn_with(module_path!(), test, &variables).expect("not alone");
            assert_success(test, &output);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
}
