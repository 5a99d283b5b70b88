//! A handle that belongs to a guard cannot outlive what the guard borrows, so it does not go to a thread of
//! its own. Detach it, send that, and attach it to a guard there.

use cuscope::{Context, ContextStack, Result};
use std::thread;

fn misuse(stack: &mut ContextStack, context: &'static Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    thread::spawn(move || stream.synchronize()).join().unwrap()
}

fn main() {}
