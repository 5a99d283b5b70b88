//! A library that pushes needs a place on the stack, not a context.
//!
//! **Why:** It could not tell what is current below (F11). It is a part of `right-context`.
//!
//! **Mend:** Hand it `&mut stack`, or `&mut gpu` to push on top of a guard. See
//! `ui-tests/mended/context_to_library.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Context, PushContext, Result};

fn library(_stack: &mut impl PushContext) -> Result {
    Ok(())
}

fn misuse(mut context: Context) -> Result {
    library(&mut context)
}

fn main() {}
