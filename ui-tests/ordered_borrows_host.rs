//! Host memory that is in flight belongs to the pending value.
//!
//! **Why:** A borrowed slice may end before the copy. It is a part of `pending-owns`.
//!
//! **Mend:** Give it page-locked memory, which `wait` gives back. See `ui-tests/mended/ordered_borrows_host.rs`.
//!
//! **Mistake** (E0308):

use cuscope::{OrderedBuffer, OrderedStream, Result};

fn misuse<'ctx>(ordered: &OrderedStream, x: &OrderedBuffer<f32>) -> Result {
    let mut host = [0.0_f32; 8];
    let pending = ordered.download_owned(x, &mut host[..])?;
    pending.wait().map(drop)
}

fn main() {}
