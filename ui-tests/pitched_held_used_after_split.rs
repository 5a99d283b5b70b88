//! The parts of held rows replace them.
//!
//! **Why:** A use of the whole would not be ordered with uses of the parts. It is a part of `scope-ordered`.
//!
//! **Mend:** Use the parts, or split later. See `ui-tests/mended/pitched_held_used_after_split.rs`.
//!
//! **Mistake** (E0382):

use cuscope::scope::ScopedPitchedBuffer;
use cuscope::{Result, ScopedStream};

fn misuse<'s>(stream: ScopedStream<'s, '_>, mut held: ScopedPitchedBuffer<'s, f32>) -> Result {
    let (mut left, _right) = held.split_columns_at(4)?;
    stream.zero(&mut left)?;
    stream.zero(&mut held)
}

fn main() {}
