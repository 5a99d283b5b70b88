//! Only operations of its stream use memory of an ordered stream. Blocking operations of other streams do not.

use cuscope::{Function, LaunchConfig, OrderedBuffer, Result, SyncStream};

fn misuse<'ctx>(
    on: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mut x: OrderedBuffer<f32>,
) -> Result {
    on.fill(&mut x, 1.0)?;
    unsafe { on.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut x,)) }
}

fn main() {}
