//! An `Arc` of a handle is tied to the guard as the handle is.
//!
//! **Why:** The last clone may be used under a guard of another context, and a copy on a stream of another context is
//! refused by nobody: it runs unordered with the work there (F34). It is a part of `detached-unusable`.
//!
//! **Mend:** Detach the `Arc`, and attach or bind it again. See
//! `ui-tests/mended/arc_of_a_handle_outlives_its_guard.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{Context, ContextStack, Detached, Result};
use std::sync::Arc;

fn misuse(context: &Context, other: &Context) -> Result {
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    let kept = Detached::new(Arc::new(gpu.stream()?));
    let stream = gpu.attach(kept)?;
    gpu.pop()?;
    let _gpu = stack.push(other)?;
    stream.synchronize()
}

fn main() {}
