//! The mend of `ui-tests/attributes_of_other_guard.rs`. Give both streams one lifetime.

use cuscope::{Result, Stream};

fn right<'a>(own: &Stream<'a>, other: &Stream<'a>) -> Result {
    own.copy_attributes(other)
}

fn main() {}
