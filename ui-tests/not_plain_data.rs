//! Device memory holds plain data.
//!
//! **Why:** The device may leave any bytes behind, which need not be a `bool` or a reference, and a copy to it reads
//! every byte, padding too. It is a part of `plain-data`.
//!
//! **Mend:** Use numbers, arrays of them, and `#[repr(C)]` structs with bytemuck's `#[derive(Pod, Zeroable)]`. See
//! `ui-tests/mended/not_plain_data.rs`.
//!
//! **Mistake** (E0277):

use cuscope::DeviceBuffer;

#[derive(Clone, Copy)]
#[repr(C)]
struct Padded {
    small: u8,
    large: u64,
}

fn with_padding(_: &DeviceBuffer<'_, Padded>) {}
fn of_bools(_: &DeviceBuffer<'_, bool>) {}
fn of_references(_: &DeviceBuffer<'_, &'static u32>) {}

fn main() {}
