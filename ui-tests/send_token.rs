//! A stack is the right to push on *this* thread (F11), and stays there.
//!
//! **Why:** The thread that gets it has another stack of the driver. Its guards would say that a context is current
//! there, while it was pushed here. It is a part of `stays-on-thread`.
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
