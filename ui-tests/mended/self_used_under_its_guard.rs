//! The mend of `ui-tests/self_used_under_its_guard.rs`. Borrow the fields apart, by `let Self { stack, context, .. }
//! = self`, or let `Context::with` push.

use cuscope::{Context, ContextStack, Result};

struct Right {
    context: Context,
    stack: ContextStack,
    steps: u64,
}

impl Right {
    fn count(&mut self) {
        self.steps += 1;
    }

    fn step(&mut self) -> Result {
        self.count();
        let gpu = self.stack.push(&self.context)?;
        gpu.synchronize()
    }
}

fn main() {}
