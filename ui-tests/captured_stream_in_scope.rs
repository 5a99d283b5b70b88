//! A stream that a scope uses cannot be captured in it, as the scope has to wait for it.
//!
//! **Why:** The work would be recorded and not run. The wait at the end of the scope would find nothing to wait for,
//! and the scope would give memory back as if it had been used (F103). It is a part of `captured-unused`.
//!
//! **Mend:** Take another one. See `ui-tests/mended/captured_stream_in_scope.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, mut stream: Stream<'ctx>) -> Result {
    gpu.scope(|s| {
        let _stream = s.on(&stream);
        let _graph = gpu.capture(&mut stream, |_| Ok(()))?;
        Ok(())
    })
}

fn main() {}
