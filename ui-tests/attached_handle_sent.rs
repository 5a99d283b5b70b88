//! A handle that belongs to a guard cannot outlive what the guard borrows, so it does not go to a thread of its own.
//!
//! **Why:** The new thread may run after the guard has popped and the context has ended. The driver refuses a stream
//! of a destroyed context, and an event of one may kill the process (F42). It is a part of `detached-unusable`.
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
