//! A registered object belongs to its context.
//!
//! **Why:** Streams of another one do not map it. It is a part of `graphics-kept`.
//!
//! **Mend:** Map it on a stream of its own guard. See `ui-tests/mended/graphics_under_another_guard.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::graphics::{GraphicsBuffer, GraphicsImage};
use cuscope::{PushedGuard, Result, Stream};

fn misuse<'a, 'b>(
    gpu: &PushedGuard<'b>,
    stream: &Stream<'b>,
    buffer: &GraphicsBuffer<'a>,
    image: &GraphicsImage<'a, f32>,
) -> Result {
    drop(gpu.on(stream).map_buffer::<f32>(buffer)?);
    drop(gpu.on(stream).map_image(image)?);
    Ok(())
}

fn main() {}
