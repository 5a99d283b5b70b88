//! The parts of held rows replace them: a use of the whole would not be ordered with uses of the parts.

use cuscope::scope::ScopedPitchedBuffer;
use cuscope::{Result, ScopedStream};

fn misuse<'s>(stream: ScopedStream<'s, '_>, mut held: ScopedPitchedBuffer<'s, f32>) -> Result {
    let (mut left, _right) = held.split_columns_at(4)?;
    stream.zero(&mut left)?;
    stream.zero(&mut held)
}

fn main() {}
