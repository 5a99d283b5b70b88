//! Guards are popped in the reverse order of the pushes: the driver pops whatever is on top, here the
//! inner context in place of the outer (F87, F88). Pop the inner guard first.

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    outer.pop()?;
    inner.pop()
}

fn main() {}
