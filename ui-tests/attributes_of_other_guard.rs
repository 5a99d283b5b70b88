//! Attributes are copied between streams of one guard.

use cuscope::{Result, Stream};

fn misuse<'a, 'b>(own: &Stream<'a>, other: &Stream<'b>) -> Result {
    own.copy_attributes(other)
}

fn main() {}
