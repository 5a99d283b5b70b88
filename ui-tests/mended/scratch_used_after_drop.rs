//! The mend of `ui-tests/scratch_used_after_drop.rs`. Drop it, and the parts that read it, after their last use.

use cuscope::{ScopedStream, Result};

fn right<'s>(stream: ScopedStream<'s, '_>) -> Result {
    let (x, mut y) = (stream.scratch::<f32>(64)?, stream.scratch::<f32>(32)?);
    let part = x.slice(..32)?;
    stream.copy(part, &mut y)?;
    drop(x);
    stream.zero(&mut y)?;
    drop(y);
    Ok(())
}

fn main() {}
