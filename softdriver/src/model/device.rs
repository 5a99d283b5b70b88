//! Devices and what is told of them.

use crate::entry::Answer;
use crate::lowered::{self, Attribute, Lowered};
use core::ffi::{c_char, c_int};
use cuscope_sys::*;
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;

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

/// The devices of the process, by ordinal. The first `cuInit` finds them.
pub(crate) static DEVICES: OnceLock<Vec<Device>> = OnceLock::new();

/// The same; for bodies of functions that are refused before `cuInit`.
pub(crate) fn all() -> &'static [Device] {
    // The entry of every function checks `ready` first.
    DEVICES.get().expect("cuInit was called")
}

/// A device.
pub(crate) struct Device {
    /// Its number in the process.
    pub(crate) ordinal: usize,
    /// Its number in the machine, by which it is known to other processes.
    pub(crate) number: usize,
    /// The handle of the pool that was set last; 0 if none was (F170).
    pub(crate) pool: AtomicUsize,
    /// The attributes of which it has less than an H200.
    lowered: Vec<Lowered>,
}

impl Device {
    pub(crate) fn new(ordinal: usize, number: usize, lowered: Vec<Lowered>) -> Self {
        Self { ordinal, number, pool: AtomicUsize::new(0), lowered }
    }

    /// The most that an attribute of it is.
    pub(crate) fn most(&self, attribute: Attribute) -> c_int {
        if self.lowered.is_empty() {
            return c_int::MAX;
        }
        lowered::most(&self.lowered, self.number, attribute)
    }

    /// Whether it lacks what an attribute stands for, which other devices have.
    pub(crate) fn lacks(&self, attribute: CUdevice_attribute) -> bool {
        self.most(Attribute::OfDevice(attribute)) == 0
    }

    /// Whether it and another one have access to the memory of each other.
    pub(crate) fn reaches(&self, other: &Device) -> bool {
        let links = |one: &Device| one.most(Attribute::PeerAccess) > 0;
        self.ordinal != other.ordinal && links(self) && links(other)
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
    all().iter().find(|one| one.number == number).ok_or(CUDA_ERROR_INVALID_DEVICE)
}

/// The device of an ordinal (F21).
pub(crate) fn device(ordinal: CUdevice) -> Answer<&'static Device> {
    let index = usize::try_from(ordinal).map_err(|_| CUDA_ERROR_INVALID_DEVICE)?;
    all().get(index).ok_or(CUDA_ERROR_INVALID_DEVICE)
}
