//! A struct that owns handles keeps them detached, `Detached<Stream<'static>>`, or is declared by `handles!`. The
//! lifetime that the compiler suggests makes a struct that does not outlive its guard.

use cuscope::{DeviceBuffer, Stream};

pub struct Misuse {
    pub stream: Stream,
    pub weights: DeviceBuffer<f32>,
}

fn main() {}
