//! The mend of `ui-tests/not_plain_data.rs`. Use numbers, arrays of them, and `#[repr(C)]` structs with bytemuck's
//! `#[derive(Pod, Zeroable)]`.

use cuscope::DeviceBuffer;

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Padded {
    small: u64,
    large: u64,
}

fn with_padding(_: &DeviceBuffer<'_, Padded>) {}
fn of_bools(_: &DeviceBuffer<'_, u8>) {}
fn of_references(_: &DeviceBuffer<'_, u32>) {}

fn main() {}
