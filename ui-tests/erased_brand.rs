//! A trait object does not hide which guard a handle belongs to.
//!
//! **Why:** The method would accept one of any context (F34). It is a part of `own-context`.
//!
//! **Mend:** Give the trait the lifetime: `trait Clear<'ctx>`. See `ui-tests/mended/erased_brand.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

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
