//! The owners of device memory: one buffer, or a buffer together with graphs.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{BufferKind, MemoryPool};
use crate::call::later;
use crate::context::Context;
use crate::driver::capture_mode::release_relaxed;
use crate::owned::{Lease, StreamInner};
use crate::sync::{Arc, Mutex};
use ffi::CUdeviceptr;
use static_assertions::assert_impl_all;
use std::mem;
use std::sync::PoisonError;

/// Device memory. It is freed when this is dropped and no graph has a [`Share`] in it.
///
/// Two allocations that are alive have different addresses, so comparing addresses compares allocations.
pub(crate) struct Allocation {
    address: CUdeviceptr,
    /// The [`Context::key`] of its context.
    of: usize,
    free: Free,
    /// Set once a graph has asked for it.
    share: Mutex<Option<Arc<Share>>>,
}
assert_impl_all!(Allocation: Send, Sync);

/// The way to free an allocation.
enum Free {
    /// In its context.
    Plain(Context),
    /// On the stream that it was allocated on. Its pool lives as long.
    InOrder { stream: Arc<StreamInner>, _pool: Option<MemoryPool> },
    /// By something else: a node of the graph that allocates it, the graphs that have a share in it, or a scope.
    Else(Context),
    /// Not at all: its module lends it.
    Lent(Box<Lease>),
}

/// A share in an allocation. The share receives the allocation when the owner is dropped, and the last share
/// frees it.
pub(crate) struct Share(Mutex<Option<Allocation>>);

impl Allocation {
    fn new(address: CUdeviceptr, of: usize, free: Free) -> Allocation {
        Allocation { address, of, free, share: Mutex::new(None) }
    }

    /// Takes ownership of memory that was allocated in a context and not freed.
    #[inline]
    pub(super) fn plain(address: CUdeviceptr, context: Context) -> Allocation {
        Allocation::new(address, context.key(), Free::Plain(context))
    }

    /// Takes ownership of memory that was allocated on a stream and not freed.
    #[inline]
    pub(crate) fn in_order(
        address: CUdeviceptr,
        stream: Arc<StreamInner>,
        pool: Option<MemoryPool>,
    ) -> Allocation {
        Allocation::new(address, stream.context.key(), Free::InOrder { stream, _pool: pool })
    }

    /// Takes memory that one node of a graph allocates and another one frees.
    pub(crate) fn in_graph(address: CUdeviceptr, context: Context) -> Allocation {
        Allocation::new(address, context.key(), Free::Else(context))
    }

    /// Stands for all memory that a scope of this context allocates and frees by itself. It has no address, which
    /// only graphs compare.
    pub(crate) fn in_scope(context: Context) -> Allocation {
        Allocation::new(0, context.key(), Free::Else(context))
    }

    /// Takes a variable that is lent.
    pub(crate) fn lent(address: CUdeviceptr, lease: Lease) -> Allocation {
        Allocation::new(address, lease.context().key(), Free::Lent(Box::new(lease)))
    }

    #[inline]
    pub(crate) fn address(&self) -> CUdeviceptr {
        self.address
    }

    pub(crate) fn context(&self) -> &Context {
        match &self.free {
            Free::Plain(context) | Free::Else(context) => context,
            Free::Lent(lease) => lease.context(),
            Free::InOrder { stream, .. } => &stream.context,
        }
    }

    /// Returns the [`Context::key`] of its context.
    #[inline]
    pub(crate) fn key(&self) -> usize {
        self.of
    }

    pub(super) fn kind(&self) -> BufferKind {
        match self.free {
            // Memory of a graph is held, and never a buffer.
            Free::Plain(_) | Free::Else(_) => BufferKind::Plain,
            Free::InOrder { .. } => BufferKind::StreamOrdered,
            Free::Lent(_) => BufferKind::Variable,
        }
    }

    /// Returns a share in it, for a graph that uses it (invariant [`graph-owns`](crate::soundness#graph-owns)).
    pub(crate) fn share(&self) -> Arc<Share> {
        let mut share = self.share.lock().unwrap_or_else(PoisonError::into_inner);
        share.get_or_insert_with(|| Arc::new(Share(Mutex::new(None)))).clone()
    }

    /// Leaves the memory to all owners of a share in it.
    #[cold]
    fn leave_to(&mut self, share: Arc<Share>) {
        let left = Free::Else(self.context().clone());
        let free = mem::replace(&mut self.free, left);
        let memory = Allocation::new(self.address, self.of, free);
        *share.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(memory);
        // If it was the last one, this frees the memory.
        drop(share);
    }
}

impl Drop for Allocation {
    #[inline]
    fn drop(&mut self) {
        let share = self.share.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = share.take() {
            return self.leave_to(share);
        }
        match &self.free {
            Free::Else(_) | Free::Lent(_) => {}
            Free::Plain(_) => {
                // SAFETY: this is the only owner of the allocation, which was made and not freed; its
                // context is alive, and need not be current (F40). Work that uses the memory is waited
                // for (F50), and captures do not refuse it (F101).
                release_relaxed(unsafe { later!(cuMemFree_v2(self.address)) });
            }
            Free::InOrder { stream, .. } => {
                // SAFETY: this is the only owner of the allocation, which was made and not freed; the
                // stream is alive, and no context need be current (F40). Nothing else uses the memory
                // (`idle-outside`), and what the stream still does comes before the free. Captures of
                // other streams do not refuse it (F141), and this one is not captured while the buffer is
                // alive (`captured-unused`).
                release_relaxed(unsafe { later!(cuMemFreeAsync(self.address, stream.raw)) });
            }
        }
    }
}
