//! A bound handle is lent by its detached owner, which frees it when dropped (F42, F105).
//!
//! **Why:** The drop destroys the stream, and the driver hands its handle out again. The call may then wait for
//! another stream (F105). It is a part of `detached-unusable`.
//!
//! **Mend:** Drop the owner later, or `attach` it. See `ui-tests/mended/bound_outlives_detached.rs`.
//!
//! **Mistake** (E0505):

use cuscope::{Context, ContextStack, Detached, Result, Stream};

fn misuse(
    stack: &mut ContextStack,
    context: &Context,
    stream: Detached<Stream<'static>>,
) -> Result {
    let gpu = stack.push(context)?;
    let bound = gpu.bind(&stream)?;
    drop(stream);
    bound.synchronize()
}

fn main() {}
