//! The closure of `scope` returns the error of the crate.
//!
//! **Why:** The scope itself may fail, and returns that error. It is a part of `scope-waits`.
//!
//! **Mend:** For a closure with other errors in it, call `try_scope`. See
//! `ui-tests/mended/closure_with_another_error.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{PushedGuard, Stream};
use std::error::Error;

fn misuse(gpu: &PushedGuard<'_>, stream: &Stream<'_>) -> Result<(), Box<dyn Error>> {
    gpu.scope(|s| {
        let _bytes = std::fs::read("weights.bin")?;
        s.on(stream);
        Ok(())
    })?;
    Ok(())
}

fn main() {}
