//! A stack is the right to push on *this* thread (F11), and stays there.
//!
//! **Why:** Stacks and guards stay on the thread that made them. This is `stays-on-thread`.
//!
//! **Mend:** Take the other thread's own: `ContextStack::current_thread()`. See `ui-tests/mended/send_token.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{ContextStack, Result};

fn spawn<T: Send>(_: T) {}

fn misuse() -> Result {
    let stack = ContextStack::current_thread()?;
    spawn(stack);
    Ok(())
}

fn main() {}
