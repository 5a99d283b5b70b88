//! The mend of `ui-tests/argument_not_plain_data.rs`. Derive `Pod` and `Zeroable`.

use cuscope::{Function, LaunchConfig, PushedGuard, Result, Stream};

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Params {
    scale: f32,
    count: u32,
}

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, kernel: &Function<'ctx>) -> Result {
    let params = Params { scale: 2.0, count: 16 };
    // SAFETY: the kernel is scale(struct Params).
    unsafe { gpu.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 16), (params,)) }
}

fn main() {}
