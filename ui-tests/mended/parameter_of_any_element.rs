//! The mend of `ui-tests/parameter_of_any_element.rs`. Write `Value<T>`, which stands for a number too.

use cuscope::memory::Element;
use cuscope::{In, Kernel, LaunchConfig, OrderedBuffer, OrderedStream, Out, Result, Value};

fn right<T: Element>(
    stream: &OrderedStream,
    scale: &Kernel<(Value<T>, In<T>, Out<T>)>,
    a: T,
    x: &OrderedBuffer<T>,
    y: &mut OrderedBuffer<T>,
) -> Result {
    // SAFETY: the kernel stays inside `x` and `y`, which are as long.
    unsafe { stream.launch_unchecked(scale, LaunchConfig::for_num_elems(x.len())?, (a, x, y)) }
}

fn main() {}
