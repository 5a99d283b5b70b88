//! A library that pushes takes the guard exclusively, as its push covers it.
//!
//! **Why:** The driver would act on the library's context meanwhile (F33). It is a part of `covered-unusable`.
//!
//! **Mend:** Hand it `&mut gpu`. See `ui-tests/mended/shared_guard_to_library.rs`.
//!
//! **Mistake** (E0308):

use cuscope::{Context, ContextStack, PushContext, Result};

fn library(_stack: &mut impl PushContext) -> Result {
    Ok(())
}

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    library(&gpu)
}

fn main() {}
