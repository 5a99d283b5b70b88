//! Two guards do not get one brand because the function never returns.
//!
//! **Why:** A panic would still drop the outer one, and the handle would meet another context (F34). It is a part of
//! `own-context`.
//!
//! **Mend:** Create the stream under the guard that uses it. See `ui-tests/mended/brand_never_returns.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Context, ContextStack};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> ! {
    let mut outer = stack.push(a).unwrap();
    let stream = outer.stream().unwrap();
    let inner = outer.push(b).unwrap();
    inner.on(&stream).record(&inner.event().unwrap()).unwrap();
    loop {}
}

fn main() {}
