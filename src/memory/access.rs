//! What an operation uses: which memory, which part of it, and how.

use super::Allocation;
use super::uses::{Gate, Tracked};
use super::view::View;
use crate::context::Context;
use ffi::CUdeviceptr;
use std::ops::Range;

/// A use of memory by an operation: the one description that all surfaces compare, order and note. A plain value
/// among the arguments of a kernel has one too, which uses nothing.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    memory: Memory<'a>,
    /// Where the device finds the first element.
    pub(crate) address: CUdeviceptr,
    /// In elements.
    pub(crate) len: usize,
    /// In bytes.
    element: usize,
    pub(crate) writes: bool,
    /// Whether it is all of the memory.
    whole: bool,
    /// The uses before, where they are noted.
    tracked: Option<&'a Tracked>,
}

/// Where memory lies.
#[derive(Clone, Copy)]
enum Memory<'a> {
    /// Nowhere: a plain value.
    None,
    Device(&'a Allocation),
    /// On the host. Every context can use it, or this one.
    Host(Option<&'a Context>),
}

impl<'a> Access<'a> {
    /// Of a plain value.
    pub(crate) const NONE: Access<'static> = Access {
        memory: Memory::None,
        address: 0,
        len: 0,
        element: 0,
        writes: false,
        whole: false,
        tracked: None,
    };

    /// Of elements of type `T` in memory of the device.
    #[inline]
    pub(crate) fn device<T>(view: View<'a>, writes: bool) -> Self {
        let View { memory, address, len, whole } = view;
        let (memory, element) = (Memory::Device(memory), size_of::<T>());
        Access { memory, address, len, element, writes, whole, tracked: None }
    }

    /// Of elements of type `T` in memory of the host, which every context can use, or the `only` one.
    #[inline]
    pub(crate) fn host<T>(
        only: Option<&'a Context>,
        address: CUdeviceptr,
        len: usize,
        writes: bool,
    ) -> Self {
        let (memory, element) = (Memory::Host(only), size_of::<T>());
        Access { memory, address, len, element, writes, whole: false, tracked: None }
    }

    /// The same, where the uses are noted.
    #[inline]
    pub(crate) fn noted_in(self, tracked: &'a Tracked) -> Self {
        Access { tracked: Some(tracked), ..self }
    }

    /// In bytes.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.len * self.element
    }

    /// The addresses of its bytes.
    pub(crate) fn range(&self) -> Range<CUdeviceptr> {
        self.address..self.address + self.bytes() as CUdeviceptr
    }

    /// The memory, if it is some of the device.
    #[inline]
    pub(crate) fn memory(&self) -> Option<&'a Allocation> {
        match self.memory {
            Memory::Device(memory) => Some(memory),
            Memory::None | Memory::Host(_) => None,
        }
    }

    /// Whether it is memory of the host, which no graph keeps.
    #[inline]
    pub(crate) fn is_host(&self) -> bool {
        matches!(self.memory, Memory::Host(_))
    }

    /// The address of the memory, if it is all of that.
    #[inline]
    pub(crate) fn whole(&self) -> Option<CUdeviceptr> {
        self.whole.then_some(self.address)
    }

    /// Whether the context with this [key](Context::key) can use it.
    #[inline]
    pub(crate) fn is_of(&self, key: usize) -> bool {
        match self.memory {
            Memory::None => true,
            Memory::Device(memory) => memory.key() == key,
            Memory::Host(only) => only.is_none_or(|only| only.key() == key),
        }
    }

    /// Whether an operation may use it as it is: its context was compared, and nothing has to be ordered or noted.
    /// See [`Gate`].
    #[inline]
    pub(crate) fn is_ready(&self, gate: &Gate) -> bool {
        match (self.tracked, self.memory) {
            (Some(tracked), _) if !tracked.is_noted(self.writes, gate) => false,
            // The context was compared when the use was noted.
            (Some(_), Memory::Device(_)) => true,
            // A copy notes its use too, and for that the context does not matter.
            _ => self.is_of(gate.key()),
        }
    }

    /// The memory among some of which uses are noted, and whether it is written.
    pub(crate) fn tracked(all: &[Access<'a>]) -> impl Iterator<Item = (&'a Tracked, bool)> {
        all.iter().filter_map(|access| Some((access.tracked?, access.writes)))
    }
}
