//! A buffer that left its stream is an ordinary one. The stream does not use it any more.

use cuscope::{OrderedBuffer, OrderedStream, PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>, ordered: &OrderedStream, mut x: OrderedBuffer<f32>) -> Result {
    let _idle = x.into_idle(gpu)?;
    ordered.fill(&mut x, 1.0)
}

fn main() {}
