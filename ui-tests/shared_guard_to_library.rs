//! A library that pushes takes the guard exclusively, as its push covers it: the driver would act on
//! the library's context meanwhile (F33). Hand it `&mut gpu`.

use cuscope::{Context, ContextStack, PushContext, Result};

fn library(_stack: &mut impl PushContext) -> Result {
    Ok(())
}

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    library(&gpu)
}

fn main() {}
