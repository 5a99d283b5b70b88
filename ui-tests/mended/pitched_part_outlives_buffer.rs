//! The mend of `ui-tests/pitched_part_outlives_buffer.rs`. Drop the buffer after its last rectangle.

use cuscope::memory::PitchedBuffer;
use cuscope::{Result, SyncStream};

fn right<'ctx>(stream: SyncStream<'_, 'ctx>, mut x: PitchedBuffer<'ctx, f32>) -> Result {
    let mut part = x.part_mut(..8, .., ..)?;
    stream.fill(&mut part, 1.0)?;
    drop(x);
    Ok(())
}

fn main() {}
