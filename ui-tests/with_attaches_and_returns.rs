//! A handle that is attached in the closure of `Context::with` does not leave it.
//!
//! **Why:** An attached handle is one of the guard, and `with` pops that when the closure returns. It is a part of
//! `reentrant-restores`.
//!
//! **Mend:** Use it inside: bind it, so that it stays detached. See `ui-tests/mended/with_attaches_and_returns.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{Context, Detached, Result, Stream};

struct Worker {
    context: Context,
    stream: Option<Detached<Stream<'static>>>,
}

impl Worker {
    fn stream(&mut self) -> Result<Stream<'_>> {
        let stream = self.stream.take().expect("there is one");
        self.context.with(|gpu| Ok(gpu.attach(stream)?))
    }
}

fn main() {}
