//! `Context::with` lends the guard exclusively, so that its closure can push: write `|gpu|`.

use cuscope::{Context, PushedGuard, Result};

fn misuse(context: &Context) -> Result {
    context.with(|gpu: &PushedGuard<'_>| gpu.synchronize())
}

fn main() {}
