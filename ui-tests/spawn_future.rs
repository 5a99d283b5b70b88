//! A future that holds a guard over an `.await` may resume on another thread, where the context is not current
//! (F11).
//!
//! **Why:** The executor may resume it on another thread. There the context is not current, and the pop would take an
//! entry of somebody else. It is a part of `stays-on-thread`.
//!
//! **Mend:** Drop the guard before the `.await`, or run the future on one thread. See
//! `ui-tests/mended/spawn_future.rs`.
//!
//! **Mistake** (error):

use cuscope::{Context, ContextStack, Result};

fn spawn<T: Send>(_: T) {}

async fn file_read() {}

async fn misuse(context: Context) -> Result {
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    file_read().await;
    gpu.synchronize()
}

fn on_any_thread(context: Context) {
    spawn(misuse(context));
}

fn main() {}
