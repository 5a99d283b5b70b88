//! The arguments of a launch in a scope are a tuple, also a single one: write `(&mut *y,)`.

use cuscope::{Function, Held, LaunchConfig, Queue, Result};

fn misuse<'s, 'ctx>(
    q: Queue<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut Held<'s, f32>,
) -> Result {
    unsafe { q.launch(kernel, LaunchConfig::new(1, 1), y) }
}

fn main() {}
