//! A function of one context is not launched in another.
//!
//! **Why:** A typed kernel has no brand: its launch is refused at run time. It is a part of `own-context`.
//!
//! **Mend:** Load the module under the guard that launches. See `ui-tests/mended/kernel_of_other_context.rs`.
//!
//! **Mistake** (E0597):
#![allow(unsafe_code)]

use cuscope::{Context, ContextStack, LaunchConfig, Result};

fn launch(stack: &mut ContextStack, one: &Context, other: &Context) -> Result {
    let mut outer = stack.push(one)?;
    let kernel = outer.load_ptx(".version 7.0")?.function("nothing")?;
    let inner = outer.push(other)?;
    let stream = inner.stream()?;
    // SAFETY: nothing(unsigned).
    unsafe { inner.on(&stream).launch_unchecked(&kernel, LaunchConfig::new(1, 1), (4_u32,)) }
}

fn main() {}
