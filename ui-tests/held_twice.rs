//! A buffer is held once in a scope.
//!
//! **Why:** Two of them would not be ordered. It is a part of `scope-ordered`.
//!
//! **Mend:** Use the one on all streams. See `ui-tests/mended/held_twice.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    streams: &[Stream<'ctx>; 2],
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        s.on(&streams[0]).fill(&mut s.hold(buffer), 1.0)?;
        s.on(&streams[1]).fill(&mut s.hold(buffer), 2.0)
    })
}

fn main() {}
