//! A function that outlives the guard of its module is not used under the next one: it keeps its own context.
#![allow(unsafe_code)]

use cuscope::{Context, ContextStack, Function, LaunchConfig, Result};

fn launch(stack: &mut ContextStack, one: &Context, other: &Context) -> Result {
    let function: Function<'_>;
    {
        let gpu = stack.push(one)?;
        function = gpu.load_ptx(".version 7.0")?.function("nothing")?;
    }
    let gpu = stack.push(other)?;
    let stream = gpu.stream()?;
    // SAFETY: nothing().
    unsafe { gpu.on(&stream).launch_unchecked(&function, LaunchConfig::new(1, 1), ()) }
}

fn main() {}
