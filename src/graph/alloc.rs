//! Memory that nodes of a graph allocate and free.
#![allow(unsafe_code, reason = "calls the driver")]

use super::GraphBuilder;
use super::node::{AllocNode, FreeNode, NodeId};
use crate::call::{answer, name};
use crate::error::{Error, Result};
use crate::memory::uses::Op;
use crate::memory::{Allocation, Element, size_for};
use crate::ops::{Slot, zeros};
use crate::scope::ScopedBuffer;
use ffi::CUdeviceptr;

// The requirements of the driver on both calls are as in `add`, in the SAFETY comments 1.

const FREE: &str = name!(cuGraphAddMemFreeNode);

impl<'s> GraphBuilder<'s, '_, '_> {
    /// Adds a node that allocates memory.
    ///
    /// Each replay allocates it for the nodes of this graph alone. Its contents are unspecified bytes. It is
    /// [freed](Self::free) after all nodes that use it.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for a buffer of more than an address space holds, and for a node of
    /// another graph; `CUDA_ERROR_OUT_OF_MEMORY`.
    #[doc(alias = "cuGraphAddMemAllocNode")]
    pub fn alloc<T: Element>(
        &'s self,
        after: &[NodeId],
        len: usize,
    ) -> Result<(ScopedBuffer<'s, T>, AllocNode)> {
        const CALL: &str = name!(cuGraphAddMemAllocNode);
        let add = || {
            let bytes = size_for::<T>(CALL, len)?;
            let before = self.behind(CALL, after, &[])?;
            let context = self.gpu.context();
            if bytes == 0 {
                let memory = self.memory.add(Allocation::nowhere(context.clone()));
                return Ok((ScopedBuffer::new(memory, len), self.add_empty(&before)?));
            }
            let mut params: ffi::CUDA_MEM_ALLOC_NODE_PARAMS = zeros();
            params.poolProps.allocType = ffi::CU_MEM_ALLOCATION_TYPE_PINNED;
            params.poolProps.location.r#type = ffi::CU_MEM_LOCATION_TYPE_DEVICE;
            params.poolProps.location.anonymous.id = context.device().raw();
            params.bytesize = bytes;
            let node: AllocNode = self.add(&before, |slot| {
                let Slot { node, graph, before, count } = slot;
                // SAFETY: 1. as above. 2. `params` is valid for the address that is written to it.
                unsafe {
                    answer!(cuGraphAddMemAllocNode(node, graph, before, count, &raw mut params))
                }
            })?;
            let memory = self.memory.add(Allocation::in_graph(params.dptr, context.clone()));
            self.allocates(memory);
            let held = ScopedBuffer::new(memory, len);
            // Everything comes after the node that allocates.
            let op = Op::node(node.id().place);
            held.tracked().note_node(&op, true);
            Ok((held, node))
        };
        self.record.note(add())
    }

    /// Adds a node that frees the memory of an [allocating](Self::alloc) node, after all nodes that use it.
    ///
    /// If the closure does not free the memory, or only has parts of it, the memory is freed at the end of the
    /// graph.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for memory that no node of this graph allocates, for a part
    /// of an allocation, and for a node of another graph.
    #[doc(alias = "cuGraphAddMemFreeNode")]
    pub fn free<T: Element>(
        &self,
        after: &[NodeId],
        memory: ScopedBuffer<'s, T>,
    ) -> Result<FreeNode> {
        let whole = memory.used(true).whole();
        let reason = "this builder can free only a whole buffer that its `alloc` returned";
        let refused = || Error::InvalidArgument { call: FREE, reason: reason.into() };
        self.record
            .note(whole.ok_or_else(refused).and_then(|address| self.free_behind(after, address)))
    }

    #[inline]
    pub(super) fn free_behind(&self, after: &[NodeId], address: CUdeviceptr) -> Result<FreeNode> {
        let reason = "no node of this graph allocates the buffer: drop it to free it";
        if address == 0 {
            return self.add_empty(&self.behind(FREE, after, &[])?);
        }
        let refused = || Error::InvalidArgument { call: FREE, reason: reason.into() };
        let users = self.users(address).ok_or_else(refused)?;
        let before = self.behind_all(FREE, after, users, &[])?;
        self.add(&before, |Slot { node, graph, before, count }| {
            // SAFETY: 1. as above. 2. A node of this graph, which is before, allocates the memory; what uses it
            // is before too, and no later node does: it is held by the one value that is taken, or by none.
            unsafe { answer!(cuGraphAddMemFreeNode(node, graph, before, count, address)) }
        })
    }
}
