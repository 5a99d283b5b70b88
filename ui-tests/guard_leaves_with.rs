//! A stream does not leave the closure of `Context::with`, which pops its context. Detach it, or use it inside.

use cuscope::{Context, Result};

fn misuse(context: &Context) -> Result {
    let stream = context.with(|gpu| gpu.stream())?;
    stream.synchronize()
}

fn main() {}
