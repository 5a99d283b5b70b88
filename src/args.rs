//! Kernel arguments.

use crate::{DeviceBuffer, DeviceSlice, DeviceSliceMut, Element, PinnedBuffer};
use bytemuck::NoUninit;
use ffi::CUdeviceptr;
use std::ffi::c_void;

/// One kernel argument: a plain value (a number, an array, a `#[repr(C)]` struct with bytemuck's
/// `#[derive(Pod)]` or `NoUninit`), `&buffer` or a slice of it for memory that the kernel reads, or `&mut
/// buffer` or `&mut slice` for memory that it writes; also `&pinned` and `&mut pinned`, memory of the host
/// that the kernel uses over the bus. Memory is passed as its address. Sealed.
///
/// What is passed is of the type that Rust infers: a literal without a suffix is an `i32` or an `f64`,
/// and the elements of a buffer may be so too. Write `2.0_f32`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel argument",
    label = "neither a plain value nor borrowed device memory",
    note = "pass a number or a plain struct by value, `&buffer` to read, `&mut buffer` to write"
)]
pub trait KernelArg<'ctx>: sealed::Lowered {}

#[diagnostic::do_not_recommend]
impl<T: NoUninit> KernelArg<'_> for T {}
impl<'ctx, T: Element> KernelArg<'ctx> for &DeviceBuffer<'ctx, T> {}
impl<'ctx, T: Element> KernelArg<'ctx> for &mut DeviceBuffer<'ctx, T> {}
impl<'ctx, T: Element> KernelArg<'ctx> for DeviceSlice<'_, 'ctx, T> {}
impl<'ctx, T: Element> KernelArg<'ctx> for &DeviceSliceMut<'_, 'ctx, T> {}
impl<'ctx, T: Element> KernelArg<'ctx> for &mut DeviceSliceMut<'_, 'ctx, T> {}
impl<T: Element> KernelArg<'_> for &PinnedBuffer<T> {}
impl<T: Element> KernelArg<'_> for &mut PinnedBuffer<T> {}

/// The arguments of a launch: a tuple of up to twelve [`KernelArg`]s, in the kernel's order. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of kernel arguments",
    label = "expected a tuple such as `(n, a, &x, &mut y)`",
    note = "a single argument is written `(x,)`, none is `()`; at most twelve",
    note = "each is a plain value, `&buffer` or `&mut buffer`"
)]
pub trait KernelArgs<'ctx>: sealed::Args {}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `KernelArg`, which is sealed",
        label = "neither a plain value nor borrowed device memory",
        note = "a plain `#[repr(C)]` struct becomes one by bytemuck's `#[derive(NoUninit)]`"
    )]
    pub trait Lowered: Sized {
        /// What the kernel's parameter holds.
        type Parameter: Copy;
        fn lower(self) -> Self::Parameter;
        /// Whether it can be used in the context with this [key](crate::Context::key): all but memory of
        /// another one.
        fn is_of(&self, key: usize) -> bool;
        /// Whether it is memory of the host, which no graph keeps.
        #[inline]
        fn is_host(&self) -> bool {
            false
        }
    }
    #[diagnostic::do_not_recommend]
    impl<T: NoUninit> Lowered for T {
        type Parameter = T;
        #[inline]
        fn lower(self) -> T {
            self
        }
        #[inline]
        fn is_of(&self, _: usize) -> bool {
            true
        }
    }
    macro_rules! device_memory {
        ($($memory:ty;)*) => { $(
            impl<T: Element> Lowered for $memory {
                type Parameter = CUdeviceptr;
                #[inline]
                fn lower(self) -> CUdeviceptr {
                    self.address()
                }
                #[inline]
                fn is_of(&self, key: usize) -> bool {
                    self.memory().key() == key
                }
            }
        )* };
    }
    device_memory! {
        &DeviceBuffer<'_, T>;
        &mut DeviceBuffer<'_, T>;
        &DeviceSliceMut<'_, '_, T>;
        &mut DeviceSliceMut<'_, '_, T>;
    }
    impl<T: Element> Lowered for DeviceSlice<'_, '_, T> {
        type Parameter = CUdeviceptr;
        #[inline]
        fn lower(self) -> CUdeviceptr {
            self.address()
        }
        #[inline]
        fn is_of(&self, key: usize) -> bool {
            self.memory().key() == key
        }
    }
    macro_rules! host_memory {
        ($($memory:ty;)*) => { $(
            impl<T: Element> Lowered for $memory {
                type Parameter = CUdeviceptr;
                #[inline]
                fn lower(self) -> CUdeviceptr {
                    self.mapped()
                }
                #[inline]
                fn is_of(&self, key: usize) -> bool {
                    self.mapped_in().is_none_or(|only| only.key() == key)
                }
                #[inline]
                fn is_host(&self) -> bool {
                    true
                }
            }
        )* };
    }
    host_memory! { &PinnedBuffer<T>; &mut PinnedBuffer<T>; }

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `KernelArgs`, which is sealed",
        label = "only tuples do"
    )]
    pub trait Args: Sized {
        /// Whether all memory among the arguments is of the context with this key.
        fn all_of(&self, key: usize) -> bool;
        /// Whether memory of the host is among the arguments.
        fn any_host(&self) -> bool;
        /// Calls `f` with a pointer to each parameter's value, in order. Nothing is allocated.
        fn with_pointers<R>(self, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R;
    }
}

macro_rules! tuples {
    ($(($($a:ident)*))*) => { $(
        impl<'ctx, $($a: KernelArg<'ctx>),*> KernelArgs<'ctx> for ($($a,)*) {}
        #[allow(non_snake_case, unused_variables, reason = "one name for a type and its value")]
        impl<$($a: sealed::Lowered),*> sealed::Args for ($($a,)*) {
            #[inline]
            fn all_of(&self, key: usize) -> bool {
                let ($($a,)*) = self;
                true $(&& $a.is_of(key))*
            }
            #[inline]
            fn any_host(&self) -> bool {
                let ($($a,)*) = self;
                false $(|| $a.is_host())*
            }
            #[inline]
            fn with_pointers<R>(self, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
                let ($($a,)*) = self;
                $(let mut $a = $a.lower();)*
                f(&mut [$((&raw mut $a).cast()),*])
            }
        }
    )* };
}
tuples! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H)
(A B C D E F G H I) (A B C D E F G H I J) (A B C D E F G H I J K) (A B C D E F G H I J K L) }

#[cfg(test)]
mod tests {
    use super::sealed::Args;

    #[test]
    fn every_value_has_its_pointer_in_order() {
        let pointers = (1_u8, 2.0_f64, [3_u32, 4]).with_pointers(|p| {
            assert_eq!(p.len(), 3);
            p.iter().all(|p| !p.is_null())
        });
        assert!(pointers);
        assert_eq!(().with_pointers(|p| p.len()), 0);
    }
}
