//! Accesses: the memory that an operation uses, the part of it, and how it is used.

use super::Allocation;
use super::grid::Grid;
use super::home::{Home, Readers};
use super::object::Object;
use super::uses::{FastPath, Tracked};
use super::view::View;
use crate::context::Context;
use crate::error::{Error, Result};
use ffi::CUdeviceptr;
use std::ops::Range;
use std::sync::Arc;

/// One use of memory by an operation. All surfaces compare, order and note this one description. A plain value among
/// the arguments of a kernel has an access too, to no memory.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    memory: Memory<'a>,
    /// The address of the first element, as the device sees it.
    pub(crate) address: CUdeviceptr,
    /// The length in elements.
    pub(crate) len: usize,
    /// The size of an element in bytes.
    element: usize,
    pub(crate) writes: bool,
    /// Whether the access covers all of the memory.
    whole: bool,
    /// The rows and planes of memory that has some. Other memory is one run of elements.
    pub(crate) grid: Option<&'a Grid>,
    /// The earlier uses, if they are noted.
    tracked: Option<&'a Tracked>,
}

/// The place of the memory.
#[derive(Clone, Copy)]
enum Memory<'a> {
    /// Nowhere: a plain value.
    None,
    Device(&'a Allocation),
    /// On the device, in any context: the other end of a copy between contexts.
    Peer(&'a Allocation),
    /// On the device, for operations of the stream that it belongs to and of the readers that share it.
    Ordered(&'a Allocation, Option<&'a Readers>),
    /// On the device, through a texture or surface object.
    Object(&'a Allocation, &'a crate::sync::Arc<Object>),
    /// In no allocation that this crate knows. Every context can use it, or only this one.
    Loose(Option<&'a Context>, Place<'a>),
}

/// The place of memory that is in no allocation.
#[derive(Clone, Copy)]
enum Place<'a> {
    Host,
    /// On the device, by its address, for which the program vouches, in this context.
    Device(&'a Context),
}

impl<'a> Access<'a> {
    /// The access of a plain value.
    pub(crate) const NONE: Access<'static> = Access {
        memory: Memory::None,
        address: 0,
        len: 0,
        element: 0,
        writes: false,
        whole: false,
        grid: None,
        tracked: None,
    };

    /// Creates an access to elements of type `T` in device memory.
    #[inline]
    pub(crate) fn device<T>(view: View<'a>, writes: bool) -> Self {
        let View { memory, address, len, whole } = view;
        let (memory, element) = (Memory::Device(memory), size_of::<T>());
        Access { memory, address, len, element, writes, whole, grid: None, tracked: None }
    }

    /// Creates an access to rows of elements of type `T` in device memory.
    #[inline]
    pub(crate) fn pitched<T>(
        memory: &'a Allocation,
        address: CUdeviceptr,
        grid: &'a Grid,
        whole: bool,
        writes: bool,
    ) -> Self {
        let view = View { memory, address, len: grid.extent.len(), whole };
        Access { grid: Some(grid), ..Access::device::<T>(view, writes) }
    }

    /// Creates an access to `len` elements of type `T` at an address on the device, in rows if there is a grid.
    #[inline]
    pub(crate) fn range_of<T>(
        context: &'a Context,
        address: CUdeviceptr,
        len: usize,
        grid: Option<&'a Grid>,
        writes: bool,
    ) -> Self {
        let memory = Memory::Loose(Some(context), Place::Device(context));
        let element = size_of::<T>();
        Access { memory, address, len, element, writes, whole: false, grid, tracked: None }
    }

    /// Creates an access to elements of type `T` in host memory, which every context can use, or only one.
    #[inline]
    pub(crate) fn host<T>(
        only: Option<&'a Context>,
        address: CUdeviceptr,
        len: usize,
        writes: bool,
    ) -> Self {
        let (memory, element) = (Memory::Loose(only, Place::Host), size_of::<T>());
        let whole = false;
        Access { memory, address, len, element, writes, whole, grid: None, tracked: None }
    }

    /// Creates an access to no memory, whose order is noted as that of a write, or a read.
    pub(crate) fn ordered_only(tracked: &'a Tracked, writes: bool) -> Self {
        Access { writes, tracked: Some(tracked), ..Access::NONE }
    }

    /// Makes it one of operations in the stream that the memory belongs to, or of its readers.
    #[inline]
    pub(crate) fn in_order(self, readers: Option<&'a Readers>) -> Self {
        match self.memory {
            Memory::Device(memory) => Access { memory: Memory::Ordered(memory, readers), ..self },
            _ => self,
        }
    }

    /// Makes it the end of a copy that may belong to another context.
    #[inline]
    pub(crate) fn of_any_context(self) -> Self {
        match self.memory {
            Memory::Device(memory) | Memory::Ordered(memory, _) => {
                Access { memory: Memory::Peer(memory), ..self }
            }
            Memory::Loose(_, Place::Device(context)) => {
                Access { memory: Memory::Loose(None, Place::Device(context)), ..self }
            }
            _ => self,
        }
    }

    /// Makes it one through an object.
    #[inline]
    pub(crate) fn through(self, object: &'a crate::sync::Arc<Object>) -> Self {
        match self.memory {
            Memory::Device(memory) => Access { memory: Memory::Object(memory, object), ..self },
            _ => self,
        }
    }

    /// Returns the object that it goes through.
    #[inline]
    pub(crate) fn object(&self) -> Option<&'a crate::sync::Arc<Object>> {
        match self.memory {
            Memory::Object(_, object) => Some(object),
            _ => None,
        }
    }

    /// Returns whether the memory is an array, which only copies, textures and surfaces reach.
    #[inline]
    pub(crate) fn is_array(&self) -> bool {
        self.grid.is_some_and(|grid| grid.array.is_some())
    }

    /// Returns whether it is an access to no memory that is ordered all the same: to a condition.
    #[inline]
    pub(crate) fn is_condition(&self) -> bool {
        matches!(self.memory, Memory::None) && self.is_tracked()
    }

    /// Returns whether the uses of the memory are noted.
    #[inline]
    pub(crate) fn is_tracked(&self) -> bool {
        self.tracked.is_some()
    }

    /// Returns the streams that share the memory, if it is shared.
    #[inline]
    pub(crate) fn readers(&self) -> Option<&'a Readers> {
        match self.memory {
            Memory::Ordered(_, readers) => readers,
            _ => None,
        }
    }

    /// Lets an operation of this stream use the memory. The first read of a stream that shares it is ordered behind
    /// everything in the stream that it belongs to.
    ///
    /// # Errors
    /// [`OtherStream`](Error::OtherStream); a driver error.
    #[inline]
    pub(crate) fn admit(&self, call: &'static str, home: &Arc<Home>) -> Result {
        match self.memory {
            Memory::Ordered(memory, Some(readers)) if memory.key() == home.context().key() => {
                readers.add(memory.home().map(|owner| &**owner), home)
            }
            Memory::Loose(_, Place::Device(context)) if context.key() == home.context().key() => {
                Ok(())
            }
            _ if self.is_of(home.key()) => Ok(()),
            _ => Err(Error::OtherStream { call }),
        }
    }

    /// Adds the place where the uses of the memory are noted.
    #[inline]
    pub(crate) fn noted_in(self, tracked: &'a Tracked) -> Self {
        Access { tracked: Some(tracked), ..self }
    }

    /// Returns the access to a part of memory without rows.
    #[inline]
    pub(crate) fn part(self, start: usize, len: usize) -> Self {
        let address = self.address + (start * self.element) as CUdeviceptr;
        Access { address, len, whole: self.whole && len == self.len, ..self }
    }

    /// Returns the length in bytes.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.len * self.element
    }

    /// Returns the size of an element in bytes.
    #[inline]
    pub(crate) fn element(&self) -> usize {
        self.element
    }

    /// Returns the addresses from its first byte to its last one. Between rows there may be other memory.
    #[inline]
    pub(crate) fn range(&self) -> Range<CUdeviceptr> {
        let bytes = self.grid.map_or(self.bytes(), |grid| grid.span(self.element));
        self.address..self.address + bytes as CUdeviceptr
    }

    /// Returns the memory, if it is device memory.
    #[inline]
    pub(crate) fn memory(&self) -> Option<&'a Allocation> {
        match self.memory {
            Memory::Device(memory)
            | Memory::Peer(memory)
            | Memory::Ordered(memory, _)
            | Memory::Object(memory, _) => Some(memory),
            Memory::None | Memory::Loose(..) => None,
        }
    }

    /// Returns whether it is no memory: a plain value, or a condition.
    #[cfg(feature = "guard")]
    #[inline]
    pub(crate) fn is_value(&self) -> bool {
        matches!(self.memory, Memory::None)
    }

    /// Returns whether a launch of a kernel whose context has this [key](Context::key) has nothing to hold, to order and to
    /// compare for it: a plain value, or a range of that context.
    #[inline]
    pub(crate) fn is_settled(&self, key: usize) -> bool {
        let nowhere = matches!(self.memory, Memory::None | Memory::Loose(_, Place::Device(_)));
        nowhere && !self.is_tracked() && self.is_of(key)
    }

    /// Returns the context, if it is device memory.
    #[inline]
    pub(crate) fn context(&self) -> Option<&'a Context> {
        match self.memory {
            Memory::Loose(_, Place::Device(context)) => Some(context),
            _ => self.memory().map(Allocation::context),
        }
    }

    /// Returns whether it is host memory, which no graph keeps.
    #[inline]
    pub(crate) fn is_host(&self) -> bool {
        matches!(self.memory, Memory::Loose(_, Place::Host))
    }

    /// Returns the address of the memory, if the access covers all of it.
    #[inline]
    pub(crate) fn whole(&self) -> Option<CUdeviceptr> {
        self.whole.then_some(self.address)
    }

    /// Returns whether the context with this [key](Context::key) can use the memory. Memory that belongs to a stream
    /// compares the [key](Home::key) of the stream.
    #[inline]
    pub(crate) fn is_of(&self, key: usize) -> bool {
        match self.memory {
            Memory::None | Memory::Peer(_) => true,
            Memory::Device(memory) | Memory::Object(memory, _) => memory.key() == key,
            Memory::Ordered(memory, readers) => is_of_stream(memory, readers, key),
            Memory::Loose(only, _) => only.is_none_or(|only| only.key() == key),
        }
    }

    /// Returns whether an operation may use the memory as it is: its context is the right one, and nothing has to be
    /// ordered or noted. See [`FastPath`].
    #[inline]
    pub(crate) fn is_ready(&self, fast_path: &FastPath) -> bool {
        match (self.tracked, self.memory) {
            (Some(tracked), _) if !tracked.is_noted(self.writes, fast_path) => false,
            // The context was compared when the use was noted.
            (Some(_), Memory::Device(_) | Memory::Object(..)) => true,
            // A copy notes its use too, and for that the context does not matter.
            _ => self.is_of(fast_path.key()),
        }
    }

    /// Returns the notes of the memory whose uses are noted, and whether each access writes.
    #[inline]
    pub(crate) fn tracked(all: &[Access<'a>]) -> impl Iterator<Item = (&'a Tracked, bool)> {
        all.iter().filter_map(|access| Some((access.tracked?, access.writes)))
    }
}

/// Returns whether memory belongs to the stream with this [key](Home::key), or that stream is one of its readers of its
/// own context. Apart, so that operations on other memory stay small.
#[inline(never)]
fn is_of_stream(memory: &Allocation, readers: Option<&Readers>, key: usize) -> bool {
    memory.home().is_some_and(|home| home.key() == key)
        || readers.is_some_and(|readers| readers.has(key))
}
