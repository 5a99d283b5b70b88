//! How a replay names the memory of its graph.

use crate::memory::Allocation;
use crate::scope::tracked::{Gate, Operand, Use};
use crate::{DeviceBuffer, Element, Held};
use ffi::CUdeviceptr;

/// The buffers of a graph, named again for a replay: `&x` for one that the graph reads, `&mut y` for one
/// that it writes, in a tuple of up to twelve and in any order. A slice of buffers names each of them,
/// and tuples nest. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name the buffers of a graph",
    label = "expected buffers such as `(&x, &mut y)`",
    note = "each is `&buffer` if the graph reads it and `&mut buffer` if it writes it, or a slice of buffers, or a tuple of up to twelve of these"
)]
pub trait GraphBuffers<'ctx>: sealed::Names {}

/// As [`GraphBuffers`], for a replay in a scope, which also takes `&held` and `&mut held`. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name the buffers of a graph in a scope",
    label = "expected buffers such as `(&x, &mut held)`",
    note = "each is `&buffer` or `&held` if the graph reads it and `&mut held` if it writes it, after `let mut held = s.hold(&mut buffer);`, or a tuple of up to twelve of these"
)]
pub trait ScopeGraphBuffers<'s, 'ctx>: sealed::Names {}

impl<'ctx, T: Element> GraphBuffers<'ctx> for &DeviceBuffer<'ctx, T> {}
impl<'ctx, T: Element> GraphBuffers<'ctx> for &mut DeviceBuffer<'ctx, T> {}
impl<'ctx, T: Element> GraphBuffers<'ctx> for &[DeviceBuffer<'ctx, T>] {}
impl<'ctx, T: Element> GraphBuffers<'ctx> for &mut [DeviceBuffer<'ctx, T>] {}

impl<'s, 'ctx, T: Element> ScopeGraphBuffers<'s, 'ctx> for &'s DeviceBuffer<'ctx, T> {}
impl<'s, 'ctx, T: Element> ScopeGraphBuffers<'s, 'ctx> for &'s mut DeviceBuffer<'ctx, T> {}
impl<'s, 'ctx, T: Element> ScopeGraphBuffers<'s, 'ctx> for &'s [DeviceBuffer<'ctx, T>] {}
impl<'s, 'ctx, T: Element> ScopeGraphBuffers<'s, 'ctx> for &'s mut [DeviceBuffer<'ctx, T>] {}
impl<'s, T: Element> ScopeGraphBuffers<'s, '_> for &Held<'s, T> {}
impl<'s, T: Element> ScopeGraphBuffers<'s, '_> for &mut Held<'s, T> {}
impl<'s, T: Element> ScopeGraphBuffers<'s, '_> for &[Held<'s, T>] {}
impl<'s, T: Element> ScopeGraphBuffers<'s, '_> for &mut [Held<'s, T>] {}

pub(crate) mod sealed {
    use super::*;

    /// Memory that is named, how it is used, and its uses in a scope if they are noted.
    #[derive(Clone, Copy)]
    pub struct Name<'a> {
        pub(crate) memory: &'a Allocation,
        /// The address of the memory, or [`PART`](crate::scope::PART) if it is a part of it.
        pub(crate) whole: CUdeviceptr,
        pub(crate) writes: bool,
        pub(crate) used: Option<Use<'a>>,
    }

    impl<'a> Name<'a> {
        /// Its use, and the context.
        #[inline]
        pub(crate) fn operand(&self) -> Operand<'a> {
            Operand::memory(self.memory, self.used)
        }

        /// Whether nothing is to be ordered or noted for its use.
        #[inline]
        pub(crate) fn is_ready(&self, gate: &Gate) -> bool {
            self.used.is_none_or(|used| used.is_noted(gate))
        }
    }

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `GraphBuffers` or `ScopeGraphBuffers`, which are sealed",
        label = "only borrowed device memory does, and tuples of it"
    )]
    pub trait Names {
        /// Shows each buffer.
        fn each<'a>(&'a self, see: &mut impl FnMut(Name<'a>));
        /// The only one, where the type says that there is one.
        #[inline]
        fn only(&self) -> Option<Name<'_>> {
            None
        }
    }

    /// One buffer.
    trait One {
        fn name(&self, writes: bool) -> Name<'_>;
    }
    impl<T: Element> One for DeviceBuffer<'_, T> {
        #[inline]
        fn name(&self, writes: bool) -> Name<'_> {
            Name { memory: &self.inner, whole: self.address(), writes, used: None }
        }
    }
    impl<T: Element> One for Held<'_, T> {
        #[inline]
        fn name(&self, writes: bool) -> Name<'_> {
            Name { memory: self.memory(), whole: self.whole(), writes, used: self.used(writes) }
        }
    }
    macro_rules! names {
        ($($one:ty, $writes:literal;)*) => { $(
            impl<T: Element> Names for $one {
                #[inline]
                fn each<'a>(&'a self, see: &mut impl FnMut(Name<'a>)) {
                    see(self.name($writes));
                }
                #[inline]
                fn only(&self) -> Option<Name<'_>> {
                    Some(self.name($writes))
                }
            }
        )* };
    }
    names! {
        &DeviceBuffer<'_, T>, false;
        &mut DeviceBuffer<'_, T>, true;
        &Held<'_, T>, false;
        &mut Held<'_, T>, true;
    }
    macro_rules! slices {
        ($($slice:ty, $writes:literal;)*) => { $(
            impl<T: Element> Names for $slice {
                #[inline]
                fn each<'a>(&'a self, see: &mut impl FnMut(Name<'a>)) {
                    self.iter().for_each(|one| see(one.name($writes)));
                }
            }
        )* };
    }
    slices! {
        &[DeviceBuffer<'_, T>], false;
        &mut [DeviceBuffer<'_, T>], true;
        &[Held<'_, T>], false;
        &mut [Held<'_, T>], true;
    }
}

macro_rules! only {
    ($a:ident) => {
        $a.only()
    };
    ($($a:ident)*) => {
        None
    };
}
macro_rules! tuples {
    ($(($($a:ident)*))*) => { $(
        impl<'ctx, $($a: GraphBuffers<'ctx>),*> GraphBuffers<'ctx> for ($($a,)*) {}
        impl<'s, 'ctx, $($a: ScopeGraphBuffers<'s, 'ctx>),*> ScopeGraphBuffers<'s, 'ctx> for ($($a,)*) {}
        #[allow(non_snake_case, unused_variables, reason = "one name for a type and its value")]
        impl<$($a: sealed::Names),*> sealed::Names for ($($a,)*) {
            #[inline]
            fn each<'a>(&'a self, see: &mut impl FnMut(sealed::Name<'a>)) {
                let ($($a,)*) = self;
                $($a.each(see);)*
            }
            #[inline]
            fn only(&self) -> Option<sealed::Name<'_>> {
                let ($($a,)*) = self;
                only!($($a)*)
            }
        }
    )* };
}
tuples! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H)
(A B C D E F G H I) (A B C D E F G H I J) (A B C D E F G H I J K) (A B C D E F G H I J K L) }
