//! The mend of `ui-tests/holdable_is_sealed.rs`. Hold a buffer that your type has.

use cuscope::{DeviceBuffer, Scope, ScopedBuffer};

struct Mine<'ctx>(DeviceBuffer<'ctx, f32>);

fn right<'s, 'env, 'ctx>(s: &'s Scope<'s, 'env, 'ctx>, mine: &'env mut Mine<'ctx>) -> ScopedBuffer<'s, f32> {
    s.hold(&mut mine.0)
}

fn main() {}
