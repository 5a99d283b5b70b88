//! A scope uses memory of an ordered stream only once it holds that by `hold_ordered`, behind the work of the stream.

use cuscope::{OrderedBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut x: OrderedBuffer<f32>,
) -> Result {
    gpu.scope(|s| {
        let mut x = s.hold(&mut x);
        s.on(stream).fill(&mut x, 1.0)
    })
}

fn main() {}
