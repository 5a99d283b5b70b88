//! The mend of `ui-tests/launchable_is_sealed.rs`. Launch the function that your type has.

use cuscope::{Function, Launchable};

struct Mine<'ctx>(Function<'ctx>);

fn right<'m, 'ctx>(mine: &'m Mine<'ctx>) -> &'m impl Launchable<'ctx> {
    &mine.0
}

fn main() {}
