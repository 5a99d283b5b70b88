//! The mend of `ui-tests/spawn_future.rs`. Drop the guard before the `.await`, or run the future on one thread.

use cuscope::{Context, ContextStack, Result};

fn spawn<T: Send>(_: T) {}

async fn file_read() {}

async fn right(context: Context) -> Result {
    file_read().await;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    gpu.synchronize()
}

fn on_any_thread(context: Context) {
    spawn(right(context));
}

fn main() {}
