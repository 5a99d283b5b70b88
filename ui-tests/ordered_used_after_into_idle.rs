//! A buffer that left its stream is an ordinary one.
//!
//! **Why:** The stream does not use it any more. It is a part of `ordered-apart`.
//!
//! **Mend:** Use it before, or use the ordinary buffer. See `ui-tests/mended/ordered_used_after_into_idle.rs`.
//!
//! **Mistake** (E0382):

use cuscope::{OrderedBuffer, OrderedStream, PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>, ordered: &OrderedStream, mut x: OrderedBuffer<f32>) -> Result {
    let _idle = x.into_idle(gpu)?;
    ordered.fill(&mut x, 1.0)
}

fn main() {}
