//! Waits for values in memory and writes of them, in the order of a stream (F262).
#![allow(unsafe_code, reason = "exported functions")]

use crate::entry::Answer;
use crate::model::device;
use crate::model::life::Life;
use crate::model::memory::allocation::Allocation;
use crate::model::memory::reach;
use crate::model::memory::space::SPACE;
use crate::race::Access;
use crate::{domain, race};
use core::ffi::c_uint;
use cuscope_sys::*;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::thread;
use std::time::Duration;

/// How often a stream that waits looks.
const GLANCE: Duration = Duration::from_micros(50);
/// Operations of a batch.
pub(crate) const MOST: c_uint = 255;
/// The flag of a wait that flushes what other devices wrote, which no H200 can.
const FLUSH: c_uint = 1 << 30;

pub(crate) const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// A value of 4 or 8 bytes in memory.
pub(crate) struct Word {
    allocation: Arc<Allocation>,
    address: CUdeviceptr,
    bytes: usize,
}

/// One operation, of memory that is looked up when it is enqueued.
#[derive(Clone, Copy)]
pub(crate) enum Operation {
    Write(Place, u64),
    Wait(Place, u64, Comparison),
    Nothing,
}

/// The address and the bytes of a value.
#[derive(Clone, Copy)]
pub(crate) struct Place(CUdeviceptr, usize);

/// One operation that is enqueued.
pub(crate) enum Ready {
    Write(Word, u64),
    Wait(Word, u64, Comparison),
    Nothing,
}

/// How the value in memory has to compare with the one that is asked for.
#[derive(Clone, Copy)]
pub(crate) enum Comparison {
    /// At least as large, in cyclic order.
    AtLeast,
    Equal,
    /// They have a bit in common.
    And,
    /// Some bit is in neither.
    Nor,
}

impl Word {
    /// A word that the device of a context can reach.
    fn new(life: &Arc<Life>, address: CUdeviceptr, bytes: usize) -> Answer<Self> {
        if address == 0 || !address.is_multiple_of(bytes as u64) {
            return Err(INVALID);
        }
        let allocation = SPACE.find(address, bytes)?;
        if !reach::may(life, &allocation) {
            return Err(INVALID);
        }
        Ok(Self { allocation, address, bytes })
    }

    fn touch(&self, access: Access) {
        race::touch(&self.allocation, self.allocation.offset(self.address), self.bytes, access);
    }

    fn load(&self) -> u64 {
        let mut bytes = [0; 8];
        let offset = self.allocation.offset(self.address);
        self.allocation.storage.load(offset, &mut bytes[..self.bytes]);
        u64::from_le_bytes(bytes)
    }

    fn store(&self, value: u64) {
        let offset = self.allocation.offset(self.address);
        self.allocation.storage.store(offset, &value.to_le_bytes()[..self.bytes]);
    }
}

impl Comparison {
    fn of(flags: c_uint) -> Answer<Self> {
        if flags & FLUSH != 0 {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        Ok(match flags {
            0 => Self::AtLeast,
            1 => Self::Equal,
            2 => Self::And,
            3 => Self::Nor,
            _ => return Err(INVALID),
        })
    }

    /// Whether the value in memory is what is waited for.
    fn holds(self, found: u64, value: u64, bytes: usize) -> bool {
        let mask = if bytes == 4 { u64::from(u32::MAX) } else { u64::MAX };
        let (found, value) = (found & mask, value & mask);
        match self {
            Self::AtLeast if bytes == 4 => (found as u32).wrapping_sub(value as u32) as i32 >= 0,
            Self::AtLeast => found.wrapping_sub(value) as i64 >= 0,
            Self::Equal => found == value,
            Self::And => found & value != 0,
            Self::Nor => !(found | value) & mask != 0,
        }
    }
}

impl Place {
    fn new(address: CUdeviceptr, bytes: usize) -> Answer<Self> {
        let aligned = address.is_multiple_of(bytes as u64);
        if aligned { Ok(Self(address, bytes)) } else { Err(INVALID) }
    }
}

impl Operation {
    fn write(address: u64, bytes: usize, value: u64, flags: c_uint) -> Answer<Self> {
        // The flag that does without a barrier is refused too.
        if flags != 0 {
            return Err(INVALID);
        }
        Ok(Self::Write(Place::new(address, bytes)?, value))
    }

    fn wait(address: u64, bytes: usize, value: u64, flags: c_uint) -> Answer<Self> {
        let comparison = Comparison::of(flags)?;
        Ok(Self::Wait(Place::new(address, bytes)?, value, comparison))
    }

    /// Those of a batch, in a context.
    pub(crate) fn all(batch: &[CUstreamBatchMemOpParams], life: &Life) -> Answer<Vec<Self>> {
        let all = batch.iter().map(Self::of_batch).collect::<Answer<Vec<_>>>()?;
        let nor = |one: &Self| matches!(one, Self::Wait(_, _, Comparison::Nor));
        let wide = |one: &Self| match one {
            Self::Wait(place, ..) | Self::Write(place, _) => place.1 == 8,
            _ => false,
        };
        let lacks = |attribute| device::all()[life.device].lacks(attribute);
        let lacking = all.iter().any(nor)
            && lacks(CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR)
            || all.iter().any(wide) && lacks(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS);
        if lacking { Err(CUDA_ERROR_NOT_SUPPORTED) } else { Ok(all) }
    }

    /// One of a batch, of whichever kind: all begin with it.
    fn of_batch(one: &CUstreamBatchMemOpParams) -> Answer<Self> {
        // SAFETY: the program has written the fields of the kind that it says, and padding is not read.
        let kind = unsafe { one.operation };
        match kind {
            CU_STREAM_MEM_OP_WAIT_VALUE_32 | CU_STREAM_MEM_OP_WAIT_VALUE_64 => {
                // SAFETY: as above.
                let (address, flags) = unsafe { (one.waitValue.address, one.waitValue.flags) };
                if kind == CU_STREAM_MEM_OP_WAIT_VALUE_32 {
                    // SAFETY: as above.
                    let value = unsafe { one.waitValue.anonymous.value };
                    return Operation::wait(address, 4, value.into(), flags);
                }
                // SAFETY: as above.
                let value = unsafe { one.waitValue.anonymous.value64 };
                Operation::wait(address, 8, value, flags)
            }
            CU_STREAM_MEM_OP_WRITE_VALUE_32 | CU_STREAM_MEM_OP_WRITE_VALUE_64 => {
                // SAFETY: as above.
                let (address, flags) = unsafe { (one.writeValue.address, one.writeValue.flags) };
                if kind == CU_STREAM_MEM_OP_WRITE_VALUE_32 {
                    // SAFETY: as above.
                    let value = unsafe { one.writeValue.anonymous.value };
                    return Operation::write(address, 4, value.into(), flags);
                }
                // SAFETY: as above.
                let value = unsafe { one.writeValue.anonymous.value64 };
                Operation::write(address, 8, value, flags)
            }
            CU_STREAM_MEM_OP_BARRIER => {
                // SAFETY: as above.
                let flags = unsafe { one.memoryBarrier.flags };
                if flags <= 1 { Ok(Operation::Nothing) } else { Err(INVALID) }
            }
            CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES => Err(CUDA_ERROR_NOT_SUPPORTED),
            _ => Err(INVALID),
        }
    }

    /// Whether it waits.
    pub(crate) fn waits(&self) -> bool {
        matches!(self, Self::Wait(..))
    }

    /// The operation on the memory that is there now.
    pub(crate) fn ready(self, life: &Arc<Life>) -> Answer<Ready> {
        let word = |Place(address, bytes)| Word::new(life, address, bytes);
        Ok(match self {
            Self::Write(place, value) => Ready::Write(word(place)?, value),
            Self::Wait(place, value, comparison) => Ready::Wait(word(place)?, value, comparison),
            Self::Nothing => Ready::Nothing,
        })
    }
}

impl Ready {
    /// Whether it waits.
    pub(crate) fn waits(&self) -> bool {
        matches!(self, Self::Wait(..))
    }

    /// Does it.
    pub(crate) fn run(&self) {
        match self {
            Self::Nothing => {}
            Self::Write(word, value) => {
                word.touch(Access::Write);
                // The host that reads the value sees what came before it in the stream.
                fence(Ordering::Release);
                domain::with_host_memory(|| word.store(*value));
            }
            Self::Wait(word, value, comparison) => {
                while !comparison.holds(word.load(), *value, word.bytes)
                    && !word.allocation.gone()
                    && !domain::should_end()
                {
                    thread::sleep(GLANCE);
                }
                // Later work in the stream sees the writes that the host made before it wrote the value.
                fence(Ordering::Acquire);
            }
        }
    }
}

/// A wait as one of a batch has it.
pub(crate) fn wait(
    operation: CUstreamBatchMemOpType,
    address: CUdeviceptr,
    value64: cuuint64_t,
    flags: c_uint,
) -> CUstreamBatchMemOpParams {
    let anonymous = CUstreamBatchMemOpParams_v1_waitValue_anonymous { value64 };
    let mut one = CUstreamBatchMemOpParams { pad: [0; 6] };
    one.waitValue =
        CUstreamBatchMemOpParams_v1_waitValue { operation, address, anonymous, flags, alias: 0 };
    one
}

/// A write as one of a batch has it.
pub(crate) fn write(
    operation: CUstreamBatchMemOpType,
    address: CUdeviceptr,
    value64: cuuint64_t,
    flags: c_uint,
) -> CUstreamBatchMemOpParams {
    let anonymous = CUstreamBatchMemOpParams_v1_writeValue_anonymous { value64 };
    let mut one = CUstreamBatchMemOpParams { pad: [0; 6] };
    one.writeValue =
        CUstreamBatchMemOpParams_v1_writeValue { operation, address, anonymous, flags, alias: 0 };
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_compare_in_cyclic_order_and_by_bits() {
        let holds =
            |flags, found, value, bytes| Comparison::of(flags).unwrap().holds(found, value, bytes);
        assert!(holds(0, 5, 5, 4) && holds(0, 6, 5, 4) && !holds(0, 4, 5, 4));
        assert!(holds(0, 1, u64::from(u32::MAX), 4) && !holds(0, 1, u64::from(u32::MAX), 8));
        assert!(holds(1, 5, 5, 8) && !holds(1, 6, 5, 8));
        assert!(holds(2, 6, 2, 4) && !holds(2, 4, 2, 4));
        assert!(holds(3, 0, 0, 4) && !holds(3, u64::from(u32::MAX), 0, 4));
        assert_eq!(Comparison::of(4).err(), Some(INVALID));
        assert_eq!(Comparison::of(FLUSH).err(), Some(CUDA_ERROR_NOT_SUPPORTED));
    }
}
