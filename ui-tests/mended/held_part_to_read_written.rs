//! The mend of `ui-tests/held_part_to_read_written.rs`. Write `slice_mut`.

use cuscope::{Result, ScopedBuffer, ScopedStream};

fn right<'s>(stream: ScopedStream<'s, '_>, x: &mut ScopedBuffer<'s, f32>) -> Result {
    stream.fill(&mut x.slice_mut(..4)?, 1.0)
}

fn main() {}
