//! The mend of `ui-tests/brand_without_the_key.rs`. Detach the handle, and attach it to the other guard, which
//! compares.

use cuscope::{PushedGuard, Result, Stream};

fn right<'b>(gpu: &PushedGuard<'b>, stream: Stream<'_>) -> Result<Stream<'b>> {
    Ok(gpu.attach(stream.detach())?)
}

fn main() {}
