//! Memory that one scope maps is no other scope's.
//!
//! **Why:** `access` would not wait for the other's kernels. It is a part of `scope-own`.
//!
//! **Mend:** Use the streams of the scope that maps it. See `ui-tests/mended/mapped_in_other_scope.rs`.
//!
//! **Mistake** (E0521):

use cuscope::{Function, LaunchConfig, PinnedBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    host: &mut PinnedBuffer<f32>,
) -> Result {
    gpu.scope(|outer| {
        let mapped = outer.map(host);
        gpu.scope(|inner| unsafe {
            inner.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mapped,))
        })
    })
}

fn main() {}
