//! The mend of `ui-tests/signature_of_struct.rs`. Write `Value<Particle>`, and a tuple also for one parameter.

use cuscope::{Module, Result, kernel::Value};

#[derive(Clone, Copy, bytemuck::NoUninit)]
#[repr(C)]
struct Particle {
    _x: f32,
}

fn find(module: &Module<'_>) -> Result {
    module.kernel::<(u32, Value<Particle>)>("move")?;
    module.kernel::<(u32,)>("move")?;
    Ok(())
}

fn main() {}
