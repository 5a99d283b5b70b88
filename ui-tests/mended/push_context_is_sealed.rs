//! The mend of `ui-tests/push_context_is_sealed.rs`. Take `stack: &mut impl PushContext` instead of being one.

use cuscope::{Context, PushContext, PushedGuard, Result};

struct Mine<'a, S: PushContext>(&'a mut S);

impl<S: PushContext> Mine<'_, S> {
    fn push<'ctx>(&'ctx mut self, context: &'ctx Context) -> Result<PushedGuard<'ctx>> {
        self.0.push(context)
    }
}

fn main() {}
