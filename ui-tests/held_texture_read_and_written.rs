//! One launch does not write an array through a surface and read it through a texture: what the texture reads would be
//! unspecified.

use cuscope::scope::ScopedStream;
use cuscope::texture::{ScopedSurface, ScopedTexture};
use cuscope::{Function, LaunchConfig, Result};

fn misuse<'s, 'ctx>(
    stream: &ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    image: &mut ScopedTexture<'s, ScopedSurface<'s, f32>>,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&*image, image.surface_mut())) }
}

fn main() {}
