//! The mend of `ui-tests/context_dropped_under_its_nested_guard.rs`. Drop the context after its guard.

use cuscope::{Context, PushedGuard, Result};

fn right(outer: &mut PushedGuard<'_>, context: Context) -> Result {
    let inner = outer.push(&context)?;
    inner.synchronize()?;
    inner.pop()?;
    drop(context);
    Ok(())
}

fn main() {}
