//! The mend of `ui-tests/default_stream_sent.rs`. Push the context on the other thread, and ask that guard.

use cuscope::{Context, Result};

fn spawn<T: Send>(_: T) {}

fn right(context: Context) {
    spawn(move || -> Result { context.with(|gpu| gpu.on_legacy_default().synchronize()) });
}

fn main() {}
