//! A `static` is reachable from every thread, and a stack belongs to one (F11).
//!
//! **Why:** A second thread would use the record of the first one's stack, and pop entries that are not there. It is
//! a part of `stays-on-thread`.
//!
//! **Mend:** Hand `&mut stack` on, or use `ContextStack::reentrant` in code that was handed none. See
//! `ui-tests/mended/static_token.rs`.
//!
//! **Mistake** (E0277):

use cuscope::ContextStack;

static STACKS: &[ContextStack] = &[];

fn main() {}
