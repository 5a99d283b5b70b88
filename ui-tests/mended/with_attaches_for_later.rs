//! The mend of `ui-tests/with_attaches_for_later.rs`. Collect the handles detached, and bind them where they are
//! used.

use cuscope::{Context, Detached, DeviceBuffer, Result};

fn right(context: &Context, parts: Vec<Detached<DeviceBuffer<'static, f32>>>) -> Result {
    for part in parts {
        context.with(|gpu| {
            let stream = gpu.stream()?;
            gpu.on(&stream).zero(&mut gpu.attach(part)?)
        })?;
    }
    Ok(())
}

fn main() {}
