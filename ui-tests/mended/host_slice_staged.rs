//! The mend of `ui-tests/host_slice_staged.rs`. Write `upload`.

use cuscope::{ScopedBuffer, ScopedStream, Result};

fn right<'s>(stream: ScopedStream<'s, '_>, host: &'s [f32; 64], held: &mut ScopedBuffer<'s, f32>) -> Result {
    stream.upload(host, held)
}

fn main() {}
