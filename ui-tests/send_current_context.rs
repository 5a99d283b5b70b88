//! What is current on this thread says nothing about another one, whose stack is its own (F11). Look there.

use cuscope::{Result, context::CurrentContext};

fn on_another_thread(_: impl Send) {}

fn misuse(current: CurrentContext) -> Result {
    on_another_thread(move || current.flags());
    Ok(())
}

fn main() {}
