//! Two guards do not get one brand through a method on `&'ctx mut self`: the holder is dropped while
//! it is borrowed, and the handle would meet another context (F34).

use cuscope::{Context, ContextStack, PushedGuard, Result};

struct Holder<'ctx> {
    guard: PushedGuard<'ctx>,
}

impl<'ctx> Holder<'ctx> {
    fn nest(&'ctx mut self, context: &'ctx Context) -> Result<PushedGuard<'ctx>> {
        self.guard.push(context)
    }
}

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = Holder { guard: stack.push(a)? };
    let stream = outer.guard.stream()?;
    let inner = outer.nest(b)?;
    inner.on(&stream).record(&inner.event()?)
}

fn main() {}
