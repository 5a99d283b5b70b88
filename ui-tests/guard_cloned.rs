//! A guard stands for one entry of the stack and has no clone, which would pop a second one (F88).
//!
//! **Why:** The second pop would take the entry of whoever pushed before, and from then on all guards of the thread
//! would act on the wrong contexts. It is a part of `no-use-after-pop`.
//!
//! **Mend:** Lend the guard: `&gpu` to work with it, `&mut gpu` to push on it. See
//! `ui-tests/mended/guard_cloned.rs`.
//!
//! **Mistake** (E0599):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let again = gpu.clone();
    gpu.pop()?;
    again.synchronize()
}

fn main() {}
