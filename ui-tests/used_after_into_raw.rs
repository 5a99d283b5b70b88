//! A context that was given to foreign code is that code's to end, at any time; used after that, it would be a
//! destroyed one (F13, F14).
//!
//! **Why:** Foreign code may have destroyed it by the time of the push, and nothing here could tell. It is a part of
//! `ended-once`.
//!
//! **Mend:** Take it back with `from_raw`. See `ui-tests/mended/used_after_into_raw.rs`.
//!
//! **Mistake** (E0382):

use cuscope::{Context, ContextStack, Result, foreign::RawContext};

fn misuse(stack: &mut ContextStack, context: Context) -> Result<RawContext> {
    let given = context.into_raw().expect("nothing else holds it");
    stack.push(&context)?;
    Ok(given)
}

fn main() {}
