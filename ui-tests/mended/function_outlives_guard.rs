//! The mend of `ui-tests/function_outlives_guard.rs`. Detach it, and attach it to the guard that launches, which
//! compares.

use cuscope::{Context, ContextStack, Detached, Function, LaunchConfig, Result};

fn launch(stack: &mut ContextStack, one: &Context, other: &Context) -> Result {
    let function: Detached<Function<'static>>;
    {
        let gpu = stack.push(one)?;
        function = gpu.load_ptx(".version 7.0")?.function("nothing")?.detach();
    }
    let gpu = stack.push(other)?;
    let function = gpu.attach(function)?;
    let stream = gpu.stream()?;
    // SAFETY: nothing().
    unsafe { gpu.on(&stream).launch_unchecked(&function, LaunchConfig::new(1, 1), ()) }
}

fn main() {}
