//! Random programs against a model of the stack: after each step the driver says what the model says.
//!
//! A program is a tree, as guards borrow what lies below them, and runs on threads of its own. Without
//! settings the same programs run each time; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` change that.

mod foreign;
mod handles;
mod model;
mod owners;
mod program;
mod run;
mod seen;
mod thread;

use crate::common::random::config;
use crate::{common, fresh};
use cuscope_softdriver::control::{Live, live};
use proptest::test_runner::TestRunner;
use seen::{Seen, times};
use std::env::var_os;
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
