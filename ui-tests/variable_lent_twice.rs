//! There is one exclusive view of a variable at a time.
//!
//! **Why:** The scope keeps the last uses of memory in what holds it. With two of them for one variable, neither
//! knows of the other's fill. It is a part of `variable-lent-once`.
//!
//! **Mend:** Use the one view on all streams. See `ui-tests/mended/variable_lent_twice.rs`.
//!
//! **Mistake** (E0499):

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
