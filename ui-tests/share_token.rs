//! A stack is not lent to another thread, which has its own (F11), in whatever way it is lent.
//! Take that thread's own: `ContextStack::current_thread()`.

use cuscope::{ContextStack, Result};

fn spawn<T: Send>(_: T) {}

fn misuse() -> Result {
    let mut stack = ContextStack::current_thread()?;
    spawn(&stack);
    spawn(&mut stack);
    Ok(())
}

fn main() {}
