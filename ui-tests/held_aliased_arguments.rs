//! What a kernel writes is no other argument of it, in a scope neither: copy it to a `s.scratch` first.

use cuscope::{Function, Held, LaunchConfig, Queue, Result};

fn misuse<'s, 'ctx>(
    q: Queue<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut Held<'s, f32>,
) -> Result {
    unsafe { q.launch(kernel, LaunchConfig::new(1, 1), (&*y, &mut *y)) }
}

fn main() {}
