//! A rectangle lives no longer than its buffer: the memory would be freed, and handed out again.

use cuscope::memory::PitchedBuffer;
use cuscope::{Result, SyncStream};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, mut x: PitchedBuffer<'ctx, f32>) -> Result {
    let mut part = x.part_mut(..8, .., ..)?;
    drop(x);
    stream.fill(&mut part, 1.0)
}

fn main() {}
