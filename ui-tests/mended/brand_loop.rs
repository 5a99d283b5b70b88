//! The mend of `ui-tests/brand_loop.rs`. Keep it detached between the turns.

use cuscope::{Context, ContextStack, Detached, Result, Stream};

fn right(stack: &mut ContextStack, contexts: &[Context]) -> Result {
    let mut last: Option<Detached<Stream<'static>>> = None;
    for context in contexts {
        let gpu = stack.push(context)?;
        if let Some(stream) = &last {
            gpu.on(gpu.bind(stream)?).record(&gpu.event()?)?;
        }
        last = Some(gpu.stream()?.detach());
    }
    Ok(())
}

fn main() {}
