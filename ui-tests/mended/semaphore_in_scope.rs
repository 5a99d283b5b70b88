//! The mend of `ui-tests/semaphore_in_scope.rs`. Let it live longer, without `move`.

use cuscope::external::ExternalSemaphore;
use cuscope::{PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &mut PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    semaphore: ExternalSemaphore<'ctx>,
) -> Result {
    gpu.scope(|s| s.on(stream).signal_semaphores(&[(&semaphore, 1)]))
}

fn main() {}
