//! The mend of `ui-tests/closure_of_a_shared_guard.rs`. Write `|gpu|`.

use cuscope::{Context, Result};

fn right(context: &Context) -> Result {
    context.with(|gpu| gpu.synchronize())
}

fn main() {}
