//! The mend of `ui-tests/brand_self_borrow.rs`. Give the method a lifetime of its own, and create the stream under
//! the guard that uses it.

use cuscope::{Context, ContextStack, PushedGuard, Result};

struct Holder<'ctx> {
    guard: PushedGuard<'ctx>,
}

impl<'ctx> Holder<'ctx> {
    fn nest<'inner>(&'inner mut self, context: &'inner Context) -> Result<PushedGuard<'inner>> {
        self.guard.push(context)
    }
}

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = Holder { guard: stack.push(a)? };
    let inner = outer.nest(b)?;
    let stream = inner.stream()?;
    inner.on(&stream).record(&inner.event()?)
}

fn main() {}
