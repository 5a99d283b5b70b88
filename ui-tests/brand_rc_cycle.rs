//! Two guards do not get one brand through an `Rc` that is leaked in a cycle: the place that is
//! borrowed is the `Rc` variable, which is dropped, and the handle would meet another context (F34).

use cuscope::{Context, ContextStack, PushedGuard, Result};
use std::cell::RefCell;
use std::rc::Rc;

struct Node<'ctx> {
    guard: PushedGuard<'ctx>,
    _cycle: RefCell<Option<Rc<Node<'ctx>>>>,
}

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = Rc::new(Node { guard: stack.push(a)?, _cycle: RefCell::new(None) });
    let stream = outer.guard.stream()?;
    let inner = Rc::get_mut(&mut outer).unwrap().guard.push(b)?;
    inner.on(&stream).record(&inner.event()?)
}

fn main() {}
