//! Dropped scratch memory is freed behind the work that was enqueued, and takes no more: drop it, and the parts
//! that read it, after their last use.

use cuscope::{ScopedStream, Result};

fn misuse<'s>(stream: ScopedStream<'s, '_>) -> Result {
    let (x, mut y) = (stream.scratch::<f32>(64)?, stream.scratch::<f32>(32)?);
    let part = x.slice(..32)?;
    drop(x);
    stream.copy(part, &mut y)?;
    drop(y);
    stream.zero(&mut y)
}

fn main() {}
