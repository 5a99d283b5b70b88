//! A launch on a queue is `unsafe`, as every launch is: the kernel is outside Rust.

use cuscope::{Function, Held, LaunchConfig, Queue, Result};

fn misuse<'s, 'ctx>(
    q: Queue<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut Held<'s, f32>,
) -> Result {
    q.launch(kernel, LaunchConfig::new(1, 1), (y,))
}

fn main() {}
