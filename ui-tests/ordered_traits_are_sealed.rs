//! Only memory of cuscope is read by ordered streams, and handed over between them.
//!
//! **Why:** Only operations of its stream use memory that belongs to a stream, so the device runs all uses in the
//! order of the calls. The free is behind them. This is `ordered-apart`.
//!
//! **Mend:** Pass the memory that your type has. See `ui-tests/mended/ordered_traits_are_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::ordered::{HandOver, OrderedSource};

struct Mine;

impl OrderedSource<f32> for Mine {}
impl HandOver for Mine {}

fn main() {}
