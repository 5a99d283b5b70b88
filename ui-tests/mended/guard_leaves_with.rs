//! The mend of `ui-tests/guard_leaves_with.rs`. Detach it, or use it inside.

use cuscope::{Context, Result};

fn right(context: &Context) -> Result {
    context.with(|gpu| gpu.stream()?.synchronize())
}

fn main() {}
