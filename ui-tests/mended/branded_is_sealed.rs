//! The mend of `ui-tests/branded_is_sealed.rs`. Declare a struct of handles with `cuscope::handles!`, which checks
//! its fields.

use cuscope::{Stream, detached::Branded};

cuscope::handles! {
    struct Mine<'ctx> {
        stream: Stream<'ctx>,
    }
}

fn right<'ctx>(mine: Mine<'ctx>) -> impl Branded {
    mine
}

fn main() {}
