//! What a scope maps is used by its queues, which order it: launch on one of them, or pass `&mut pinned`
//! outside of the scope.

use cuscope::{Function, LaunchConfig, Mapped, OnStream, Result};

fn misuse<'ctx>(
    queue: OnStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mapped: &mut Mapped<'_, f32>,
) -> Result {
    unsafe { queue.launch(kernel, LaunchConfig::new(1, 1), (mapped,)) }
}

fn main() {}
