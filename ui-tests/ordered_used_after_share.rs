//! A buffer that is shared is not written any more.
//!
//! **Why:** A stream reads shared memory behind what wrote it. The memory is written or freed behind all streams
//! that read it. This is `shared-behind`.
//!
//! **Mend:** Write it before it is shared. See `ui-tests/mended/ordered_used_after_share.rs`.
//!
//! **Mistake** (E0382):

use cuscope::{OrderedBuffer, OrderedStream, Result};

fn misuse<'ctx>(ordered: &OrderedStream, mut x: OrderedBuffer<f32>) -> Result {
    let _shared = x.share();
    ordered.fill(&mut x, 1.0)
}

fn main() {}
