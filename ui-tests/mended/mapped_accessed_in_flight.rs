//! The mend of `ui-tests/mapped_accessed_in_flight.rs`. Ask again afterwards.

use cuscope::{Function, LaunchConfig, ScopedPinned, ScopedStream, Result};

fn right<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    mapped: &mut ScopedPinned<'s, f32>,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut *mapped,)) }?;
    let host = mapped.access()?;
    host[0] = 1.0;
    Ok(())
}

fn main() {}
