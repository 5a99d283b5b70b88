//! The stack that `reentrant` lends is the calling thread's, and stays there (F11).
//!
//! **Why:** On the other thread the driver's stack is another one. A push there through this value would leave the
//! books of both threads wrong. It is a part of `stays-on-thread`.
//!
//! **Mend:** Take the other thread's own there. See `ui-tests/mended/send_nested_stack.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{ContextStack, Result};

fn spawn<T: Send>(_: T) {}

fn misuse() -> Result {
    ContextStack::reentrant(|stack| {
        spawn(stack);
        Ok(())
    })
}

fn main() {}
