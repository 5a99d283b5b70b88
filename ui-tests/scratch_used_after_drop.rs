//! Dropped scratch memory is freed behind the work that was enqueued, and takes no more.
//!
//! **Why:** The free is already in the stream. What is enqueued behind it would use memory that another allocation
//! may have by then. It is a part of `scope-ordered`.
//!
//! **Mend:** Drop it, and the parts that read it, after their last use. See
//! `ui-tests/mended/scratch_used_after_drop.rs`.
//!
//! **Mistake** (E0382, E0505):

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
