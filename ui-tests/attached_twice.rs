//! A detached handle has one owner, and attaching gives it to the guard.
//!
//! **Why:** Two would free it twice, and the driver may have handed the address or handle out again (F62, F105). It
//! is a part of `detached-unusable`.
//!
//! **Mend:** Use `bind` to lend it. See `ui-tests/mended/attached_twice.rs`.
//!
//! **Mistake** (E0382):

use cuscope::{Context, ContextStack, Detached, Result, Stream};

fn misuse(
    stack: &mut ContextStack,
    context: &Context,
    stream: Detached<Stream<'static>>,
) -> Result {
    let gpu = stack.push(context)?;
    let first = gpu.attach(stream)?;
    let second = gpu.attach(stream)?;
    first.synchronize()?;
    second.synchronize()
}

fn main() {}
