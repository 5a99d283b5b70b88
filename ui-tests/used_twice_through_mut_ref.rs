//! A `&mut ScopedBuffer` that is handed on in a tuple is moved into it.
//!
//! **Why:** If the second launch got it too, one exclusive borrow would have been lent twice, to two kernels that may
//! run at the same time on different streams. It is a part of `scope-ordered`.
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
