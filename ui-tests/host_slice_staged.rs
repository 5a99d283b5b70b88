//! A slice itself is copied by `upload` and `download`; the staged forms take what `s.stage` or `s.map` made.

use cuscope::{Held, Queue, Result};

fn misuse<'s>(q: Queue<'s, '_>, host: &'s [f32; 64], held: &mut Held<'s, f32>) -> Result {
    q.upload_staged(host, held)
}

fn main() {}
