//! A struct by value is `Value<Struct>` in a signature.

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
