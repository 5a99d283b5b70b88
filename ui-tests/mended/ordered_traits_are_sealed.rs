//! The mend of `ui-tests/ordered_traits_are_sealed.rs`. Pass the memory that your type has.

use cuscope::OrderedBuffer;
use cuscope::ordered::{HandOver, OrderedSource};

struct Mine(OrderedBuffer<f32>);

fn right(mine: &Mine) -> &impl OrderedSource<f32> {
    &mine.0
}

fn handed_over(mine: Mine) -> impl HandOver {
    mine.0
}

fn main() {}
