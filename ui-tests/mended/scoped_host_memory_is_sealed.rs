//! The mend of `ui-tests/scoped_host_memory_is_sealed.rs`. Use `s.stage` or `s.map`.

use cuscope::{ScopedHostSlice, scope::ScopedHostMemory};

struct Mine<'s>(ScopedHostSlice<'s, f32>);

fn right<'m, 's>(mine: &'m Mine<'s>) -> &'m impl ScopedHostMemory<'s, f32> {
    &mine.0
}

fn main() {}
