//! The limits of a context (F69, F120). Kernels here need none of them.

use crate::entry::Answer;
use cuscope_sys::*;

/// The largest stack of a thread.
pub(crate) const MAX_STACK: usize = 523_712;
/// A stack is a multiple of this.
const STACK_UNIT: usize = 16;
/// The smallest and the largest buffer of `printf`, and what it is a multiple of.
const PRINTF: (usize, usize, usize) = (512 << 10, 2 << 30, 256);
/// The same of the heap of `malloc`.
const HEAP: (usize, usize, usize) = (4 << 20, 17_681_179_680, 64 << 10);
/// The smallest and the largest number of launches that can be outstanding.
const PENDING: (usize, usize) = (32, 599_186);
/// The largest number of bytes that are fetched at once.
const MAX_FETCH: usize = 128;
/// The largest part of the L2 cache for data that persist.
pub(crate) const MAX_PERSISTING: usize = 10 * PERSISTING_UNIT;
/// That part is a multiple of this.
const PERSISTING_UNIT: usize = 3_932_160;
/// Shared memory of a block, for those that opt in.
const SHARED_MEMORY: usize = 232_448;

/// The limits that can be set.
pub(crate) struct Limits {
    stack: usize,
    printf: usize,
    heap: usize,
    pending: usize,
    fetch: usize,
    persisting: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            stack: 1024,
            printf: 8_650_752,
            heap: 8 << 20,
            pending: 2048,
            fetch: 64,
            persisting: 3 * PERSISTING_UNIT,
        }
    }
}

/// At least and at most so much, rounded up; what does not fit into a number any more becomes 0.
fn rounded(value: usize, (least, most, unit): (usize, usize, usize)) -> usize {
    value.max(least).checked_next_multiple_of(unit).map_or(0, |value| value.min(most))
}

impl Limits {
    /// The value of a limit: unsupported ones are 215, unknown ones 1.
    pub(crate) fn get(&self, limit: CUlimit) -> Answer<usize> {
        Ok(match limit {
            CU_LIMIT_STACK_SIZE => self.stack,
            CU_LIMIT_PRINTF_FIFO_SIZE => self.printf,
            CU_LIMIT_MALLOC_HEAP_SIZE => self.heap,
            CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT => self.pending,
            CU_LIMIT_MAX_L2_FETCH_GRANULARITY => self.fetch,
            CU_LIMIT_PERSISTING_L2_CACHE_SIZE => self.persisting,
            CU_LIMIT_SHMEM_SIZE => SHARED_MEMORY,
            CU_LIMIT_CIG_ENABLED => 0,
            CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH | CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED => {
                return Err(CUDA_ERROR_UNSUPPORTED_LIMIT);
            }
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        })
    }

    /// Bytes of the heap of `malloc`.
    pub(crate) fn heap(&self) -> usize {
        self.heap
    }

    /// Sets a limit to what becomes of the value.
    pub(crate) fn set(&mut self, limit: CUlimit, value: usize) -> Answer {
        let at_most = |most| if value <= most { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) };
        match limit {
            CU_LIMIT_STACK_SIZE => {
                at_most(MAX_STACK)?;
                // One that needs no other stack than there is stays as it is.
                let same = !self.needs_another_stack(value);
                self.stack = if same { value } else { value.next_multiple_of(STACK_UNIT) };
            }
            CU_LIMIT_PRINTF_FIFO_SIZE => self.printf = rounded(value, PRINTF),
            CU_LIMIT_MALLOC_HEAP_SIZE => self.heap = rounded(value, HEAP),
            CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT => {
                self.pending = value.clamp(PENDING.0, PENDING.1);
            }
            CU_LIMIT_MAX_L2_FETCH_GRANULARITY => {
                at_most(MAX_FETCH)?;
                self.fetch = value;
            }
            CU_LIMIT_PERSISTING_L2_CACHE_SIZE => {
                at_most(MAX_PERSISTING)?;
                self.persisting = value.next_multiple_of(PERSISTING_UNIT);
            }
            _ => {
                let _known = self.get(limit)?;
                return Err(CUDA_ERROR_NOT_PERMITTED);
            }
        }
        Ok(())
    }

    /// Whether a stack of so many bytes is another than that of now.
    pub(crate) fn needs_another_stack(&self, value: usize) -> bool {
        value.div_ceil(STACK_UNIT) != self.stack.div_ceil(STACK_UNIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_becomes_what_an_h200_makes_of_it() {
        let mut limits = Limits::default();
        let made = [
            (CU_LIMIT_STACK_SIZE, 1, 16),
            (CU_LIMIT_STACK_SIZE, 15, 15),
            (CU_LIMIT_STACK_SIZE, 17, 32),
            (CU_LIMIT_STACK_SIZE, 523_712, 523_712),
            (CU_LIMIT_STACK_SIZE, 1024, 1024),
            (CU_LIMIT_PRINTF_FIFO_SIZE, 0, 524_288),
            (CU_LIMIT_PRINTF_FIFO_SIZE, 1_048_577, 1_048_832),
            (CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 40, 2 << 30),
            (CU_LIMIT_PRINTF_FIFO_SIZE, usize::MAX, 0),
            (CU_LIMIT_MALLOC_HEAP_SIZE, 1, 4 << 20),
            (CU_LIMIT_MALLOC_HEAP_SIZE, (8 << 20) + 1, 8_454_144),
            (CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 40, 17_681_179_680),
            (CU_LIMIT_MALLOC_HEAP_SIZE, usize::MAX, 0),
            (CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 2, 32),
            (CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 1 << 40, 599_186),
            (CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 33, 33),
            (CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0, 0),
            (CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1, 3_932_160),
            (CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 16 << 20, 19_660_800),
        ];
        for (limit, value, after) in made {
            assert_eq!(limits.set(limit, value), Ok(()), "{limit:?} {value}");
            assert_eq!(limits.get(limit), Ok(after), "{limit:?} {value}");
        }
        for (limit, value) in [
            (CU_LIMIT_STACK_SIZE, 523_713),
            (CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 129),
            (CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 39_321_601),
        ] {
            assert_eq!(limits.set(limit, value), Err(CUDA_ERROR_INVALID_VALUE), "{limit:?}");
        }
    }
}
