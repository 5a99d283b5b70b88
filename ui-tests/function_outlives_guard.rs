//! A function that outlives the guard of its module is not used under the next one.
//!
//! **Why:** It keeps its own context. It is a part of `own-context`.
//!
//! **Mend:** Detach it, and attach it to the guard that launches, which compares. See
//! `ui-tests/mended/function_outlives_guard.rs`.
//!
//! **Mistake** (E0499):
#![allow(unsafe_code)]

use cuscope::{Context, ContextStack, Function, LaunchConfig, Result};

fn launch(stack: &mut ContextStack, one: &Context, other: &Context) -> Result {
    let function: Function<'_>;
    {
        let gpu = stack.push(one)?;
        function = gpu.load_ptx(".version 7.0")?.function("nothing")?;
    }
    let gpu = stack.push(other)?;
    let stream = gpu.stream()?;
    // SAFETY: nothing().
    unsafe { gpu.on(&stream).launch_unchecked(&function, LaunchConfig::new(1, 1), ()) }
}

fn main() {}
