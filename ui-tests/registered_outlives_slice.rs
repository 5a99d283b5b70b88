//! A registration does not outlive its memory: copies with other memory at the address would use the old
//! pages (F168). Keep what lives longer in a `PinnedBuffer`.

use cuscope::{PushedGuard, Result, memory::Registered};

fn misuse<'a>(gpu: &PushedGuard<'_>) -> Result<Registered<'a, f32>> {
    let mut data = vec![0.0; 1000];
    unsafe { gpu.register(&mut data) }
}

fn main() {}
