//! A download reads device memory: `&buffer` or `&held`. From host to host, `copy_from_slice` copies.

use cuscope::{ScopedStream, Result};

fn misuse<'s>(stream: ScopedStream<'s, '_>, from: &'s [f32], to: &'s mut [f32]) -> Result {
    stream.download(from, to)
}

fn main() {}
