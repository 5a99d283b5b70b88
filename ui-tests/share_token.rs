//! A stack is not lent to another thread, which has its own (F11), in whatever way it is lent.
//!
//! **Why:** Stacks and guards stay on the thread that made them. This is `stays-on-thread`.
//!
//! **Mend:** Take that thread's own: `ContextStack::current_thread()`. See `ui-tests/mended/share_token.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{ContextStack, Result};

fn spawn<T: Send>(_: T) {}

fn misuse() -> Result {
    let mut stack = ContextStack::current_thread()?;
    spawn(&stack);
    spawn(&mut stack);
    Ok(())
}

fn main() {}
