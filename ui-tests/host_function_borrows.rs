//! The driver may call a host function late, or never, so it owns what it uses.
//!
//! **Why:** The call may return before the function has run, for instance after an error of the stream. The function
//! would then count in a stack frame that is gone. It is a part of `host-functions-own`.
//!
//! **Mend:** Move it in, or share it by an `Arc`. See `ui-tests/mended/host_function_borrows.rs`.
//!
//! **Mistake** (E0373, E0503):

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result<u32> {
    let mut count = 0;
    gpu.on(stream).host_function(|| count += 1)?;
    Ok(count)
}

fn main() {}
