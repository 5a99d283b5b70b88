//! A buffer that left its stream is an ordinary one. The stream does not use it any more.

use cuscope::{OrderedBuffer, OrderedStream, Result};

fn misuse<'ctx>(ordered: &OrderedStream<'ctx>, mut x: OrderedBuffer<'ctx, f32>) -> Result {
    let _idle = x.into_idle()?;
    ordered.fill(&mut x, 1.0)
}

fn main() {}
