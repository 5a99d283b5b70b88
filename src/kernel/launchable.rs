//! Everything that can be launched: a function with any arguments, or a typed kernel with its own.

use super::{In, Kernel, Out, Parameter, Signature, TensorMapValue, Value};
use crate::args::{KernelReads, KernelWrites};
use crate::function::{Function, FunctionInner};
use crate::memory::Element;
use crate::tensor_map::TensorMap;
use crate::tuples::tuples;
use bytemuck::NoUninit;

/// A kernel that can be launched: a [`Function`] with any arguments, or a [`Kernel`] with those of its signature. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be launched",
    label = "expected a `Function` or a `Kernel`",
    note = "look a kernel up in its module, `module.function(\"saxpy\")`; get that of a library, `kernel.function(&gpu)`; bind a detached one, `gpu.bind(&kernel)?`"
)]
pub trait Launchable<'ctx>: sealed::Sealed<'ctx> {
    /// What its arguments have to match: the signature of a [`Kernel`], and [`AnyArguments`] for a [`Function`].
    type Signature;
}

/// Stands for the signature of a [`Function`], which is launched with any arguments.
#[derive(Clone, Copy, Debug)]
pub enum AnyArguments {}

/// Arguments for a kernel with the signature `S`. For [`AnyArguments`] these are all.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not the arguments of a kernel with the signature `{S}`",
    label = "these arguments do not match the kernel's signature",
    note = "pass a number for a number, `&buffer` for `&[T]` or `In<T>`, `&mut buffer` for `&mut [T]` or `Out<T>`, a struct for `Value<Struct>`"
)]
pub trait ArgumentsOf<S> {}

/// An argument for a parameter `P` of a [`Kernel`]. Sealed.
///
/// A number for the same number type, a struct `T` for [`Value<T>`](Value), any memory for `&[T]` or [`In<T>`](In), and
/// writable memory for `&mut [T]` or [`Out<T>`](Out).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument for a parameter `{P}`",
    label = "the kernel's signature has `{P}`",
    note = "pass `&mut buffer` for memory that the kernel writes (`&mut [T]`, `Out<T>`), `&buffer` for memory that it reads (`&[T]`, `In<T>`)",
    note = "in code that is generic over `T: Element`, the signature has `Value<T>` for a `T`"
)]
pub trait Argument<P> {}

pub(crate) mod sealed {
    use crate::function::FunctionInner;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `Launchable`, which is sealed",
        label = "only `Function` and `Kernel` do"
    )]
    pub trait Sealed<'ctx> {
        #[doc(hidden)]
        fn inner(&self) -> &FunctionInner;
    }
}

#[diagnostic::do_not_recommend]
impl<'ctx> Launchable<'ctx> for Function<'ctx> {
    type Signature = AnyArguments;
}
impl<A> ArgumentsOf<AnyArguments> for A {}
#[diagnostic::do_not_recommend]
impl<'ctx> sealed::Sealed<'ctx> for Function<'ctx> {
    #[inline]
    fn inner(&self) -> &FunctionInner {
        &self.inner
    }
}

#[diagnostic::do_not_recommend]
impl<S: Signature> Launchable<'_> for Kernel<S> {
    type Signature = S;
}
#[diagnostic::do_not_recommend]
impl<S: Signature> sealed::Sealed<'_> for Kernel<S> {
    #[inline]
    fn inner(&self) -> &FunctionInner {
        &self.function.inner
    }
}

macro_rules! numbers {
    ($($ty:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Argument<$ty> for $ty {}
        #[diagnostic::do_not_recommend]
        impl<const N: usize> Argument<[$ty; N]> for [$ty; N] {}
    )* };
}
numbers! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize bool f32 f64 }
#[cfg(feature = "half")]
numbers! { half::f16 half::bf16 }

impl<T: NoUninit> Argument<Value<T>> for T {}
#[diagnostic::do_not_recommend]
impl<M> Argument<TensorMapValue> for TensorMap<M> {}

macro_rules! memory {
    ($($parameter:ty: $use:ident;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Element, A: $use<T>> Argument<$parameter> for A {}
    )* };
}
memory! {
    &[T]: KernelReads;
    In<T>: KernelReads;
    &mut [T]: KernelWrites;
    Out<T>: KernelWrites;
}

macro_rules! kernels {
    ($(($($a:ident $p:ident)*))*) => { $(
        impl<$($a: Argument<$p>, $p: Parameter),*> ArgumentsOf<($($p,)*)> for ($($a,)*) {}
    )* };
}
tuples!(kernels to 32);
