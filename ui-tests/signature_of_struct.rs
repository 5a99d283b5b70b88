//! A struct by value is `Value<Struct>` in a signature.
//!
//! **Why:** A typed kernel has as many parameters as its signature. Each has the offset and the size that the
//! signature says, and a launch passes arguments of the signature. This is `signature-compared`.
//!
//! **Mend:** Write `Value<Particle>`, and a tuple also for one parameter. See
//! `ui-tests/mended/signature_of_struct.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Module, Result};

#[derive(Clone, Copy)]
struct Particle {
    _x: f32,
}

fn find(module: &Module<'_>) -> Result {
    module.kernel::<(u32, Particle)>("move")?;
    module.kernel::<u32>("move")?;
    Ok(())
}

fn main() {}
