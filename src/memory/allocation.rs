//! The owners of device memory: one buffer, or a buffer together with graphs.
#![allow(unsafe_code, reason = "calls the driver")]

use super::array::{ArrayEnd, ArrayOwner};
use super::growable::Grown;
use super::home::{Block, Home};
use super::{BufferKind, MemoryPool};
use crate::call::later;
use crate::context::Context;
use crate::driver::capture_mode::release_relaxed;
use crate::owned::{GraphicsMapping, Keep, Lease, StreamInner};
use crate::registry::host_saw;
use crate::sync::{Arc, Mutex};
use ffi::CUdeviceptr;
use static_assertions::assert_impl_all;
use std::mem;
use std::sync::PoisonError;

/// Device memory. It is freed when this is dropped and no graph has a [`Share`] in it.
///
/// Two allocations that are alive have different addresses, so comparing addresses compares allocations. Only those of 0
/// bytes have the address 0.
pub struct Allocation {
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
    /// By the stream that it belongs to, behind all its uses.
    Ordered { home: std::sync::Arc<Home>, block: Block },
    /// By something else: a node of the graph that allocates it, the graphs that have a share in it, or a scope. Memory
    /// of 0 bytes is not freed.
    Else(Context),
    /// With what holds it.
    Held(Box<Held>),
}

/// Memory that is freed, by itself or by somebody else, once this is dropped. Few allocations have it: the drops of what is in
/// it are `#[cold]`, so that the drop of each allocation does not have theirs inside.
enum Held {
    /// A variable, which its module lends.
    Lent(Lease),
    /// Memory of other code.
    Foreign(Box<Keep>, Context),
    /// A mapped buffer of graphics.
    Mapped(GraphicsMapping),
    /// Memory that is mapped into addresses of its own.
    Grown(Grown, Context),
    /// An array.
    Array(ArrayOwner),
}

/// A share in an allocation. The share receives the allocation when the owner is dropped, and the last share
/// frees it.
pub(crate) struct Share(Mutex<Option<Allocation>>);

impl Allocation {
    #[inline]
    fn new(address: CUdeviceptr, of: usize, free: Free) -> Allocation {
        Allocation { address, of, free, share: Mutex::new(None) }
    }

    /// Takes ownership of memory that was allocated in a context and not freed.
    #[inline]
    pub(super) fn plain(address: CUdeviceptr, context: Context) -> Allocation {
        Allocation::new(address, context.key(), Free::Plain(context))
    }

    /// Takes ownership of an array that was created in a context and not destroyed. The address stands for it.
    #[inline]
    pub(super) fn array(
        address: CUdeviceptr,
        context: Context,
        ends: ArrayEnd,
        of: Option<Box<Keep>>,
    ) -> Allocation {
        let key = context.key();
        let owner = ArrayOwner::new(address, context, ends, of);
        Allocation::new(address, key, Free::Held(Box::new(Held::Array(owner))))
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

    /// Lets memory that was allocated on a stream be freed on another one. The allocation is complete.
    #[inline]
    pub(crate) fn free_on(&mut self, other: Arc<StreamInner>) {
        if let Free::InOrder { stream, .. } = &mut self.free {
            *stream = other;
        }
    }

    /// Takes ownership of a block of so many bytes that a stream allocated. One of 0 bytes has the address 0.
    #[inline]
    pub(crate) fn ordered(address: CUdeviceptr, home: std::sync::Arc<Home>, bytes: usize) -> Self {
        Allocation::of_home(address, home, Block::Own(bytes))
    }

    /// Takes ownership of memory that belongs to a stream.
    #[inline]
    pub(super) fn of_home(
        address: CUdeviceptr,
        home: std::sync::Arc<Home>,
        block: Block,
    ) -> Allocation {
        Allocation::new(address, home.context().key(), Free::Ordered { home, block })
    }

    /// Gives memory that nothing uses to a stream. Returns false for a variable, which its module would lend again.
    #[inline]
    pub(crate) fn adopt(&mut self, home: &std::sync::Arc<Home>) -> bool {
        let block = match &mut self.free {
            Free::Plain(_) => Block::Plain,
            Free::InOrder { _pool, .. } => Block::Pool { _pool: _pool.take() },
            Free::Held(_) => return self.adopt_foreign(home),
            Free::Else(_) if self.address == 0 => Block::Own(0),
            Free::Ordered { .. } | Free::Else(_) => return false,
        };
        self.free = Free::Ordered { home: home.clone(), block };
        true
    }

    /// Gives memory of other code to a stream. Returns false for a variable.
    #[cold]
    #[inline]
    fn adopt_foreign(&mut self, home: &std::sync::Arc<Home>) -> bool {
        let left = Free::Else(self.context().clone());
        let (free, adopted) = match mem::replace(&mut self.free, left) {
            Free::Held(held) => match *held {
                Held::Foreign(keep, _) => {
                    let block = Block::Foreign(keep);
                    (Free::Ordered { home: home.clone(), block }, true)
                }
                Held::Mapped(mapping) => {
                    let block = Block::Mapped(Box::new(mapping));
                    (Free::Ordered { home: home.clone(), block }, true)
                }
                lent => (Free::Held(Box::new(lent)), false),
            },
            other => (other, false),
        };
        self.free = free;
        adopted
    }

    /// Moves memory that belongs to a stream to another one, which comes after all its uses.
    #[inline]
    pub(crate) fn hand_over(&mut self, to: &std::sync::Arc<Home>) {
        if let Free::Ordered { home, block } = &mut self.free {
            home.account(block, false);
            let moved = home.block_for(mem::replace(block, Block::Plain), to);
            to.account(&moved, true);
            *block = moved;
            *home = to.clone();
        }
    }

    /// Takes memory from the stream that it belongs to, once nothing uses it.
    #[inline]
    pub(crate) fn leave_home(&mut self) {
        let Free::Ordered { home, block } = &mut self.free else { return };
        home.account(block, false);
        let in_order = |pool| Free::InOrder { stream: home.stream().clone(), _pool: pool };
        self.free = match mem::replace(block, Block::Plain) {
            Block::Own(_) | Block::Pool { .. } if self.address == 0 => {
                Free::Else(home.context().clone())
            }
            Block::Own(_) => in_order(home.pool().cloned()),
            Block::Pool { _pool } => in_order(_pool),
            Block::Plain => Free::Plain(home.context().clone()),
            Block::Foreign(keep) => {
                Free::Held(Box::new(Held::Foreign(keep, home.context().clone())))
            }
            Block::Mapped(mapping) => Free::Held(Box::new(Held::Mapped(*mapping))),
        };
    }

    /// Returns the stream that it belongs to.
    #[inline]
    pub(crate) fn home(&self) -> Option<&std::sync::Arc<Home>> {
        match &self.free {
            Free::Ordered { home, .. } => Some(home),
            _ => None,
        }
    }

    /// Takes memory that one node of a graph allocates and another one frees.
    #[inline]
    pub(crate) fn in_graph(address: CUdeviceptr, context: Context) -> Allocation {
        Allocation::new(address, context.key(), Free::Else(context))
    }

    /// Stands for memory of this context that has no address and is not freed: memory of 0 bytes, and all memory that a
    /// scope allocates and frees by itself. Only graphs compare addresses, and see none of that.
    #[inline]
    pub(crate) fn nowhere(context: Context) -> Allocation {
        Allocation::new(0, context.key(), Free::Else(context))
    }

    /// Takes memory of other code.
    #[inline]
    pub(crate) fn foreign(address: CUdeviceptr, context: Context, keep: Box<Keep>) -> Allocation {
        Allocation::new(address, context.key(), Free::Held(Box::new(Held::Foreign(keep, context))))
    }

    /// Takes a mapped buffer of graphics.
    #[inline]
    pub(crate) fn mapped(address: CUdeviceptr, mapping: GraphicsMapping) -> Allocation {
        let key = mapping.resource().context().key();
        Allocation::new(address, key, Free::Held(Box::new(Held::Mapped(mapping))))
    }

    /// Takes addresses with the memory that is mapped there.
    #[inline]
    pub(super) fn grown(address: CUdeviceptr, context: Context, grown: Grown) -> Allocation {
        Allocation::new(address, context.key(), Free::Held(Box::new(Held::Grown(grown, context))))
    }

    /// Returns the memory of a growable buffer. Panics for other memory, which no such buffer has.
    #[inline]
    pub(super) fn grown_mut(&mut self) -> &mut Grown {
        if let Free::Held(held) = &mut self.free {
            if let Held::Grown(grown, _) = &mut **held {
                return grown;
            }
        }
        unreachable!("a growable buffer has its own memory")
    }

    /// See [`grown_mut`](Self::grown_mut).
    #[inline]
    pub(super) fn grown_ref(&self) -> &Grown {
        if let Free::Held(held) = &self.free {
            if let Held::Grown(grown, _) = &**held {
                return grown;
            }
        }
        unreachable!("a growable buffer has its own memory")
    }

    /// Returns whether a graph has a share in it.
    #[inline]
    pub(super) fn is_shared(&mut self) -> bool {
        let share = self.share.get_mut().unwrap_or_else(PoisonError::into_inner);
        share.as_ref().is_some_and(|share| Arc::strong_count(share) > 1)
    }

    /// Takes a variable that is lent.
    #[inline]
    pub(crate) fn lent(address: CUdeviceptr, lease: Lease) -> Allocation {
        Allocation::new(address, lease.context().key(), Free::Held(Box::new(Held::Lent(lease))))
    }

    #[inline]
    pub(crate) fn address(&self) -> CUdeviceptr {
        self.address
    }

    #[inline]
    pub(crate) fn context(&self) -> &Context {
        self.free.context()
    }

    /// Returns the [`Context::key`] of its context.
    #[inline]
    pub(crate) fn key(&self) -> usize {
        self.of
    }

    #[inline]
    pub(super) fn kind(&self) -> BufferKind {
        match self.free {
            // Memory of a graph is held, and never a buffer.
            Free::Plain(_) | Free::Else(_) => BufferKind::Plain,
            Free::InOrder { .. } | Free::Ordered { .. } => BufferKind::StreamOrdered,
            Free::Held(ref held) => match **held {
                Held::Lent(_) => BufferKind::Variable,
                Held::Foreign(..) | Held::Mapped(_) => BufferKind::Foreign,
                Held::Grown(..) => BufferKind::Growable,
                Held::Array(_) => BufferKind::Plain,
            },
        }
    }

    /// Returns a share in it, for a graph that uses it (invariant [`graph-owns`](crate::soundness#graph-owns)).
    #[inline]
    pub(crate) fn share(&self) -> Arc<Share> {
        let mut share = self.share.lock().unwrap_or_else(PoisonError::into_inner);
        share.get_or_insert_with(|| Arc::new(Share(Mutex::new(None)))).clone()
    }

    /// Takes the memory out. What is left frees nothing.
    #[inline]
    pub(crate) fn take(&mut self) -> Allocation {
        let left = Free::Else(self.context().clone());
        let free = mem::replace(&mut self.free, left);
        let share = self.share.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        Allocation { address: self.address, of: self.of, free, share: Mutex::new(share) }
    }

    /// Leaks memory that belongs to a stream, of which it is not known when its uses end.
    #[cold]
    #[inline]
    pub(crate) fn leak(&mut self) {
        let left = Free::Else(self.context().clone());
        match mem::replace(&mut self.free, left) {
            Free::Ordered { block: Block::Foreign(keep), .. } => keep.leak(),
            Free::Ordered { block: Block::Mapped(mapping), .. } => mem::forget(mapping),
            _ => {}
        }
    }

    /// Leaves the memory to all owners of a share in it.
    #[cold]
    #[inline]
    fn leave_to(&mut self, share: Arc<Share>) {
        let memory = self.take();
        *share.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(memory);
        // If it was the last one, this frees the memory.
        drop(share);
    }
}

impl Free {
    #[inline]
    fn context(&self) -> &Context {
        match self {
            Free::Plain(context) | Free::Else(context) => context,
            Free::Held(held) => held.context(),
            Free::InOrder { stream, .. } => &stream.context,
            Free::Ordered { home, .. } => home.context(),
        }
    }
}

impl Held {
    #[inline]
    fn context(&self) -> &Context {
        match self {
            Held::Lent(lease) => lease.context(),
            Held::Mapped(mapping) => mapping.resource().context(),
            Held::Foreign(_, context) | Held::Grown(_, context) => context,
            Held::Array(owner) => owner.context(),
        }
    }
}

impl Drop for Allocation {
    #[inline]
    fn drop(&mut self) {
        let share = self.share.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = share.take() {
            return self.leave_to(share);
        }
        match &mut self.free {
            // The owner of the memory is dropped with the fields.
            Free::Else(_) | Free::Held(_) => {}
            Free::Ordered { home, block } => home.give_back(self.address, block),
            Free::Plain(_) => {
                host_saw(self.address);
                let address = self.address;
                // SAFETY: this is the only owner of the allocation, which was made and not freed; its
                // context is alive, and need not be current (F40). Work that uses the memory is waited
                // for (F50), and captures do not refuse it (F101).
                release_relaxed(unsafe { later!(move cuMemFree_v2(address)) }, || self.take());
            }
            Free::InOrder { stream, .. } => {
                let (address, stream) = (self.address, stream.raw);
                // SAFETY: this is the only owner of the allocation, which was made and not freed; the
                // stream is alive, and no context need be current (F40). Nothing else uses the memory
                // (`idle-outside`), and what the stream still does comes before the free. Captures of
                // other streams do not refuse it (F141), and this one is not captured while the buffer is
                // alive (`captured-unused`).
                release_relaxed(unsafe { later!(move cuMemFreeAsync(address, stream)) }, || {
                    self.take()
                });
            }
        }
    }
}
