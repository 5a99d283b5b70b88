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
use crate::common::{UNWINDS, assert_success, fewer, is_alone, respawn_with};
use crate::{alone_under_miri, common, fresh, skip};
use cuscope::ffi;
use cuscope_softdriver::control::{Live, live};
use every::Every;
use proptest::test_runner::TestRunner;
use seen::{Seen, times};
use std::collections::HashSet;
use std::env::{var, var_os};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;
use thread::{Left, shared};

/// Enough for the steps that are asserted below.
const CASES: u32 = 2_000;

/// Returns the objects that are alive, given those before and those that the threads left.
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
            assert!(times(Seen::Step) >= common::thorough(100_000), "too few steps");
            let enough = common::thorough(50);
            // Nothing is untried, but for what is costly on a GPU, or a matter of timing.
            let tried = |what| match what {
                Seen::Destroyed | Seen::GivenBack => !common::software() || times(what) >= enough,
                Seen::Received => true,
                Seen::Caught => !UNWINDS || times(what) >= enough,
                _ => times(what) >= enough,
            };
            assert_eq!(Seen::ALL.into_iter().find(|what| !tried(*what)), None);
        }
    });
}

/// Every program of up to so many steps, or of as many as the variable `CUSCOPE_STEPS` says.
const STEPS: usize = fewer(5, 2);
/// So many in a process: what a program leaves for ever slows the next ones down.
const IN_A_PROCESS: usize = 10_000;
/// What programs with owned guards meet.
const OWNED: [Seen; 3] = [Seen::Ended, Seen::EndedEarly, Seen::Lent];
/// What a process says of its programs, each behind a number.
const SAID: [&str; 5] = [" programs", " Step", " Ended", " EndedEarly", " Lent"];
/// Which of the processes this one is.
const PROCESS: &str = "CUSCOPE_TEST_PROCESS";

/// Runs every so many-th program. Returns how many there were.
#[allow(unsafe_code, reason = "ends contexts that the crate keeps")]
fn run_every(every: &Every, process: usize, processes: usize) -> usize {
    shared();
    // Values that stay for ever are ended here.
    let after = |left: Left| {
        if let Some(first) = left.first {
            assert_eq!(left.contexts, 1);
            let raw = std::ptr::with_exposed_provenance_mut(first);
            // SAFETY: the context is alive, and nobody uses it any more.
            assert_eq!(unsafe { ffi::cuCtxDestroy_v2(raw) }, ffi::CUDA_SUCCESS);
        }
    };
    let numbers = (process..every.all()).step_by(processes);
    let programs: Vec<_> = numbers.filter_map(|number| every.program(number)).collect();
    run::run_all(&programs, after);
    programs.len()
}

/// Returns how many steps the programs have.
fn most() -> usize {
    var("CUSCOPE_STEPS").map_or(STEPS, |steps| steps.parse().expect("a number"))
}

#[test]
fn every_short_program_does_what_the_model_says() {
    let test = "every_short_program_does_what_the_model_says";
    alone_under_miri!(test);
    every_short_program(test, most(), false);
}

/// There are so many more of them that they have a step less.
#[test]
fn every_short_program_with_owned_guards_does_what_the_model_says() {
    let test = "every_short_program_with_owned_guards_does_what_the_model_says";
    alone_under_miri!(test);
    every_short_program(test, most().saturating_sub(1).max(2), true);
}

fn every_short_program(test: &str, most: usize, owned: bool) {
    if !common::software() {
        skip!("only the software driver makes so many contexts in a short time");
    }
    let every = Every::new(most, owned);
    let processes = every.all().div_ceil(IN_A_PROCESS);
    if is_alone(module_path!(), test) {
        let process = var(PROCESS).map_or(0, |process| process.parse().expect("a number"));
        let count = run_every(&every, process, processes);
        assert!(count > 0 && times(Seen::Step) >= count);
        eprintln!("{count} programs");
        [Seen::Step].iter().chain(&OWNED).for_each(|what| eprintln!("{} {what:?}", times(*what)));
        return;
    }
    let (next, sums) = (AtomicUsize::new(0), SAID.map(|_| AtomicUsize::new(0)));
    let work = || {
        while let process = next.fetch_add(1, Ordering::Relaxed)
            && process < processes
        {
            let variables = [(PROCESS, &*process.to_string())];
            let output = respawn_with(module_path!(), test, &variables).expect("not alone");
            assert_success(test, &output);
            let said = String::from_utf8_lossy(&output.stderr);
            for (sum, what) in sums.iter().zip(SAID) {
                let count = said.lines().find_map(|line| line.strip_suffix(what));
                let count = count.expect("how many there were").parse().expect("a number");
                sum.fetch_add(count, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..available_parallelism().map_or(2, NonZero::get) {
            scope.spawn(work);
        }
    });
    let [programs, states, met @ ..] = sums.map(AtomicUsize::into_inner);
    eprintln!("{programs} programs of up to {most} steps, {states} states");
    let expected = met.map(|times| (times > 0) == owned);
    assert!(most < 4 || expected == [true; 3], "what owned guards met: {met:?}");
}

#[test]
fn short_programs_are_counted_and_differ() {
    let every = Every::new(7, false);
    let counts: Vec<_> = (0..=7).map(|steps| every.of(steps)).collect();
    assert_eq!(counts, [1, 5, 32, 237, 1_920, 16_514, 148_268, 1_375_153]);
    // Among few enough to compare each is another one.
    let differ = |few: &Every| {
        let all: Vec<_> = (0..few.all()).filter_map(|number| few.program(number)).collect();
        let programs: HashSet<_> = all.iter().map(|program| format!("{program:?}")).collect();
        assert_eq!(programs.len(), all.len());
        all.len()
    };
    let few = Every::new(fewer(4, 2), false);
    assert_eq!(differ(&few), few.all());

    // With owned guards, those that are left out are counted, too.
    let every = Every::new(6, true);
    let counts: Vec<_> = (0..=6).map(|steps| every.of(steps)).collect();
    assert_eq!(counts, [1, 11, 129, 1_604, 20_984, 286_467, 4_050_326]);
    assert_eq!(differ(&Every::new(fewer(4, 2), true)), fewer(5_198, 32));
}
