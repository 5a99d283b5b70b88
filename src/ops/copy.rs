//! Copies on the device.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{NodeOperation, Operation, Owned, Slot, zeros};
use crate::args::sealed::Operands;
use crate::call::{Answer, answer, name};
use crate::memory::access::Access;
use ffi::{CUDA_MEMCPY3D, CUcontext, CUstream};
use std::ops::Deref;

/// Copies device memory to other memory of the device.
pub(crate) struct Copy<'a> {
    from: Access<'a>,
    to: Access<'a>,
}

impl<'a> Copy<'a> {
    pub(crate) const CALL: &'static str = name!(cuMemcpyDtoDAsync_v2);

    /// Creates a copy between memory of equal length. The two are distinct, since `to` is borrowed exclusively.
    #[inline]
    pub(crate) fn new(from: Access<'a>, to: Access<'a>) -> Self {
        Copy { from, to }
    }
}

impl Operation for Copy<'_> {
    #[inline]
    fn call(&self) -> &'static str {
        Self::CALL
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        Owned((self.to, self.from))
    }

    #[inline]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        let (to, from, bytes) = (self.to.address, self.from.address, self.to.bytes());
        // SAFETY: both have as many elements, and they are distinct. The rest is the caller's obligation 1.
        unsafe { answer!(cuMemcpyDtoDAsync_v2(to, from, bytes, stream)) }
    }
}

impl NodeOperation for Copy<'_> {
    const ADD: &'static str = name!(cuGraphAddMemcpyNode);

    unsafe fn add(&self, slot: Slot, context: CUcontext) -> Answer {
        let Slot { node, graph, before, count } = slot;
        let mut params: CUDA_MEMCPY3D = zeros();
        params.srcMemoryType = ffi::CU_MEMORYTYPE_DEVICE;
        params.srcDevice = self.from.address;
        params.dstMemoryType = ffi::CU_MEMORYTYPE_DEVICE;
        params.dstDevice = self.to.address;
        params.WidthInBytes = self.to.bytes();
        (params.Height, params.Depth) = (1, 1);
        let params = &raw const params;
        // SAFETY: both have that many bytes, and they are distinct. The rest is the caller's obligations 1 and 2.
        unsafe { answer!(cuGraphAddMemcpyNode(node, graph, before, count, params, context)) }
    }
}
