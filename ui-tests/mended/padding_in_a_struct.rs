//! The mend of `ui-tests/padding_in_a_struct.rs`. Sort the fields by their alignment, and write what is left as a
//! field.

use bytemuck::{Pod, Zeroable};

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Particle {
    mass: f64,
    kind: u8,
    _padding: [u8; 7],
}

fn main() {}
