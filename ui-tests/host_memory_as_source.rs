//! A download reads device memory: `&buffer` or `&held`. From host to host, `copy_from_slice` copies.

use cuscope::{Queue, Result};

fn misuse<'s>(q: Queue<'s, '_>, from: &'s [f32], to: &'s mut [f32]) -> Result {
    q.download(from, to)
}

fn main() {}
