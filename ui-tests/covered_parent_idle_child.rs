//! A guard stays covered while the nested one lives, even if that is never named again.
//!
//! **Why:** Its context is on top until it is dropped, and the driver would act on that (F33). It is a part of
//! `covered-unusable`.
//!
//! **Mend:** Drop the inner guard first. See `ui-tests/mended/covered_parent_idle_child.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let _inner = outer.push(b)?;
    outer.synchronize()?;
    Ok(())
}

fn main() {}
