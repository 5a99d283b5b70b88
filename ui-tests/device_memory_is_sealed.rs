//! Only this crate says what device memory is.
//!
//! **Why:** An operation copies to the address. It is a part of `host-memory-borrowed`.
//!
//! **Mend:** Use a `DeviceBuffer`, or `cuscope::ffi` for other memory. See
//! `ui-tests/mended/device_memory_is_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::DeviceMemory;

struct Mine;

impl DeviceMemory<'_, f32> for Mine {}

fn main() {}
