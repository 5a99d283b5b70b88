//! The closure of `scope` returns the error of the crate. For one with other errors in it, call `try_scope`.

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
