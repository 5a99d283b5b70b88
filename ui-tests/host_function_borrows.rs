//! The driver may call a host function late, or never, so it owns what it uses: move it in, or share it by `Arc`.

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result<u32> {
    let mut count = 0;
    gpu.on(stream).host_function(|| count += 1)?;
    Ok(count)
}

fn main() {}
