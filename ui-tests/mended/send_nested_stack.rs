//! The mend of `ui-tests/send_nested_stack.rs`. Take the other thread's own there.

use cuscope::{ContextStack, Result};

fn spawn<T: Send>(_: T) {}

fn right() -> Result {
    ContextStack::reentrant(|_stack| {
        spawn(|| ContextStack::current_thread().map(drop));
        Ok(())
    })
}

fn main() {}
