//! Code that is generic over the elements writes `Value<T>` for a number in the signature of a kernel.

use cuscope::memory::Element;
use cuscope::{In, Kernel, LaunchConfig, OrderedBuffer, OrderedStream, Out, Result};

fn misuse<T: Element>(
    stream: &OrderedStream,
    scale: &Kernel<(T, In<T>, Out<T>)>,
    a: T,
    x: &OrderedBuffer<T>,
    y: &mut OrderedBuffer<T>,
) -> Result {
    // SAFETY: the kernel stays inside `x` and `y`, which are as long.
    unsafe { stream.launch_unchecked(scale, LaunchConfig::for_num_elems(x.len())?, (a, x, y)) }
}

fn main() {}
