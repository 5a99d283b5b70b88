//! The mend of `ui-tests/closure_with_another_error.rs`. For a closure with other errors in it, call `try_scope`.

use cuscope::{PushedGuard, Stream};
use std::error::Error;

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result<(), Box<dyn Error>> {
    gpu.try_scope(|s| {
        let _bytes = std::fs::read("weights.bin")?;
        let _stream = s.on(stream);
        Ok(())
    })
}

fn main() {}
