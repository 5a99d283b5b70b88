//! A struct of handles is taken apart when it is detached or attached, so it has no `Drop` of its own: its
//! handles release themselves. Put what else has to happen into a struct around it.

use cuscope::{Stream, handles};

handles! {
    struct Watched<'ctx> {
        stream: Stream<'ctx>,
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {}
}

fn main() {}
