//! Memory is allocated by a guard or a stream.
//!
//! **Why:** Its context is that which is current (F34), and a guard says which. It is a part of `right-context`.
//!
//! **Mend:** Call `from_slice` of a stream, or `alloc` of the guard. See `ui-tests/mended/buffer_without_a_guard.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    let x = DeviceBuffer::from_slice(&[1.0_f32, 2.0])?;
    let y = DeviceBuffer::<f32>::zeroed(2)?;
    Ok(())
}

fn main() {}
