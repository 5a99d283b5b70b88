//! Numbers that a detached handle shows without a guard: they use nothing.

use super::{Branded, Detached};
use crate::event::Event;
use crate::function::Function;
use crate::memory::texel::Texel;
use crate::memory::{DeviceBuffer, Element, Extent, GrowableBuffer, PitchedBuffer};
use crate::module::Module;
use crate::stream::Stream;
use crate::texture::Array;
use ffi::{CUarray, CUdeviceptr, CUevent, CUfunction, CUmodule, CUstream};
use std::sync::Arc;

/// The handle of the driver, for calls of `ffi` and for other code.
macro_rules! handles {
    ($([$($generics:tt)*] $name:ty: $raw:ident;)*) => { $(
        impl<$($generics)*> Detached<$name> {
            /// Returns the driver's handle, for calls of [`ffi`]. It is valid while this value lives. Do not destroy it.
            #[must_use]
            pub fn raw(&self) -> $raw {
                self.0.raw()
            }
        }
    )* };
}
handles! {
    [] Stream<'static>: CUstream;
    [] Event<'static>: CUevent;
    [] Module<'static>: CUmodule;
    [] Function<'static>: CUfunction;
    [T: Texel] Array<'static, T>: CUarray;
}

/// The address and the length of memory.
macro_rules! memory {
    ($($name:ident)*) => { $(
        impl<T: Element> Detached<$name<'static, T>> {
            /// Returns the device address of the first element, for calls of [`ffi`] and for a
            /// [`device_range`](crate::PushedGuard::device_range). It is valid while this value lives.
            #[must_use]
            pub fn address(&self) -> CUdeviceptr {
                self.0.address()
            }

            /// Returns the number of elements.
            #[must_use]
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// Returns whether there are no elements.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }
        }
    )* };
}
memory! { DeviceBuffer GrowableBuffer PitchedBuffer }

impl<T: Element> Detached<PitchedBuffer<'static, T>> {
    /// Returns the number of bytes from row to row.
    #[must_use]
    pub fn pitch(&self) -> usize {
        self.0.pitch()
    }

    /// Returns the size in elements.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.0.extent()
    }
}

/// A function is cheap to clone: the clones share its code.
impl Clone for Detached<Function<'static>> {
    fn clone(&self) -> Self {
        Detached(self.0.clone())
    }
}

/// Shares handles among several owners, each of which may attach or [bind](crate::PushedGuard::bind) them. Only a handle
/// that implements `Clone` in this crate is cloned itself: the `Clone` of a struct would use the handles without a guard.
impl<H: Branded> Clone for Detached<Arc<H>> {
    fn clone(&self) -> Self {
        Detached(self.0.clone())
    }
}
