//! A scope ends with a wait for its streams, so a semaphore that they signal lives longer than the scope.

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
