//! Two guards do not get one brand through a method on `&'ctx mut self`.
//!
//! **Why:** The holder is dropped while it is borrowed, and the handle would meet another context (F34). It is a
//! part of `own-context`.
//!
//! **Mend:** Give the method a lifetime of its own, and create the stream under the guard that uses it. See
//! `ui-tests/mended/brand_self_borrow.rs`.
//!
//! **Mistake** (E0597):

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
