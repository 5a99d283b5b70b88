//! A `static` is reachable from every thread, and a stack belongs to one (F11).
//! Hand `&mut stack` on, or use `ContextStack::reentrant` in code that was handed none.

use cuscope::ContextStack;

static STACKS: &[ContextStack] = &[];

fn main() {}
