//! A kernel of a scope may use page-locked memory until the scope ends.
//!
//! **Why:** The page-locked memory would be given back to the host, which may use it for something else, while the
//! kernel reads and writes it over the bus. It is a part of `scope-borrows`.
//!
//! **Mend:** Lend it memory that lives longer. See `ui-tests/mended/local_pinned_launched.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Function, LaunchConfig, PinnedBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    [read, mut written]: [PinnedBuffer<f32>; 2],
) -> Result {
    let config = LaunchConfig::new(1, 1);
    gpu.scope(move |s| {
        let stream = s.on(stream);
        unsafe { stream.launch_unchecked(kernel, config, (&read,)) }?;
        unsafe { stream.launch_unchecked(kernel, config, (&mut written,)) }
    })
}

fn main() {}
