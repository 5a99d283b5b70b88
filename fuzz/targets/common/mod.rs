//! What the tests share, as far as the programs of the fuzzer need it.

#[path = "../../../tests/common/gpu.rs"]
pub(crate) mod gpu;
#[path = "../../../tests/common/kernels.rs"]
pub(crate) mod kernels;

pub(crate) const fn fewer(all: usize, _few: usize) -> usize {
    all
}
