//! The mend of `ui-tests/graphics_under_another_guard.rs`. Map it on a stream of its own guard.

use cuscope::graphics::{GraphicsBuffer, GraphicsImage};
use cuscope::{PushedGuard, Result, Stream};

fn right<'b>(
    gpu: &PushedGuard<'b>,
    stream: &Stream<'b>,
    buffer: &GraphicsBuffer<'b>,
    image: &GraphicsImage<'b, f32>,
) -> Result {
    drop(gpu.on(stream).map_buffer::<f32>(buffer)?);
    drop(gpu.on(stream).map_image(image)?);
    Ok(())
}

fn main() {}
