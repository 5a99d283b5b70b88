//! The mend of `ui-tests/growable_shortened_beside_its_part.rs`. Shorten it before the part is taken, or when the
//! part is not used any more.

use cuscope::memory::GrowableBuffer;
use cuscope::{Result, SyncStream};

fn right<'ctx>(stream: SyncStream<'_, 'ctx>, mut x: GrowableBuffer<'ctx, f32>) -> Result<Vec<f32>> {
    x.truncate(8)?;
    let part = x.slice(..8)?;
    stream.to_vec(&part)
}

fn main() {}
