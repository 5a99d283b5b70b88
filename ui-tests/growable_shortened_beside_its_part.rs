//! A growable buffer gives no memory back while a part of it is in use.
//!
//! **Why:** The memory under the part is unmapped. The download would read addresses that have none, which is a fault
//! of the device or an error in the middle of a copy. It is a part of `mapped-while-used`.
//!
//! **Mend:** Shorten it before the part is taken, or when the part is not used any more. See
//! `ui-tests/mended/growable_shortened_beside_its_part.rs`.
//!
//! **Mistake** (E0502):

use cuscope::memory::GrowableBuffer;
use cuscope::{Result, SyncStream};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, mut x: GrowableBuffer<'ctx, f32>) -> Result<Vec<f32>> {
    let part = x.slice(8..)?;
    x.truncate(8)?;
    stream.to_vec(&part)
}

fn main() {}
