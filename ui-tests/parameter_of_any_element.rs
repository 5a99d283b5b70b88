//! Code that is generic over the elements writes `Value<T>` for a number in the signature of a kernel.
//!
//! **Why:** A type that is only known as an element may be a struct, which is passed as its bytes. It is a part of
//! `arguments-lowered`.
//!
//! **Mend:** Write `Value<T>`, which stands for a number too. See `ui-tests/mended/parameter_of_any_element.rs`.
//!
//! **Mistake** (E0277):

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
