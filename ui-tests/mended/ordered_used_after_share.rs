//! The mend of `ui-tests/ordered_used_after_share.rs`. Write it before it is shared.

use cuscope::{OrderedBuffer, OrderedStream, Result};

fn right<'ctx>(ordered: &OrderedStream, mut x: OrderedBuffer<f32>) -> Result {
    ordered.fill(&mut x, 1.0)?;
    let _shared = x.share();
    Ok(())
}

fn main() {}
