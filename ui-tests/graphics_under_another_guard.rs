//! A registered object belongs to its context: streams of another one do not map it.

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
