//! A tuple has at most 32 arguments.
//!
//! **Why:** Rust has no tuples of any length, so each length is an implementation of its own, and their number ends
//! somewhere. A list has no such end. It is a part of `arguments-lowered`.
//!
//! **Mend:** Put some of them in a `#[repr(C)]` struct, in the kernel and in Rust, or list them:
//! `kernel.arguments()`. See `ui-tests/mended/too_many_arguments.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Function, LaunchConfig, Result, SyncStream};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, kernel: &Function<'ctx>) -> Result {
    let config = LaunchConfig::new(1, 16);
    let many = (
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
        28, 29, 30, 31, 32, 33,
    );
    unsafe { stream.launch_unchecked(kernel, config, many) }
}

fn main() {}
