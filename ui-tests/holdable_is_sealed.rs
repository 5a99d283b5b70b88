//! Only device memory of cuscope can be held, and only scopes, captures and builders hold it.

use cuscope::scope::{Destination, Holdable};
use cuscope::{DeviceBuffer, ScopedBuffer};

struct Mine;

impl<'s> Destination<'s, f32> for Mine {}

fn misuse<'s, 'ctx>(buffer: &'s mut DeviceBuffer<'ctx, f32>) -> ScopedBuffer<'s, f32> {
    Holdable::hold(buffer, ())
}

fn main() {}
