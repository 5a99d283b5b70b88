//! The stack that `reentrant` lends is the calling thread's, and stays there (F11).
//! The other thread takes its own.

use cuscope::{ContextStack, Result};

fn spawn<T: Send>(_: T) {}

fn misuse() -> Result {
    ContextStack::reentrant(|stack| {
        spawn(stack);
        Ok(())
    })
}

fn main() {}
