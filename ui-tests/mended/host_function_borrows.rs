//! The mend of `ui-tests/host_function_borrows.rs`. Move it in, or share it by an `Arc`.

use cuscope::{PushedGuard, Result, Stream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result<u32> {
    let count = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&count);
    gpu.on(stream).host_function(move || _ = seen.fetch_add(1, Ordering::Relaxed))?;
    Ok(count.load(Ordering::Relaxed))
}

fn main() {}
