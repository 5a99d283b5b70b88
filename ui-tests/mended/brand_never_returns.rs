//! The mend of `ui-tests/brand_never_returns.rs`. Create the stream under the guard that uses it.

use cuscope::{Context, ContextStack};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> ! {
    let mut outer = stack.push(a).unwrap();
    let inner = outer.push(b).unwrap();
    let stream = inner.stream().unwrap();
    inner.on(&stream).record(&inner.event().unwrap()).unwrap();
    loop {}
}

fn main() {}
