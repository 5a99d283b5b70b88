//! An argument of a launch is plain data, or memory.
//!
//! **Why:** The driver copies all bytes of the argument. It is a part of `plain-data`.
//!
//! **Mend:** Derive `Pod` and `Zeroable`. See `ui-tests/mended/argument_not_plain_data.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Function, LaunchConfig, PushedGuard, Result, Stream};

#[derive(Clone, Copy)]
#[repr(C)]
struct Params {
    scale: f32,
    count: u32,
}

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, kernel: &Function<'ctx>) -> Result {
    let params = Params { scale: 2.0, count: 16 };
    // SAFETY: the kernel is scale(struct Params).
    unsafe { gpu.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 16), (params,)) }
}

fn main() {}
