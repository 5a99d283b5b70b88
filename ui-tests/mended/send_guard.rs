//! The mend of `ui-tests/send_guard.rs`. Move the context over, and push it there.

use cuscope::{Context, Result};

fn spawn<T: Send>(_: T) {}

fn right(context: &Context) -> Result {
    let context = context.clone();
    spawn(move || context.with(|gpu| gpu.synchronize()));
    Ok(())
}

fn main() {}
