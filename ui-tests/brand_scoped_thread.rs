//! A handle that is sent to another thread is not used under a guard of that thread.
//!
//! **Why:** Its stack is dropped there, and the contexts may differ (F34). It is a part of `own-context`.
//!
//! **Mend:** Send it detached, and `bind` it there. See `ui-tests/mended/brand_scoped_thread.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Context, ContextStack, Result, Stream};

fn spawn<'scope>(_: impl FnOnce() -> Result + Send + 'scope) {}

fn misuse<'ctx>(stream: Stream<'ctx>, context: &'ctx Context) {
    spawn::<'ctx>(move || {
        let mut stack = ContextStack::current_thread()?;
        let inner = stack.push(context)?;
        inner.on(&stream).record(&inner.event()?)
    });
}

fn main() {}
