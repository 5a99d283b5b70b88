//! Fills.

use crate::entry::Answer;
use crate::model::memory::allocation::Allocation;
use cuscope_sys::*;

/// A value of 1, 2 or 4 bytes, repeated to eight.
#[derive(Clone, Copy)]
pub(crate) struct Pattern {
    bytes: [u8; 8],
    /// The size of the value.
    pub(crate) size: usize,
}

impl Pattern {
    /// The low `size` bytes of a value; INVALID_VALUE for other sizes than 1, 2 and 4.
    pub(crate) fn new(value: u32, size: usize) -> Answer<Self> {
        if !matches!(size, 1 | 2 | 4) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let value = value.to_le_bytes();
        Ok(Self { bytes: std::array::from_fn(|i| value[i % size]), size })
    }

    /// The value.
    pub(crate) fn value(self) -> u32 {
        let value: Vec<u8> = self.bytes.iter().take(self.size).copied().collect();
        let low = |i: usize| value.get(i).copied().unwrap_or(0);
        u32::from_le_bytes([low(0), low(1), low(2), low(3)])
    }

    /// Fills `count` values at an address of the allocation. The caller notes that it is touched.
    pub(crate) fn write(self, allocation: &Allocation, to: u64, count: usize) {
        allocation.storage.fill(allocation.offset(to), count * self.size, self.bytes);
    }
}
