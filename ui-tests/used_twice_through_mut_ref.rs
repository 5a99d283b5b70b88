//! A `&mut Held` that is handed on in a tuple is moved into it: write `&mut *y` to lend it again.

use cuscope::{Function, Held, LaunchConfig, Queue, Result};

fn misuse<'s, 'ctx>(
    q: Queue<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut Held<'s, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 1);
    unsafe { q.launch(kernel, config, (y,)) }?;
    unsafe { q.launch(kernel, config, (y,)) }
}

fn main() {}
