//! A guard borrows the stack for as long as it lives, and a method borrows all of `self`. Borrow the fields apart, by
//! `let Self { stack, context, .. } = self`, or let `Context::with` push.

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
