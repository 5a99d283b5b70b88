//! A handle that is attached in the closure of `Context::with` is not put aside for after it.
//!
//! **Why:** Each call pushes a guard of its own, and the handle would belong to all of them. It is a part of
//! `reentrant-restores`.
//!
//! **Mend:** Collect the handles detached, and bind them where they are used. See
//! `ui-tests/mended/with_attaches_for_later.rs`.
//!
//! **Mistake** (E0521):

use cuscope::{Context, Detached, DeviceBuffer, Result};

fn misuse(context: &Context, parts: Vec<Detached<DeviceBuffer<'static, f32>>>) -> Result {
    let mut attached = Vec::new();
    for part in parts {
        context.with(|gpu| {
            attached.push(gpu.attach(part)?);
            Ok(())
        })?;
    }
    Ok(())
}

fn main() {}
