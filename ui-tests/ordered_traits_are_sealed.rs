//! Only memory of cuscope is read by ordered streams, and handed over between them.

use cuscope::ordered::{HandOver, OrderedSource};

struct Mine;

impl<'ctx> OrderedSource<'ctx, f32> for Mine {}
impl<'ctx> HandOver<'ctx> for Mine {}

fn main() {}
