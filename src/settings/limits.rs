//! Limits of a context.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::error::Result;
use crate::stack::PushedGuard;
use ffi::{CUlimit, CUresult};

/// The limits of a context. The driver may round a value that you set; read it back to get the actual one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// The stack size of a device thread, in bytes.
    StackSize,
    /// The size in bytes of the buffer for `printf` in kernels. Its contents are printed when the host waits
    /// for a stream, an event or the context. Output that did not fit is lost, the oldest first.
    PrintfFifoSize,
    /// The size in bytes of the heap for `malloc` in kernels.
    MallocHeapSize,
    /// The maximum nesting depth of grids for device-side synchronisation. Not on devices of compute capability
    /// 9.0 or above.
    DeviceRuntimeSyncDepth,
    /// The maximum number of outstanding launches made by kernels.
    DeviceRuntimePendingLaunchCount,
    /// The number of bytes that the L2 cache fetches at once, 0 to 128: a hint.
    MaxL2FetchGranularity,
    /// The number of bytes of the L2 cache that are set aside for persisting data.
    PersistingL2CacheSize,
    /// The size of shared memory in bytes in a context that shares the device with graphics. Cannot be set.
    SharedMemorySize,
    /// Whether the context shares the device with graphics, 0 or 1. Cannot be set.
    GraphicsEnabled,
    /// Whether kernels that need more shared memory than such a context has run all the same, 0 or 1.
    GraphicsSharedMemoryFallback,
    /// The size in bytes of the memory of a block.
    PerBlockMemorySize,
}

impl Limit {
    #[inline]
    fn raw(self) -> CUlimit {
        match self {
            Limit::StackSize => ffi::CU_LIMIT_STACK_SIZE,
            Limit::PrintfFifoSize => ffi::CU_LIMIT_PRINTF_FIFO_SIZE,
            Limit::MallocHeapSize => ffi::CU_LIMIT_MALLOC_HEAP_SIZE,
            Limit::DeviceRuntimeSyncDepth => ffi::CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH,
            Limit::DeviceRuntimePendingLaunchCount => {
                ffi::CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT
            }
            Limit::MaxL2FetchGranularity => ffi::CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
            Limit::PersistingL2CacheSize => ffi::CU_LIMIT_PERSISTING_L2_CACHE_SIZE,
            Limit::SharedMemorySize => ffi::CU_LIMIT_SHMEM_SIZE,
            Limit::GraphicsEnabled => ffi::CU_LIMIT_CIG_ENABLED,
            Limit::GraphicsSharedMemoryFallback => ffi::CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED,
            Limit::PerBlockMemorySize => ffi::CU_LIMIT_PER_BLOCK_MEMORY_SIZE,
        }
    }
}

impl Limit {
    /// Returns why the driver does not tell it.
    #[cold]
    fn unknown(self, code: CUresult) -> Option<String> {
        match code {
            ffi::CUDA_ERROR_UNSUPPORTED_LIMIT => {
                Some(format!("the device has no `Limit::{self:?}`"))
            }
            ffi::CUDA_ERROR_INVALID_VALUE => {
                Some(format!("this driver does not know `Limit::{self:?}`: update the driver"))
            }
            _ => None,
        }
    }
}

impl PushedGuard<'_> {
    /// Returns why a limit was not set to a value.
    #[cold]
    fn not_set(&self, limit: Limit, value: usize, code: CUresult) -> Option<String> {
        let now = self.limit(limit);
        match (code, now) {
            (ffi::CUDA_ERROR_NOT_PERMITTED, Ok(now)) => {
                Some(format!("`Limit::{limit:?}` cannot be set, and is {now}: it only tells"))
            }
            (ffi::CUDA_ERROR_INVALID_VALUE | ffi::CUDA_ERROR_OUT_OF_MEMORY, Ok(now)) => {
                Some(format!(
                    "the device cannot have {value} for `Limit::{limit:?}`, which is {now}: pass a smaller value"
                ))
            }
            (code, Err(_)) => limit.unknown(code),
            _ => None,
        }
    }
}

/// # Limits
impl PushedGuard<'_> {
    /// Returns a limit of the context, in the unit given at [`Limit`].
    ///
    /// # Errors
    /// `CUDA_ERROR_UNSUPPORTED_LIMIT` for a limit that the device does not have
    /// ([F69](crate::driver_facts#F69)), `CUDA_ERROR_INVALID_VALUE` for a limit that the driver does not know;
    /// [`NotCurrent`](crate::Error::NotCurrent).
    #[doc(alias = "cuCtxGetLimit")]
    #[doc(alias = "cudaDeviceGetLimit")]
    #[inline]
    pub fn limit(&self, limit: Limit) -> Result<usize> {
        self.enter(name!(cuCtxGetLimit))?;
        let mut value = 0;
        // SAFETY: writes one `usize` to `value`, which is valid for it; acts on the current context,
        // which `enter` found to be the guard's; the limit may be any number.
        unsafe { answer!(cuCtxGetLimit(&raw mut value, limit.raw())) }
            .explain(|code| limit.unknown(code))?;
        Ok(value)
    }

    /// Sets a limit of the context, in the unit given at [`Limit`]. It applies on every thread.
    ///
    /// # Errors
    /// The errors of [`limit`](Self::limit); `CUDA_ERROR_NOT_PERMITTED` for a limit that cannot be set
    /// ([F69](crate::driver_facts#F69)); `CUDA_ERROR_OUT_OF_MEMORY` or `CUDA_ERROR_INVALID_VALUE` for a value
    /// out of range.
    #[doc(alias = "cuCtxSetLimit")]
    #[doc(alias = "cudaDeviceSetLimit")]
    #[inline]
    pub fn set_limit(&self, limit: Limit, value: usize) -> Result {
        self.enter(name!(cuCtxSetLimit))?;
        // SAFETY: acts on the current context, which `enter` found to be the guard's; the driver
        // checks both numbers.
        unsafe { answer!(cuCtxSetLimit(limit.raw(), value)) }
            .explain(|code| self.not_set(limit, value, code))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// The numbers are those of the manual, and not of the declarations.
    #[test]
    fn each_limit_has_its_own_number() {
        use Limit::*;
        for (limit, number) in [
            (StackSize, 0),
            (PrintfFifoSize, 1),
            (MallocHeapSize, 2),
            (DeviceRuntimeSyncDepth, 3),
            (DeviceRuntimePendingLaunchCount, 4),
            (MaxL2FetchGranularity, 5),
            (PersistingL2CacheSize, 6),
            (SharedMemorySize, 7),
            (GraphicsEnabled, 8),
            (GraphicsSharedMemoryFallback, 9),
            (PerBlockMemorySize, 10),
        ] {
            assert_eq!(limit.raw(), CUlimit(number), "{limit:?}");
        }
    }
}
