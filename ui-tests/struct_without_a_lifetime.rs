//! A struct that owns handles keeps them detached, `Detached<Stream<'static>>`, or is declared by `handles!`.
//!
//! **Why:** The lifetime that the compiler suggests makes a struct that does not outlive its guard. It is a part of
//! `detached-unusable`.
//!
//! **Mend:** Write `Detached<Stream<'static>>`, or declare the struct by `handles!`. See
//! `ui-tests/mended/struct_without_a_lifetime.rs`.
//!
//! **Mistake** (E0106):

use cuscope::{DeviceBuffer, Stream};

pub struct Misuse {
    pub stream: Stream,
    pub weights: DeviceBuffer<f32>,
}

fn main() {}
