//! A struct by value is `Value<Struct>` in a signature.
//!
//! **Why:** Without the wrapper a struct of one pointer and a pointer would look the same. The kernel takes one by
//! value and follows the other. It is a part of `signature-compared`.
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
