//! One launch does not write an array through a surface and read it through a texture.
//!
//! **Why:** What the texture reads would be unspecified. It is a part of `scope-ordered`.
//!
//! **Mend:** Read in one launch, and write in another. See `ui-tests/mended/held_texture_read_and_written.rs`.
//!
//! **Mistake** (E0502):

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
