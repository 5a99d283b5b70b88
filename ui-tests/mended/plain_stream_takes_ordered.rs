//! The mend of `ui-tests/plain_stream_takes_ordered.rs`. Use the ordered stream, or `into_idle`, which waits and
//! gives an ordinary buffer.

use cuscope::{Function, LaunchConfig, OrderedBuffer, OrderedStream, Result};

fn right<'ctx>(
    ordered: &OrderedStream,
    kernel: &Function<'ctx>,
    mut x: OrderedBuffer<f32>,
) -> Result {
    ordered.fill(&mut x, 1.0)?;
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut x,)) }
}

fn main() {}
