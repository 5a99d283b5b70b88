//! A buffer that is shared is not written any more.

use cuscope::{OrderedBuffer, OrderedStream, Result};

fn misuse<'ctx>(ordered: &OrderedStream, mut x: OrderedBuffer<f32>) -> Result {
    let _shared = x.share();
    ordered.fill(&mut x, 1.0)
}

fn main() {}
