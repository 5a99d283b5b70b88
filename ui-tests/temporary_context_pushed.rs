//! A context that nothing holds cannot be pushed.
//!
//! **Why:** It would end with the line. It is a part of `context-alive`.
//!
//! **Mend:** Give it a name. See `ui-tests/mended/temporary_context_pushed.rs`.
//!
//! **Mistake** (E0716):

use cuscope::{Context, ContextStack, Device, Result};

fn misuse(stack: &mut ContextStack) -> Result {
    let gpu = stack.push(&Context::primary(Device::get(0)?)?)?;
    gpu.synchronize()
}

fn main() {}
