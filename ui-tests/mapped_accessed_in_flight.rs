//! What `access` lends of mapped memory is given back before a kernel uses it: ask again afterwards.

use cuscope::{Function, LaunchConfig, Mapped, Queue, Result};

fn misuse<'s, 'ctx>(
    q: Queue<'s, 'ctx>,
    kernel: &Function<'ctx>,
    mapped: &mut Mapped<'s, f32>,
) -> Result {
    let host = mapped.access()?;
    unsafe { q.launch(kernel, LaunchConfig::new(1, 1), (&mut *mapped,)) }?;
    host[0] = 1.0;
    Ok(())
}

fn main() {}
