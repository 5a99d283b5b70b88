//! A guarded kernel whose parameters are those of the run takes a list of arguments, and no tuple.
//!
//! **Why:** The compiler does not know its parameters. A list compares each argument with its parameter when it is pushed.
//!
//! **Mend:** Push the arguments to a list. See `ui-tests/mended/tuple_for_guarded_function.rs`.
//!
//! **Mistake** (E0277):

use cuscope::kernel::GuardedFunction;
use cuscope::{DeviceBuffer, LaunchConfig, Result, SyncStream};

fn launch<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    kernel: &GuardedFunction,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    stream.launch(kernel, LaunchConfig::new(1, 16), (16_u32, x))
}

fn main() {}
