//! The mend of `ui-tests/too_many_arguments.rs`. Put some of them in a `#[repr(C)]` struct, in the kernel and in
//! Rust, or list them: `kernel.arguments()`.

use cuscope::{Function, LaunchConfig, Result, SyncStream};

fn right<'ctx>(stream: SyncStream<'_, 'ctx>, kernel: &Function<'ctx>) -> Result {
    let config = LaunchConfig::new(1, 16);
    let many = [
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
        28, 29, 30, 31, 32, 33,
    ];
    let mut arguments = kernel.arguments()?;
    for value in many {
        arguments.push(value)?;
    }
    unsafe { stream.launch_unchecked(kernel, config, arguments) }
}

fn main() {}
