//! Context flags.

use crate::error::{Error, Result};
use ffi::CUctx_flags;

ffi::flags! {
    /// Flags that control how a context behaves. Set at most one of the `SCHED_` flags; without any, the driver
    /// chooses.
    #[derive(Default)]
    pub struct ContextFlags: u32 {
        /// A thread that waits for the device spins: minimum latency, but one core stays busy.
        const SCHED_SPIN = CUctx_flags::CU_CTX_SCHED_SPIN.bits();
        /// A thread that waits for the device yields.
        const SCHED_YIELD = CUctx_flags::CU_CTX_SCHED_YIELD.bits();
        /// A thread that waits for the device sleeps.
        const SCHED_BLOCKING_SYNC = CUctx_flags::CU_CTX_SCHED_BLOCKING_SYNC.bits();
        /// Page-locked host memory can be mapped for the device. Every context has this since CUDA 11.
        const MAP_HOST = CUctx_flags::CU_CTX_MAP_HOST.bits();
        /// The driver keeps local memory after a launch that needed more.
        const LMEM_RESIZE_TO_MAX = CUctx_flags::CU_CTX_LMEM_RESIZE_TO_MAX.bits();
        /// A fault writes a core dump of the device, whatever the process's settings are.
        const COREDUMP_ENABLE = CUctx_flags::CU_CTX_COREDUMP_ENABLE.bits();
        /// The user can trigger a core dump of the device by writing to a pipe. The process's core dump
        /// settings must contain the pipe's name.
        const USER_COREDUMP_ENABLE = CUctx_flags::CU_CTX_USER_COREDUMP_ENABLE.bits();
        /// Copies and fills without a stream always wait until they are complete.
        const SYNC_MEMOPS = CUctx_flags::CU_CTX_SYNC_MEMOPS.bits();
    }
}

impl ContextFlags {
    /// Refuses contradictory flags before the driver sees them.
    #[inline]
    pub(crate) fn checked(self, call: &'static str) -> Result<u32> {
        let ways = Self::SCHED_SPIN | Self::SCHED_YIELD | Self::SCHED_BLOCKING_SYNC;
        if (self & ways).bits().count_ones() > 1 {
            let reason = format!(
                "the flags contain several SCHED_ flags, {:#x}: choose one",
                (self & ways).bits()
            );
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        }
        if !(self - Self::all()).is_empty() {
            let reason = format!(
                "the flags contain unknown bits, {:#x}: use the constants of `ContextFlags`",
                (self - Self::all()).bits()
            );
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        }
        Ok(self.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_of_the_driver_has_a_name() {
        assert_eq!(ContextFlags::all().bits(), CUctx_flags::CU_CTX_FLAGS_MASK.bits());
    }
}
