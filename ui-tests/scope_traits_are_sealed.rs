//! What a scope takes, only this crate says: that its uses are noted is what orders the streams.

use cuscope::{KernelArg, KernelArgs, memory::InScope};

struct Mine;

impl<'s, 'ctx> KernelArg<'ctx, InScope<'s>> for Mine {}

impl<'s, 'ctx> KernelArgs<'ctx, InScope<'s>> for Mine {}

fn main() {}
