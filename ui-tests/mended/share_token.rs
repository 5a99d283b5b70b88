//! The mend of `ui-tests/share_token.rs`. Take that thread's own: `ContextStack::current_thread()`.

use cuscope::{ContextStack, Result};

fn spawn<T: Send>(_: T) {}

fn right() -> Result {
    spawn(|| ContextStack::current_thread().map(drop));
    Ok(())
}

fn main() {}
