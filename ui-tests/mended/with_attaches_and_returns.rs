//! The mend of `ui-tests/with_attaches_and_returns.rs`. Use it inside: bind it, so that it stays detached.

use cuscope::{Context, Detached, Result, Stream};

struct Worker {
    context: Context,
    stream: Option<Detached<Stream<'static>>>,
}

impl Worker {
    fn synchronize(&mut self) -> Result {
        let stream = self.stream.as_ref().expect("there is one");
        self.context.with(|gpu| gpu.bind(stream)?.synchronize())
    }
}

fn main() {}
