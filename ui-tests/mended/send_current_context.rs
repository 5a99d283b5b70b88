//! The mend of `ui-tests/send_current_context.rs`. Ask on the other thread.

use cuscope::{Result, context::current_context};

fn on_another_thread(_: impl Send) {}

fn right() -> Result {
    on_another_thread(|| current_context()?.map(|it| it.flags()).transpose());
    Ok(())
}

fn main() {}
