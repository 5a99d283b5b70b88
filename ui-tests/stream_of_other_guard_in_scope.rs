//! A scope takes streams and buffers of its own guard only: make them under it.

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'a, 'b>(gpu: &PushedGuard<'a>, stream: &Stream<'b>) -> Result {
    gpu.scope(|s| s.on(stream).synchronize())
}

fn main() {}
