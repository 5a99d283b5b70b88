//! Tests of the front end and the interpreter: the kernels of
//! `tests/kernels` and of `examples/kernels` against results computed here.

mod accidents;
mod arith;
mod assembler;
mod bulk;
mod clusters;
mod contract;
mod device;
mod flow;
#[cfg(not(loom))]
mod fuzz;
mod hoist;
mod lanes;
mod matrix;
mod measured;
mod memory;
mod pair;
mod programs;
mod refusals;
mod speed;
mod sums;
mod syntax;
mod table;
mod tensors;
mod text;
mod texts;
mod warps;
