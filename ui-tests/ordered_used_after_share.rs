//! A buffer that is shared is not written any more.
//!
//! **Why:** Several streams read shared memory, and none waits for another. A write would come in the middle of their
//! reads. It is a part of `shared-behind`.
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
