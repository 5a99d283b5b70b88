//! The mend of `ui-tests/held_texture_read_and_written.rs`. Read in one launch, and write in another.

use cuscope::scope::ScopedStream;
use cuscope::texture::{ScopedSurface, ScopedTexture};
use cuscope::{Function, LaunchConfig, Result};

fn right<'s, 'ctx>(
    stream: &ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    image: &mut ScopedTexture<'s, ScopedSurface<'s, f32>>,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&*image,)) }?;
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (image.surface_mut(),)) }
}

fn main() {}
