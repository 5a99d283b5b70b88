//! Only memory of cuscope is read by ordered streams, and handed over between them.

use cuscope::ordered::{HandOver, OrderedSource};

struct Mine;

impl OrderedSource<f32> for Mine {}
impl HandOver for Mine {}

fn main() {}
