//! Only this crate says what device memory is: an operation copies to the address. Use a `DeviceBuffer`, or
//! `cuscope::ffi` for other memory.

use cuscope::DeviceMemory;

struct Mine;

impl DeviceMemory<'_, f32> for Mine {}

fn main() {}
