//! How many random programs there are, and which.
#![allow(dead_code, reason = "each test file uses a part")]

use cuscope_softdriver::schedule;
use proptest::test_runner::{Config, RngSeed};
use std::env::var_os;

/// So many programs if the tests are to be thorough, the same in each run, unless `PROPTEST_CASES` and
/// `PROPTEST_RNG_SEED` say otherwise.
pub(crate) fn config(cases: u32, seed: u64) -> Config {
    let mut config = Config { failure_persistence: None, ..Config::default() };
    if var_os("PROPTEST_CASES").is_none() {
        config.cases = super::thorough(cases as usize) as u32;
    }
    if var_os("PROPTEST_RNG_SEED").is_none() {
        config.rng_seed = RngSeed::Fixed(seed);
    }
    config
}

/// On the software driver, work runs from now on in an order that the seed decides.
pub(crate) fn scheduled(seed: u64) {
    if super::software() {
        schedule::seed(seed);
    }
}

/// So many programs, or a tenth on a GPU, which runs each in the order that comes.
pub(crate) fn fewer_on_a_gpu(cases: u32) -> u32 {
    if super::software() { cases } else { cases / 10 }
}
