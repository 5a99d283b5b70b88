//! A stack is the right to push on *this* thread (F11), and stays there.
//! Take the other thread's own: `ContextStack::current_thread()`.

use cuscope::{ContextStack, Result};

fn spawn<T: Send>(_: T) {}

fn misuse() -> Result {
    let stack = ContextStack::current_thread()?;
    spawn(stack);
    Ok(())
}

fn main() {}
