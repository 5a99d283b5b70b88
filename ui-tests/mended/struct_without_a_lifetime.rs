//! The mend of `ui-tests/struct_without_a_lifetime.rs`. Write `Detached<Stream<'static>>`, or declare the struct by
//! `handles!`.

use cuscope::{Detached, DeviceBuffer, Stream};

struct Right {
    pub stream: Detached<Stream<'static>>,
    pub weights: Detached<DeviceBuffer<'static, f32>>,
}

fn main() {}
