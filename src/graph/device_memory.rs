//! The memory of a device that nodes of graphs allocate.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::answer;
use crate::device::Device;
use crate::error::Result;
use crate::memory::PoolUsage;
use ffi::CUgraphMem_attribute;

/// # Memory of graphs
impl Device {
    /// Returns the memory that the [nodes](crate::graph::GraphBuilder::alloc) of graphs have taken from the device, in bytes.
    ///
    /// A graph takes memory when it is first launched. The device gets it back by
    /// [`trim_graph_memory`](Self::trim_graph_memory), not when the graph frees it or is dropped
    /// ([F568](crate::driver_facts#F568)).
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuDeviceGetGraphMemAttribute")]
    #[inline]
    pub fn graph_memory(self) -> Result<PoolUsage> {
        let get = |attribute: CUgraphMem_attribute| -> Result<u64> {
            let mut bytes = 0_u64;
            let out = (&raw mut bytes).cast();
            // SAFETY: the attribute is a `cuuint64_t`, for which `out` is valid.
            unsafe { answer!(cuDeviceGetGraphMemAttribute(self.raw(), attribute, out)) }.check()?;
            Ok(bytes)
        };
        Ok(PoolUsage {
            reserved: get(ffi::CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT)?,
            reserved_high: get(ffi::CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)?,
            used: get(ffi::CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT)?,
            used_high: get(ffi::CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)?,
        })
    }

    /// Resets the peak values of [`graph_memory`](Self::graph_memory) to the current ones.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuDeviceSetGraphMemAttribute")]
    #[inline]
    pub fn reset_graph_memory_high_marks(self) -> Result {
        let high = [ffi::CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, ffi::CU_GRAPH_MEM_ATTR_USED_MEM_HIGH];
        high.into_iter().try_for_each(|attribute| {
            let mut none = 0_u64;
            let none = (&raw mut none).cast();
            // SAFETY: the attribute is a `cuuint64_t`, which `none` leads to.
            unsafe { answer!(cuDeviceSetGraphMemAttribute(self.raw(), attribute, none)) }.result()
        })
    }

    /// Returns memory of graphs to the device that nothing uses.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuDeviceGraphMemTrim")]
    #[inline]
    pub fn trim_graph_memory(self) -> Result {
        // SAFETY: takes a device, which the driver looks up; what is in use stays.
        unsafe { answer!(cuDeviceGraphMemTrim(self.raw())) }.result()
    }
}
