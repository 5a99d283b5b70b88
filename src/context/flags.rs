//! How a context behaves.

use crate::error::{Error, Result};
use bitflags::bitflags;
use ffi::CUctx_flags;

bitflags! {
    /// How a context behaves. At most one of the ways to wait; none lets the driver choose.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct ContextFlags: u32 {
        /// A thread that waits for the device spins: least latency, a core busy.
        const SCHED_SPIN = CUctx_flags::CU_CTX_SCHED_SPIN.bits();
        /// A thread that waits for the device yields.
        const SCHED_YIELD = CUctx_flags::CU_CTX_SCHED_YIELD.bits();
        /// A thread that waits for the device sleeps.
        const SCHED_BLOCKING_SYNC = CUctx_flags::CU_CTX_SCHED_BLOCKING_SYNC.bits();
        /// Page-locked host memory can be mapped for the device; on in every context since CUDA 11.
        const MAP_HOST = CUctx_flags::CU_CTX_MAP_HOST.bits();
        /// Local memory is kept after a launch that needed more.
        const LMEM_RESIZE_TO_MAX = CUctx_flags::CU_CTX_LMEM_RESIZE_TO_MAX.bits();
        /// A fault writes a core dump of the device, whatever the process's settings say.
        const COREDUMP_ENABLE = CUctx_flags::CU_CTX_COREDUMP_ENABLE.bits();
        /// The user can trigger a core dump of the device by writing to a pipe; needs the pipe's
        /// name among the process's core dump settings.
        const USER_COREDUMP_ENABLE = CUctx_flags::CU_CTX_USER_COREDUMP_ENABLE.bits();
        /// Copies and fills without a stream always wait for their end.
        const SYNC_MEMOPS = CUctx_flags::CU_CTX_SYNC_MEMOPS.bits();
    }
}

impl ContextFlags {
    /// Refuses what contradicts itself before the driver sees it.
    pub(crate) fn checked(self, call: &'static str) -> Result<u32> {
        let ways = Self::SCHED_SPIN | Self::SCHED_YIELD | Self::SCHED_BLOCKING_SYNC;
        if (self & ways).bits().count_ones() > 1 {
            let reason = "the flags name several ways to wait: choose one of the SCHED_ flags";
            return Err(Error::InvalidArgument { call, reason });
        }
        if !(self - Self::all()).is_empty() {
            let reason = "the flags hold bits that are no flag: use the constants of ContextFlags";
            return Err(Error::InvalidArgument { call, reason });
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
