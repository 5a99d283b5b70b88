//! The parts of a held buffer stand in its place: what uses the whole would not be ordered with what uses
//! them. Use the parts, or split later.

use cuscope::{Held, Queue, Result};

fn misuse<'s>(q: Queue<'s, '_>, mut held: Held<'s, f32>) -> Result {
    let (mut low, _high) = held.split_at(32)?;
    q.zero(&mut low)?;
    q.zero(&mut held)
}

fn main() {}
