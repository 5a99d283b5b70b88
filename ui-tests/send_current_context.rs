//! What is current on this thread says nothing about another one, whose stack is its own (F11).
//!
//! **Why:** Each thread has a stack of its own. It is a part of `stays-on-thread`.
//!
//! **Mend:** Ask on the other thread. See `ui-tests/mended/send_current_context.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Result, context::CurrentContext};

fn on_another_thread(_: impl Send) {}

fn misuse(current: CurrentContext) -> Result {
    on_another_thread(move || current.flags());
    Ok(())
}

fn main() {}
