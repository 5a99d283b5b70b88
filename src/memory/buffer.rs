//! Buffers in device memory.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::brand::Brand;
use crate::capture_mode::relaxed;
use crate::error::{Error, check, release};
use crate::memory::MemoryPool;
use crate::memory::view::View;
use crate::module::Lease;
use crate::stream::StreamInner;
use crate::sync::Arc;
use crate::{Context, Element, PushedGuard, Result};
use ffi::CUdeviceptr;
use static_assertions::assert_impl_all;
use std::fmt;
use std::marker::PhantomData;
use std::sync::PoisonError;

/// A buffer of `len` elements in device memory, of one context.
///
/// Nothing is in flight on it outside an operation that borrows it (invariant `idle-outside`, as far
/// as no [unsafe unscoped](crate::OnStream::launch_unscoped) one is used), so dropping it frees at
/// once, or with the last [`Graph`](crate::Graph) that names it; the driver waits for all work of the context then (F50), and needs no current context (F40).
pub struct DeviceBuffer<'ctx, T: Element> {
    /// Shared with the graphs that name the memory (invariant `graph-owns`).
    pub(crate) inner: Arc<Allocation>,
    pub(crate) len: usize,
    pub(crate) _brand: Brand<'ctx>,
    pub(crate) data: PhantomData<T>,
}
assert_impl_all!(DeviceBuffer<'static, f32>: Send, Sync);

/// How a [`DeviceBuffer`] was allocated, and so how it is freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BufferKind {
    /// By [`PushedGuard::alloc`]: the free waits for all work of the context (F50).
    Plain,
    /// By [`OnStream::alloc`](crate::OnStream::alloc), from a pool: the free is enqueued in the stream
    /// that it was allocated on, and waits for nothing (F51).
    StreamOrdered,
    /// A variable of a module or library: [`Module::variable`](crate::Module::variable). The free gives it
    /// back.
    Variable,
}

pub(crate) struct Allocation {
    address: CUdeviceptr,
    free: Free,
}

/// What frees an allocation.
enum Free {
    /// Its context.
    Plain(Context),
    /// The stream that it was made on; the pool that it came from lives as long.
    InOrder { stream: Arc<StreamInner>, _pool: Option<MemoryPool> },
    /// A node of the graph that allocates it.
    InGraph(Context),
    /// Nothing: it is lent by its module.
    Lent(Lease),
}

impl Allocation {
    /// What was allocated on a stream, and not freed, is owned from here on.
    pub(crate) fn in_order(
        address: CUdeviceptr,
        stream: Arc<StreamInner>,
        pool: Option<MemoryPool>,
    ) -> Allocation {
        Allocation { address, free: Free::InOrder { stream, _pool: pool } }
    }

    /// What a node of a graph allocates, in which another one frees it.
    pub(crate) fn in_graph(address: CUdeviceptr, context: Context) -> Allocation {
        Allocation { address, free: Free::InGraph(context) }
    }

    /// A variable that is lent.
    pub(crate) fn lent(address: CUdeviceptr, lease: Lease) -> Allocation {
        Allocation { address, free: Free::Lent(lease) }
    }

    #[inline]
    pub(crate) fn context(&self) -> &Context {
        match &self.free {
            Free::Plain(context) | Free::InGraph(context) => context,
            Free::Lent(lease) => lease.context(),
            Free::InOrder { stream, .. } => &stream.context,
        }
    }
}

impl Allocation {
    #[inline]
    pub(crate) fn address(&self) -> CUdeviceptr {
        self.address
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        match &self.free {
            Free::InGraph(_) | Free::Lent(_) => {}
            Free::Plain(_) => {
                // SAFETY: this is the only owner of the allocation, which was made and not freed; its
                // context is alive, and need not be current (F40). Work that uses the memory is waited
                // for (F50), and captures do not refuse it (F101).
                release("cuMemFree_v2", || relaxed(|| unsafe { ffi::cuMemFree_v2(self.address) }));
            }
            Free::InOrder { stream, .. } => {
                // Held until the free is enqueued: no capture begins meanwhile.
                let captured = stream.captured.read().unwrap_or_else(PoisonError::into_inner);
                if *captured {
                    // SAFETY: as above; what uses the memory is over (`idle-outside`), and it may be of a
                    // pool (F173).
                    let free = || unsafe { ffi::cuMemFree_v2(self.address) };
                    return release("cuMemFree_v2", || relaxed(free));
                }
                // SAFETY: this is the only owner of the allocation, which was made and not freed; the
                // stream is alive, and no context need be current (F40). Nothing else uses the memory
                // (`idle-outside`), and what the stream still does comes before the free. Captures of
                // other streams do not refuse it (F141).
                let free = || unsafe { ffi::cuMemFreeAsync(self.address, stream.raw) };
                release("cuMemFreeAsync", || relaxed(free));
            }
        }
    }
}

impl<'ctx> PushedGuard<'ctx> {
    /// Allocates a buffer of `len` elements. Its contents are unspecified bytes.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a buffer of 0 bytes or of more than an address space holds;
    /// `CUDA_ERROR_OUT_OF_MEMORY` (F62); [`NotCurrent`](Error::NotCurrent).
    #[doc(alias = "cuMemAlloc")]
    pub fn alloc<T: Element>(&self, len: usize) -> Result<DeviceBuffer<'ctx, T>> {
        const CALL: &str = "cuMemAlloc_v2";
        let bytes = size_for::<T>(CALL, len)?;
        self.enter(CALL)?;
        let mut address = 0;
        // SAFETY: writes one address to `address`, which is valid for it; acts on the current context,
        // which `enter` found to be the guard's.
        check(CALL, unsafe { ffi::cuMemAlloc_v2(&raw mut address, bytes) })?;
        let inner = Arc::new(Allocation { address, free: Free::Plain(self.context().clone()) });
        Ok(DeviceBuffer { inner, len, _brand: Brand::new(), data: PhantomData })
    }
}

/// The size of `len` elements, if something can have it.
pub(crate) fn size_for<T>(call: &'static str, len: usize) -> Result<usize> {
    let refused = |reason| Error::InvalidArgument { call, reason };
    match len.checked_mul(size_of::<T>()) {
        None => Err(refused("the buffer has more bytes than an address space: ask for less")),
        Some(0) => Err(refused("the driver allocates no 0 bytes: keep an empty buffer as `None`")),
        Some(bytes) => Ok(bytes),
    }
}

impl<T: Element> DeviceBuffer<'_, T> {
    /// Number of elements; never 0.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a buffer is never empty")]
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Size in bytes.
    #[must_use]
    #[inline]
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// All of it.
    #[inline]
    pub(crate) fn view(&self) -> View<'_> {
        View { memory: &self.inner, address: self.address(), len: self.len, whole: true }
    }

    /// The context.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        self.inner.context()
    }

    /// How it was allocated, and so how it is freed.
    #[must_use]
    pub fn kind(&self) -> BufferKind {
        match self.inner.free {
            // Memory of a graph is held, and never a buffer.
            Free::Plain(_) | Free::InGraph(_) => BufferKind::Plain,
            Free::InOrder { .. } => BufferKind::StreamOrdered,
            Free::Lent(_) => BufferKind::Variable,
        }
    }

    /// The address on the device, for calls of [`ffi`]. It is valid while this value lives; do not
    /// free it.
    #[must_use]
    #[inline]
    pub fn address(&self) -> CUdeviceptr {
        self.inner.address()
    }
}

impl<T: Element> fmt::Debug for DeviceBuffer<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(
            f,
            "DeviceBuffer<{element}>({} at {:#x}, {:?})",
            self.len,
            self.address(),
            self.context()
        )
    }
}
