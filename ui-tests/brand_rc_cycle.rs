//! Two guards do not get one brand through an `Rc` that is leaked in a cycle.
//!
//! **Why:** The place that is borrowed is the `Rc` variable, which is dropped, and the handle would meet another
//! context (F34). It is a part of `own-context`.
//!
//! **Mend:** Create the stream under the guard that uses it, and let an `Rc` own detached handles. See
//! `ui-tests/mended/brand_rc_cycle.rs`.
//!
//! **Mistake** (E0597):

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
