//! `part` reads: take `part_mut` for a rectangle to be written.

use cuscope::memory::PitchedBuffer;
use cuscope::{Result, SyncStream};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, x: &PitchedBuffer<'ctx, f32>) -> Result {
    stream.fill(&mut x.part(..8, .., ..)?, 1.0)
}

fn main() {}
