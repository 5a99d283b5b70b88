//! What a scope holds is lent to a kernel, not given: write `&held` for what it reads, `&mut held` for what
//! it writes.

use cuscope::{Function, Held, LaunchConfig, Queue, Result};

fn misuse<'s, 'ctx>(q: Queue<'s, 'ctx>, kernel: &Function<'ctx>, held: Held<'s, f32>) -> Result {
    unsafe { q.launch(kernel, LaunchConfig::new(1, 1), (16_u32, held)) }
}

fn main() {}
