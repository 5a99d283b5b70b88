//! A struct in device memory has no padding.
//!
//! **Why:** A copy to the device reads every byte, and padding is not initialised. It is a part of `plain-data`.
//!
//! **Mend:** Sort the fields by their alignment, and write what is left as a field. See
//! `ui-tests/mended/padding_in_a_struct.rs`.
//!
//! **Mistake** (E0080):

use bytemuck::{Pod, Zeroable};

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Particle {
    kind: u8,
    mass: f64,
}

fn main() {}
