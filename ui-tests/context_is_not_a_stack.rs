//! A context is what is pushed, not what is pushed on: the stack belongs to the thread (F11).
//! Push it on the thread's stack or on a guard: `stack.push(a)`.

use cuscope::{Context, Result};

fn misuse(a: &mut Context, b: &Context) -> Result {
    let gpu = a.push(b)?;
    gpu.pop()
}

fn main() {}
