//! A scope cannot use a stream that is captured, as it could not wait for it.
//!
//! **Why:** Work of the scope would become nodes of the graph. The end of the scope would wait for nothing, and give
//! back memory that each replay uses (F103). It is a part of `captured-unused`.
//!
//! **Mend:** Take another one. See `ui-tests/mended/scope_on_captured_stream.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &mut Stream<'ctx>) -> Result<Graph<'ctx>> {
    gpu.capture(stream, |_| {
        gpu.scope(|s| {
            let _stream = s.on(stream);
            Ok(())
        })
    })
}

fn main() {}
