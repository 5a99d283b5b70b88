//! A context that is pushed on a guard cannot be dropped while it is pushed, as one on a stack cannot: its entry would
//! outlive it (F13).

use cuscope::{Context, PushedGuard, Result};

fn misuse(outer: &mut PushedGuard<'_>, context: Context) -> Result {
    let inner = outer.push(&context)?;
    drop(context);
    inner.synchronize()
}

fn main() {}
