//! What `access` lends of mapped memory is given back before a kernel uses it.
//!
//! **Why:** A scope borrows the memory that the device may touch until it has waited: for reading if the device only
//! reads it, else exclusively. The host gets staged memory back while no transfer uses it. This is `scope-borrows`.
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
