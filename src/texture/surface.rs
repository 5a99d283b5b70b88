//! Surfaces.
#![allow(unsafe_code, reason = "calls the driver")]

use super::texels::of_array;
use super::{Array, ArrayFlags, ArraySliceMut, Texel};
use crate::brand::Brand;
use crate::call::same_context;
use crate::call::{answer, name};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::memory::access::Access;
use crate::memory::object::Object;
use crate::stack::PushedGuard;
use crate::sync::Arc;
use ffi::{CUarray, CUsurfObject};
use static_assertions::assert_impl_all;
use std::fmt;

/// A surface: a way for kernels to read and write the texels of an [`Array`] that was made with
/// [`ArrayFlags::SURFACE`]. It owns the array, or borrows it exclusively.
///
/// [`PushedGuard::surface`] creates one. `&surface` is a kernel argument for a kernel that reads, and `&mut surface` for one
/// that writes. Both stand for a [`SurfaceObject`](crate::kernel::SurfaceObject) in a signature.
pub struct Surface<'ctx, M> {
    // Before the memory, which must live longer.
    pub(crate) object: Arc<Object>,
    pub(crate) memory: M,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(Surface<'static, Array<'static, f32>>: Send, Sync);

/// Memory that a [`Surface`] reads and writes: an [`Array`], `&mut array`, or a whole [`ArraySliceMut`], such as a level of
/// a [`MipmappedArray`](super::MipmappedArray). Sealed.
#[diagnostic::on_unimplemented(
    message = "a surface cannot write `{Self}`",
    label = "expected an `Array`, `&mut array`, or an `ArraySliceMut` of all of one"
)]
pub trait SurfaceMemory<'ctx>: sealed::Memory {}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `SurfaceMemory`, which is sealed",
        label = "only arrays do"
    )]
    pub trait Memory {
        /// Returns the array and what it is for, unless this is only a part of one.
        #[doc(hidden)]
        fn whole(&self) -> Option<(CUarray, ArrayFlags)>;
        #[doc(hidden)]
        fn access(&self, writes: bool) -> Access<'_>;
    }
    #[diagnostic::do_not_recommend]
    impl<T: Texel> Memory for Array<'_, T> {
        fn whole(&self) -> Option<(CUarray, ArrayFlags)> {
            Some((self.raw(), self.flags()))
        }
        fn access(&self, writes: bool) -> Access<'_> {
            self.used(writes)
        }
    }
    #[diagnostic::do_not_recommend]
    impl<T: Texel> Memory for &mut Array<'_, T> {
        fn whole(&self) -> Option<(CUarray, ArrayFlags)> {
            Some((self.raw(), self.flags()))
        }
        fn access(&self, writes: bool) -> Access<'_> {
            self.used(writes)
        }
    }
    #[diagnostic::do_not_recommend]
    impl<T: Texel> Memory for ArraySliceMut<'_, '_, T> {
        fn whole(&self) -> Option<(CUarray, ArrayFlags)> {
            self.whole_array()
        }
        fn access(&self, writes: bool) -> Access<'_> {
            self.used(writes)
        }
    }
}

#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> SurfaceMemory<'ctx> for Array<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> SurfaceMemory<'ctx> for &mut Array<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> SurfaceMemory<'ctx> for ArraySliceMut<'_, 'ctx, T> {}

impl<'ctx> PushedGuard<'ctx> {
    /// Creates a surface of an array, which it owns, or borrows if you pass `&mut array`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an array without [`ArrayFlags::SURFACE`], and for a part of one;
    /// [`OtherContext`](Error::OtherContext); [`NotCurrent`](Error::NotCurrent).
    #[doc(alias = "cuSurfObjectCreate")]
    #[doc(alias = "cudaCreateSurfaceObject")]
    pub fn surface<M: SurfaceMemory<'ctx>>(&self, memory: M) -> Result<Surface<'ctx, M>> {
        const CALL: &str = name!(cuSurfObjectCreate);
        let refused = |reason: &'static str| {
            Err(Error::InvalidArgument { call: CALL, reason: reason.into() })
        };
        let array = match memory.whole() {
            Some((array, flags)) if flags.contains(ArrayFlags::SURFACE) => array,
            Some(_) => {
                return refused(
                    "the array is not made for surfaces: pass `ArrayFlags::SURFACE` when it is allocated",
                );
            }
            None => {
                return refused(
                    "a surface is one of all of an array, or all of a level: pass it whole",
                );
            }
        };
        same_context(CALL, memory.access(true).is_of(self.context().key()))?;
        self.enter(CALL)?;
        let (mut raw, resource) = (0, of_array(array));
        // SAFETY: writes one number to `raw`, which is valid for it; acts on the current context, which `enter` found to
        // be the guard's, and the array's. The array is alive.
        unsafe { answer!(cuSurfObjectCreate(&raw mut raw, &raw const resource)) }.check()?;
        let object = Arc::new(Object::surface(raw, self.context().clone()));
        Ok(Surface { object, memory, _brand: Brand::new() })
    }
}

impl<M> Surface<'_, M> {
    /// Returns the array.
    #[must_use]
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Destroys the surface, and gives the array back.
    #[must_use]
    pub fn into_memory(self) -> M {
        self.memory
    }

    /// Returns the object, for calls of [`ffi`] and for kernels of other code. It is valid while this value lives. Do not
    /// destroy it.
    #[must_use]
    pub fn raw(&self) -> CUsurfObject {
        self.object.raw()
    }
}

impl<'ctx, T: Texel> Surface<'ctx, Array<'ctx, T>> {
    /// Returns the array for writing, for copies to it.
    #[must_use]
    pub fn array_mut(&mut self) -> ArraySliceMut<'_, 'ctx, T> {
        self.memory.as_slice_mut()
    }
}

impl<'ctx, M: SurfaceMemory<'ctx>> Surface<'ctx, M> {
    /// Returns the access of a launch.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        self.memory.access(writes).through(&self.object)
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.object.context()
    }
}

impl<M: fmt::Debug> fmt::Debug for Surface<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Surface").field(&self.memory).finish()
    }
}
