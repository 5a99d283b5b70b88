//! A handle of one turn of a loop is not used under the guard of the next, which may be of another context (F34).
//!
//! **Why:** The second turn would record an event of one context on a stream of another one. The driver refuses that
//! (F36), and takes a copy that makes the same mistake (F34). It is a part of `own-context`.
//!
//! **Mend:** Keep it detached between the turns. See `ui-tests/mended/brand_loop.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, contexts: &[Context]) -> Result {
    let mut last = None;
    for context in contexts {
        let gpu = stack.push(context)?;
        if let Some(stream) = &last {
            gpu.on(stream).record(&gpu.event()?)?;
        }
        last = Some(gpu.stream()?);
    }
    Ok(())
}

fn main() {}
