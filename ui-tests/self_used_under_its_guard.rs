//! A guard borrows the stack for as long as it lives, and a method borrows all of `self`.
//!
//! **Why:** If `count` could run, it could also push on the same stack, and the guard below would act on the wrong
//! context. It is a part of `covered-unusable`.
//!
//! **Mend:** Borrow the fields apart, by `let Self { stack, context, .. } = self`, or let `Context::with` push. See
//! `ui-tests/mended/self_used_under_its_guard.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{Context, ContextStack, Result};

struct Misuse {
    context: Context,
    stack: ContextStack,
    steps: u64,
}

impl Misuse {
    fn count(&mut self) {
        self.steps += 1;
    }

    fn step(&mut self) -> Result {
        let gpu = self.stack.push(&self.context)?;
        self.count();
        gpu.synchronize()
    }
}

fn main() {}
