//! A stack is not lent to another thread, which has its own (F11), in whatever way it is lent.
//!
//! **Why:** The borrowing thread would push on its own stack of the driver, while this value keeps the record of the
//! thread that made it. It is a part of `stays-on-thread`.
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
