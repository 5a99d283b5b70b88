//! A scope ends with a wait for its streams, so a semaphore that they signal lives longer than the scope.
//!
//! **Why:** The driver would be given a semaphore that is destroyed when the closure returns, while the stream has
//! yet to signal it. It is a part of `external-kept`.
//!
//! **Mend:** Let it live longer, without `move`. See `ui-tests/mended/semaphore_in_scope.rs`.
//!
//! **Mistake** (E0597):

use cuscope::external::ExternalSemaphore;
use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &mut PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    semaphore: ExternalSemaphore<'ctx>,
) -> Result {
    gpu.scope(move |s| s.on(stream).signal_semaphores(&[(&semaphore, 1)]))
}

fn main() {}
