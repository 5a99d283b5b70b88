//! A library that pushes needs a place on the stack, not a context: it could not tell what is current
//! below (F11). Hand it `&mut stack`, or `&mut gpu` to push on top of a guard.

use cuscope::{Context, PushContext, Result};

fn library(_stack: &mut impl PushContext) -> Result {
    Ok(())
}

fn misuse(mut context: Context) -> Result {
    library(&mut context)
}

fn main() {}
