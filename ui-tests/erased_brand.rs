//! A trait object does not hide which guard a handle belongs to: the method would accept one of any
//! context (F34). Give the trait the lifetime: `trait Clear<'ctx>`.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

trait Clear {
    fn clear(&self, stream: &Stream<'_>, buffer: &mut DeviceBuffer<'_, u32>) -> Result;
}

impl Clear for PushedGuard<'_> {
    fn clear(&self, stream: &Stream<'_>, buffer: &mut DeviceBuffer<'_, u32>) -> Result {
        self.on(stream).zero(buffer)
    }
}

fn main() {}
