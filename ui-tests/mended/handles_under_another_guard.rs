//! The mend of `ui-tests/handles_under_another_guard.rs`. Detach it, and attach it to the other guard, which
//! compares.

use cuscope::{Context, ContextStack, DeviceBuffer, Result, Stream, handles};

handles! {
    struct Layer<'ctx> {
        weights: DeviceBuffer<'ctx, f32>,
        stream: Stream<'ctx>,
    }
}

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let layer = Layer { weights: outer.alloc(16)?, stream: outer.stream()? }.detach();
    let inner = outer.push(b)?;
    let mut layer = inner.attach(layer)?;
    inner.on(&layer.stream).zero(&mut layer.weights)
}

fn main() {}
