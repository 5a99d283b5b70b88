//! A handle that belongs to a guard cannot outlive what the guard borrows, so it does not go to a thread of its own.
//!
//! **Why:** A program uses a detached handle only through a guard that has checked that the handle belongs to its
//! context. This is `detached-unusable`.
//!
//! **Mend:** Detach it, send that, and attach it to a guard there. See `ui-tests/mended/attached_handle_sent.rs`.
//!
//! **Mistake** (E0521):

use cuscope::{Context, ContextStack, Result};
use std::thread;

fn misuse(stack: &mut ContextStack, context: &'static Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    thread::spawn(move || stream.synchronize()).join().unwrap()
}

fn main() {}
