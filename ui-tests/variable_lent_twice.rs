//! There is one exclusive view of a variable at a time.

use cuscope::{Context, ContextStack, Result};

fn fill(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    let mut counter = gpu.load_ptx(".version 7.0")?.variable::<u32>("counter")?;
    gpu.scope(|s| {
        let mut one = s.hold(&mut counter);
        let mut other = s.hold(&mut counter);
        s.on(&stream).fill(&mut one, 1)?;
        s.on(&stream).fill(&mut other, 2)
    })
}

fn main() {}
