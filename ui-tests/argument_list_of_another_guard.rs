//! Memory of one guard is no argument of a kernel of another one, which may be of another context (F34).

use cuscope::{DeviceBuffer, Function, Result};

fn misuse<'a, 'b>(kernel: &Function<'a>, x: &DeviceBuffer<'b, f32>) -> Result {
    let mut arguments = kernel.arguments::<cuscope::memory::InCall>()?;
    arguments.push(x)?;
    Ok(())
}

fn main() {}
