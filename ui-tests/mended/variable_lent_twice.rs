//! The mend of `ui-tests/variable_lent_twice.rs`. Use the one view on all streams.

use cuscope::{Context, ContextStack, Result};

fn fill(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    let mut counter = gpu.load_ptx(".version 7.0")?.variable::<u32>("counter")?;
    gpu.scope(|s| {
        let mut one = s.hold(&mut counter);
        s.on(&stream).fill(&mut one, 1)?;
        s.on(&stream).fill(&mut one, 2)
    })
}

fn main() {}
