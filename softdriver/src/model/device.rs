//! Devices and what is told of them.

pub(crate) use crate::model::device_attribute::attribute;

use crate::entry::Answer;
use crate::model::context::Context;
use crate::model::driver::driver as state;
use core::ffi::c_char;
use cuscope_sys::*;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};

/// Memory of a device in bytes.
pub(crate) const TOTAL_MEMORY: usize = 16 << 30;
/// Threads of a block.
pub(crate) const MAX_THREADS: u32 = 1024;
/// Extents of a block.
pub(crate) const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Extents of a grid.
pub(crate) const MAX_GRID: [u32; 3] = [2_147_483_647, 65_535, 65_535];
/// Shared memory of a block without opting in.
pub(crate) const MAX_SHARED: usize = 49_152;
/// Multiprocessors.
pub(crate) const MULTIPROCESSORS: u32 = 132;
/// Constant memory.
pub(crate) const MAX_CONSTANT: usize = 65_536;

/// A device.
pub(crate) struct Device {
    /// Its number in the process.
    pub(crate) ordinal: usize,
    /// Its number in the machine, by which it is known to other processes.
    pub(crate) number: usize,
    /// Its primary context, and how often that is retained (F18).
    pub(crate) primary: Mutex<Primary>,
    /// The handle of the pool that was set last; 0 if none was (F170).
    pub(crate) pool: AtomicUsize,
}

/// The primary context of a device.
pub(crate) struct Primary {
    /// Made by the first retain; the handle stays the same from then on.
    pub(crate) context: Option<Arc<Context>>,
    /// Retains minus releases; a green context retains too (F135).
    pub(crate) count: usize,
    /// Green contexts that are alive.
    pub(crate) green_contexts: usize,
    /// The flags that it has or will have.
    pub(crate) flags: u32,
}

impl Device {
    pub(crate) fn new(ordinal: usize, number: usize) -> Self {
        let primary = Primary { context: None, count: 0, green_contexts: 0, flags: 0 };
        Self { ordinal, number, primary: Mutex::new(primary), pool: AtomicUsize::new(0) }
    }
}

/// The identity of a device of the machine: a fixed beginning and its number.
pub(crate) fn uuid(number: usize) -> [c_char; 16] {
    let mut bytes = b"cuscope-soft\0\0\0\0".map(|byte| byte as c_char);
    bytes[15] = number as c_char;
    bytes
}

/// The device with this number in the machine, if the process has it.
pub(crate) fn numbered(number: usize) -> Answer<&'static Device> {
    state().devices.iter().find(|one| one.number == number).ok_or(CUDA_ERROR_INVALID_DEVICE)
}

/// The device of an ordinal (F21).
pub(crate) fn device(ordinal: CUdevice) -> Answer<&'static Device> {
    let index = usize::try_from(ordinal).map_err(|_| CUDA_ERROR_INVALID_DEVICE)?;
    state().devices.get(index).ok_or(CUDA_ERROR_INVALID_DEVICE)
}
