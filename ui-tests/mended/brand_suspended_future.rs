//! The mend of `ui-tests/brand_suspended_future.rs`. Create the stream under the guard that uses it.

use cuscope::{Context, ContextStack, Result};

async fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    let stream = inner.stream()?;
    inner.on(&stream).record(&inner.event()?)?;
    std::future::pending::<()>().await;
    Ok(())
}

fn main() {}
