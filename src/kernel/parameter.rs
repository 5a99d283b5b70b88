//! The types of parameters in a signature.

use crate::image::Class;
use crate::memory::Element;
use bytemuck::NoUninit;
use ffi::CUdeviceptr;
use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

/// The type of one parameter in a [`Signature`](crate::kernel::Signature). Sealed.
///
/// A number, an array of numbers, [`Value<T>`](Value) for a struct by value, `&[T]` for memory that the kernel
/// reads, or `&mut [T]` for memory that it writes. A slice stands for a pointer to elements, which is all that
/// a kernel receives. Its length is another parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter of a kernel",
    label = "expected a number, `Value<T>`, `&[T]` or `&mut [T]`",
    note = "write `Value<Struct>` for a struct by value, `&[T]` for memory that the kernel reads, `&mut [T]` for memory that it writes"
)]
pub trait Parameter: sealed::Sealed {}

/// A plain value of type `T`, such as a struct, in a [`Signature`](crate::kernel::Signature). The argument is a `T`. It
/// does not match a parameter that the PTX text declares as a pointer.
pub struct Value<T: NoUninit>(PhantomData<fn() -> T>);

impl<T: NoUninit> fmt::Debug for Value<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value<{}>", type_name::<T>())
    }
}

/// A parameter as a signature declares it.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Given {
    pub(crate) name: fn() -> &'static str,
    pub(crate) size: usize,
    pub(crate) align: usize,
    pub(super) class: Class,
}

pub(crate) mod sealed {
    use super::Given;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `Parameter`, which is sealed",
        label = "only numbers, arrays of them, `Value<T>`, `&[T]` and `&mut [T]` do"
    )]
    pub trait Sealed {
        #[doc(hidden)]
        const GIVEN: Given;
    }
}

macro_rules! numbers {
    ($($class:ident: $($ty:ty)*;)*) => { $($(
        impl Parameter for $ty {}
        impl sealed::Sealed for $ty {
            const GIVEN: Given = Given {
                name: type_name::<$ty>,
                size: size_of::<$ty>(),
                align: align_of::<$ty>(),
                class: Class::$class,
            };
        }
        impl<const N: usize> Parameter for [$ty; N] {}
        impl<const N: usize> sealed::Sealed for [$ty; N] {
            const GIVEN: Given = Given {
                name: type_name::<[$ty; N]>,
                size: size_of::<[$ty; N]>(),
                align: align_of::<$ty>(),
                class: Class::Bytes,
            };
        }
    )*)* };
}
numbers! {
    Integer: u8 u16 u32 u64 usize i8 i16 i32 i64 isize bool;
    Float: f32 f64;
}
#[cfg(feature = "half")]
numbers! {
    Float: half::f16 half::bf16;
}

impl<T: NoUninit> Parameter for Value<T> {}
impl<T: NoUninit> sealed::Sealed for Value<T> {
    const GIVEN: Given = Given {
        name: type_name::<T>,
        size: size_of::<T>(),
        align: align_of::<T>(),
        class: Class::Bytes,
    };
}

/// Returns a pointer parameter.
const fn pointer(name: fn() -> &'static str) -> Given {
    let (size, align) = (size_of::<CUdeviceptr>(), align_of::<CUdeviceptr>());
    Given { name, size, align, class: Class::Pointer }
}

impl<T: Element> Parameter for &[T] {}
impl<T: Element> sealed::Sealed for &[T] {
    const GIVEN: Given = pointer(type_name::<&[T]>);
}
impl<T: Element> Parameter for &mut [T] {}
impl<T: Element> sealed::Sealed for &mut [T] {
    const GIVEN: Given = pointer(type_name::<&mut [T]>);
}
