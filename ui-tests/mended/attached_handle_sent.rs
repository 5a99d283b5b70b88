//! The mend of `ui-tests/attached_handle_sent.rs`. Detach it, send that, and attach it to a guard there.

use cuscope::{Context, ContextStack, Result};
use std::thread;

fn right(stack: &mut ContextStack, context: &'static Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?.detach();
    thread::spawn(move || context.with(|gpu| gpu.attach(stream)?.synchronize())).join().unwrap()
}

fn main() {}
