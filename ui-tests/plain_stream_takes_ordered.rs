//! Only operations of its stream use memory of an ordered stream.
//!
//! **Why:** Blocking operations of other streams do not. It is a part of `ordered-apart`.
//!
//! **Mend:** Use the ordered stream, or `into_idle`, which waits and gives an ordinary buffer. See
//! `ui-tests/mended/plain_stream_takes_ordered.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Function, LaunchConfig, OrderedBuffer, Result, SyncStream};

fn misuse<'ctx>(
    on: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mut x: OrderedBuffer<f32>,
) -> Result {
    on.fill(&mut x, 1.0)?;
    unsafe { on.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut x,)) }
}

fn main() {}
