//! The mend of `ui-tests/erased_brand.rs`. Give the trait the lifetime: `trait Clear<'ctx>`.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

trait Clear<'ctx> {
    fn clear(&self, stream: &Stream<'ctx>, buffer: &mut DeviceBuffer<'ctx, u32>) -> Result;
}

impl<'ctx> Clear<'ctx> for PushedGuard<'ctx> {
    fn clear(&self, stream: &Stream<'ctx>, buffer: &mut DeviceBuffer<'ctx, u32>) -> Result {
        self.on(stream).zero(buffer)
    }
}

fn main() {}
