//! The mend of `ui-tests/kernel_of_other_context.rs`. Load the module under the guard that launches.

use cuscope::{Context, ContextStack, LaunchConfig, Result};

fn launch(stack: &mut ContextStack, one: &Context, other: &Context) -> Result {
    let mut outer = stack.push(one)?;
    let inner = outer.push(other)?;
    let kernel = inner.load_ptx(".version 7.0")?.function("nothing")?;
    let stream = inner.stream()?;
    // SAFETY: nothing(unsigned).
    unsafe { inner.on(&stream).launch_unchecked(&kernel, LaunchConfig::new(1, 1), (4_u32,)) }
}

fn main() {}
