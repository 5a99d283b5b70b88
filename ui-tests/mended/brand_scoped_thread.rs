//! The mend of `ui-tests/brand_scoped_thread.rs`. Send it detached, and `bind` it there.

use cuscope::{Context, ContextStack, Detached, Result, Stream};

fn spawn<'scope>(_: impl FnOnce() -> Result + Send + 'scope) {}

fn right<'ctx>(stream: Detached<Stream<'static>>, context: &'ctx Context) {
    spawn::<'ctx>(move || {
        let mut stack = ContextStack::current_thread()?;
        let inner = stack.push(context)?;
        inner.on(inner.bind(&stream)?).record(&inner.event()?)
    });
}

fn main() {}
