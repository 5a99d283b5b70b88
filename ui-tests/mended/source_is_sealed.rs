//! The mend of `ui-tests/source_is_sealed.rs`. Pass the memory that your type has.

use cuscope::{ScopedBuffer, scope::Source};

struct Mine<'s>(ScopedBuffer<'s, f32>);

fn right<'m, 's, 'ctx>(mine: &'m Mine<'s>) -> impl Source<'s, 'ctx, f32> + use<'m, 's, 'ctx> {
    &mine.0
}

fn main() {}
