//! Only device memory of cuscope can be held, and only scopes, captures and builders hold it.
//!
//! **Why:** The scope keeps for each held buffer which streams read and wrote it last. A type of the program that
//! hands out addresses without this record would be ordered with nothing. It is a part of `scope-ordered`.
//!
//! **Mend:** Hold a buffer that your type has. See `ui-tests/mended/holdable_is_sealed.rs`.
//!
//! **Mistake** (E0277, E0308):

use cuscope::scope::{Destination, Holdable};
use cuscope::{DeviceBuffer, ScopedBuffer};

struct Mine;

impl<'s> Destination<'s, f32> for Mine {}

fn misuse<'s, 'ctx>(buffer: &'s mut DeviceBuffer<'ctx, f32>) -> ScopedBuffer<'s, f32> {
    Holdable::hold(buffer, ())
}

fn main() {}
