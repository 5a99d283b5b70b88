//! A `&mut ScopedBuffer` that is handed on in a tuple is moved into it.
//!
//! **Why:** If two streams of a scope use the same memory and one of them writes it, the two uses run one after the
//! other. This covers memory that the operations name. This is `scope-ordered`.
//!
//! **Mend:** Write `&mut *y` to lend it again. See `ui-tests/mended/used_twice_through_mut_ref.rs`.
//!
//! **Mistake** (E0382):

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn misuse<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 1);
    unsafe { stream.launch_unchecked(kernel, config, (y,)) }?;
    unsafe { stream.launch_unchecked(kernel, config, (y,)) }
}

fn main() {}
