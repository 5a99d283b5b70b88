//! The mend of `ui-tests/brand_rc_cycle.rs`. Create the stream under the guard that uses it, and let an `Rc` own
//! detached handles.

use cuscope::{Context, ContextStack, PushedGuard, Result};
use std::cell::RefCell;
use std::rc::Rc;

struct Node<'ctx> {
    guard: PushedGuard<'ctx>,
    _cycle: RefCell<Option<Rc<Node<'ctx>>>>,
}

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = Rc::new(Node { guard: stack.push(a)?, _cycle: RefCell::new(None) });
    let inner = Rc::get_mut(&mut outer).unwrap().guard.push(b)?;
    let stream = inner.stream()?;
    inner.on(&stream).record(&inner.event()?)
}

fn main() {}
