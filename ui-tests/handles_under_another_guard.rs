//! A struct of handles belongs to one guard, as each of its handles does.
//!
//! **Why:** Under another one it would be used in another context (F34). It is a part of `detached-unusable`.
//!
//! **Mend:** Detach it, and attach it to the other guard, which compares. See
//! `ui-tests/mended/handles_under_another_guard.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Context, ContextStack, DeviceBuffer, Result, Stream, handles};

handles! {
    struct Layer<'ctx> {
        weights: DeviceBuffer<'ctx, f32>,
        stream: Stream<'ctx>,
    }
}

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let mut layer = Layer { weights: outer.alloc(16)?, stream: outer.stream()? };
    let inner = outer.push(b)?;
    inner.on(&layer.stream).zero(&mut layer.weights)
}

fn main() {}
