//! Two guards do not get one brand because the future is never resumed.
//!
//! **Why:** Dropping it drops the outer one, and the handle would meet another context (F34). It is a part of
//! `own-context`.
//!
//! **Mend:** Create the stream under the guard that uses it. See `ui-tests/mended/brand_suspended_future.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Context, ContextStack, Result};

async fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let stream = outer.stream()?;
    let inner = outer.push(b)?;
    inner.on(&stream).record(&inner.event()?)?;
    std::future::pending::<()>().await;
    Ok(())
}

fn main() {}
