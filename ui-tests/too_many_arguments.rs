//! A launch takes at most twelve arguments. Put some of them in a `#[repr(C)]` struct, in the kernel
//! and in Rust.

use cuscope::{Function, LaunchConfig, SyncStream, Result};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, kernel: &Function<'ctx>) -> Result {
    let config = LaunchConfig::new(1, 16);
    unsafe { stream.launch(kernel, config, (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)) }
}

fn main() {}
