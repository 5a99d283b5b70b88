//! Everything that can be launched: a function with any arguments, or a typed kernel with its own.

use super::signature::sealed::Seen;
use super::{ArgumentList, In, Kernel, Out, Parameter, Signature, TensorMapValue, Value};
use crate::args::sealed::{Operands, Reads, Writes};
use crate::error::Result;
use crate::function::{Function, FunctionInner};
use crate::launch::Spec;
use crate::memory::watch::Record;
use crate::memory::{Element, MemorySize};
use crate::ops::Launch;
use crate::tensor_map::TensorMap;
use crate::tuples::tuples;
use bytemuck::NoUninit;
use std::any::type_name;

/// A kernel that can be launched: a [`Function`] with any arguments, or a [`Kernel`] with those of its signature. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be launched",
    label = "expected a `Function` or a `Kernel`",
    note = "look a kernel up in its module, `module.function(\"saxpy\")`; get that of a library, `kernel.function(&gpu)`; bind a detached one, `gpu.bind(&kernel)?`"
)]
pub trait Launchable<'ctx>: sealed::Sealed<'ctx> {
    /// The signature that its arguments have to match: that of a [`Kernel`], and [`AnyArguments`] for a [`Function`].
    type Signature: Seen;
}

/// A kernel whose launches are safe: a `GuardedKernel` or a `GuardedFunction` (feature `guard`), whose accesses the device
/// checks, or a [`TrustedKernel`](crate::TrustedKernel), for which somebody vouches once. Sealed.
#[diagnostic::on_unimplemented(
    message = "the launch of `{Self}` is not safe, as nothing checks what the kernel does",
    label = "expected a `GuardedKernel` or a `TrustedKernel`",
    note = "let the device check each access, with the feature `guard`: `gpu.load_guarded(ptx)?.kernel(name)?`",
    note = "or vouch for the kernel once, with a check for each launch: `unsafe {{ kernel.trust(|launch, args| …) }}`",
    note = "or vouch for this launch: `unsafe {{ stream.launch_unchecked(&kernel, config, args) }}`"
)]
pub trait SafeKernel<'ctx>: safe::Sealed<Self::Signature> {
    /// The signature that its arguments have to match, or [`ListedArguments`].
    type Signature: Seen;
}

pub(crate) mod safe {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `SafeKernel`, which is sealed",
        label = "only `GuardedKernel` and `TrustedKernel` do"
    )]
    pub trait Sealed<S: Seen> {
        /// The arguments with what the kernel gets besides.
        #[doc(hidden)]
        type Passed<'k, A: Operands>: Operands
        where
            Self: 'k;

        /// Checks a launch, creates it, and passes it to `run`: as a result it would be written to memory. `watch` is told of
        /// kernels that report where they failed.
        #[doc(hidden)]
        fn checked_launch<'k, L: Spec, A: Operands + ArgumentsOf<S>, R>(
            &'k self,
            spec: L,
            args: A,
            watch: &impl Record<'k>,
            run: impl FnOnce(Launch<'k, L, Self::Passed<'k, A>>) -> Result<R>,
        ) -> Result<R>;
    }
}

/// Stands for the signature of a [`Function`], which is launched with any arguments.
#[derive(Clone, Copy, Debug)]
pub enum AnyArguments {}

/// Stands for the signature of a `GuardedFunction` (feature `guard`), which is launched with an
/// [`ArgumentList`](crate::kernel::ArgumentList).
#[derive(Clone, Copy, Debug)]
pub enum ListedArguments {}

/// Arguments for a kernel with the signature `S`. For [`AnyArguments`] these are all.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not the arguments of a kernel with the signature `{S}`",
    label = "these arguments do not match the kernel's signature",
    note = "pass a number for a number, `&buffer` for `&[T]` or `In<T>`, `&mut buffer` for `&mut [T]` or `Out<T>`, a struct for `Value<Struct>`",
    note = "a `GuardedFunction` takes a list, and no tuple: push the arguments to `kernel.arguments()`"
)]
pub trait ArgumentsOf<S: Seen> {
    #[doc(hidden)]
    fn seen(&self) -> S::Seen;

    #[doc(hidden)]
    fn describe(&self) -> String;
}

/// An argument for a parameter `P` of a [`Kernel`]. Sealed.
///
/// A number for the same number type, a struct `T` for [`Value<T>`](Value), any memory for `&[T]` or [`In<T>`](In), and
/// writable memory for `&mut [T]` or [`Out<T>`](Out).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument for a parameter `{P}`",
    label = "the kernel's signature has `{P}`",
    note = "a number has the type of the parameter: for `u32`, write `len as u32` or `u32::try_from(len)`, and `2.0_f32` for `f32`",
    note = "pass `&mut buffer` for memory that the kernel writes (`&mut [T]`, `Out<T>`), `&buffer` for memory that it reads (`&[T]`, `In<T>`)",
    note = "in code that is generic over `T: Element`, the signature has `Value<T>` for a `T`"
)]
pub trait Argument<P: Parameter>: Accepted<P> {}

#[diagnostic::do_not_recommend]
impl<P: Parameter, A: Accepted<P>> Argument<P> for A {}

/// An [`Argument`], by which this crate says what it is.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot implement `Argument`, which is sealed",
    label = "only numbers, plain structs and memory do"
)]
pub trait Accepted<P: Parameter> {
    /// Returns what a check sees of it.
    #[doc(hidden)]
    fn seen(&self) -> P::Seen;

    /// Returns it as an error shows it.
    #[doc(hidden)]
    fn describe(&self) -> String;
}

/// Implements [`Accepted`] for objects, of which a check sees nothing.
macro_rules! opaque {
    ($name:literal) => {
        #[inline]
        fn seen(&self) {}
        fn describe(&self) -> String {
            $name.to_owned()
        }
    };
}
pub(crate) use opaque;

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
#[diagnostic::do_not_recommend]
impl Seen for AnyArguments {
    type Seen = ();
}
#[diagnostic::do_not_recommend]
impl Seen for ListedArguments {
    type Seen = ();
}
#[diagnostic::do_not_recommend]
impl<Lent> ArgumentsOf<ListedArguments> for ArgumentList<'_, '_, Lent> {
    #[inline]
    fn seen(&self) {}
    fn describe(&self) -> String {
        String::new()
    }
}
impl<A> ArgumentsOf<AnyArguments> for A {
    #[inline]
    fn seen(&self) {}
    fn describe(&self) -> String {
        String::new()
    }
}
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

macro_rules! number {
    () => {
        #[inline]
        fn seen(&self) -> Self {
            *self
        }
        fn describe(&self) -> String {
            format!("{self:?}")
        }
    };
}
macro_rules! numbers {
    ($($ty:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Accepted<$ty> for $ty {
            number! {}
        }
        #[diagnostic::do_not_recommend]
        impl<const N: usize> Accepted<[$ty; N]> for [$ty; N] {
            number! {}
        }
    )* };
}
numbers! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize bool f32 f64 }
#[cfg(feature = "half")]
numbers! { half::f16 half::bf16 }

impl<T: NoUninit> Accepted<Value<T>> for T {
    #[inline]
    fn seen(&self) -> T {
        *self
    }
    fn describe(&self) -> String {
        type_name::<T>().to_owned()
    }
}
#[diagnostic::do_not_recommend]
impl<M> Accepted<TensorMapValue> for TensorMap<M> {
    opaque!("a tensor map");
}

macro_rules! memory {
    ($($parameter:ty: $use:ident, $shown:literal;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Element, A: $use<T>> Accepted<$parameter> for A {
            #[inline]
            fn seen(&self) -> MemorySize {
                self.access().size()
            }
            fn describe(&self) -> String {
                format!(concat!($shown, "[{}; {}]"), type_name::<T>(), self.access().size())
            }
        }
    )* };
}
memory! {
    &[T]: Reads, "&";
    In<T>: Reads, "&";
    &mut [T]: Writes, "&mut ";
    Out<T>: Writes, "&mut ";
}

macro_rules! kernels {
    ($(($($a:ident $p:ident)*))*) => { $(
        #[allow(non_snake_case, clippy::unused_unit, reason = "one name for a type and its value")]
        impl<$($a: Argument<$p>, $p: Parameter),*> ArgumentsOf<($($p,)*)> for ($($a,)*) {
            #[inline]
            fn seen(&self) -> ($($p::Seen,)*) {
                let ($($a,)*) = self;
                ($($a.seen(),)*)
            }
            fn describe(&self) -> String {
                let ($($a,)*) = self;
                <[String]>::join(&[$($a.describe()),*], ", ")
            }
        }
    )* };
}
tuples!(kernels to 32);
