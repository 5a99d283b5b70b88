//! A struct of handles changes its lifetime when it is detached, so everything in it has to be a handle or
//! to have no lifetime: a reference would outlive what it borrows. Own the text, or wrap it in `Plain`.

use cuscope::{Stream, handles};

handles! {
    struct Named<'ctx> {
        stream: Stream<'ctx>,
        name: &'ctx str,
    }
}

fn main() {}
