//! What `access` lends of mapped memory is given back before a kernel uses it.
//!
//! **Why:** The kernel reads the memory over the bus while the host writes it, and gets some old and some new values.
//! It is a part of `scope-borrows`.
//!
//! **Mend:** Ask again afterwards. See `ui-tests/mended/mapped_accessed_in_flight.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{Function, LaunchConfig, ScopedPinned, ScopedStream, Result};

fn misuse<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    mapped: &mut ScopedPinned<'s, f32>,
) -> Result {
    let host = mapped.access()?;
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut *mapped,)) }?;
    host[0] = 1.0;
    Ok(())
}

fn main() {}
