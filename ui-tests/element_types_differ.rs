//! A buffer is filled from elements of its own type.
//!
//! **Why:** Others have another size, and the copy would run past the end (F64) or leave a part as it was. It is a
//! part of `host-memory-borrowed`.
//!
//! **Mend:** Convert the elements on the host, or give the buffer their type. See
//! `ui-tests/mended/element_types_differ.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    host: &[f64],
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.on(stream).upload(host, buffer)
}

fn main() {}
