//! Only memory of cuscope is read by ordered streams, and handed over between them.
//!
//! **Why:** The stream looks in the memory for the events that order it with other streams. A type of the program
//! could hand out an address without them. It is a part of `ordered-apart`.
//!
//! **Mend:** Pass the memory that your type has. See `ui-tests/mended/ordered_traits_are_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::ordered::{HandOver, OrderedSource};

struct Mine;

impl OrderedSource<f32> for Mine {}
impl HandOver for Mine {}

fn main() {}
