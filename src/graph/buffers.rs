//! The buffers that a replay passes to its graph.

use crate::memory::access::Access;
use crate::memory::array::Array;
use crate::memory::lent::Within;
use crate::memory::texel::Texel;
use crate::memory::{DeviceBuffer, Element, GrowableBuffer, InCall, InScope, PitchedBuffer};
use crate::scope::{ScopedArray, ScopedBuffer, ScopedPitchedBuffer};
use crate::tuples::tuples;

/// The buffers of a graph, passed to a replay: `&x` for a buffer that the graph reads, `&mut y` for a buffer
/// that it writes, which will do for both. Sealed.
///
/// They are a tuple of up to 32, in any order. A slice of buffers passes each of them, so does a `Vec` of `&x` or of `&mut y`,
/// and all of these nest.
///
/// A graph keeps whole buffers, also those of which its nodes use a part. Pass each of them whole: the graph compares
/// buffers, and other work could use what a part leaves. An empty buffer has no memory: you may pass it or leave it out.
///
/// `Lent` says how long memory is lent. It is [`InCall`] for a replay that waits, and [`InScope<'s>`](InScope) for a
/// replay in a scope, which also takes `&held` and `&mut held`, and [`InOrder`](crate::memory::InOrder) for one in an
/// ordered stream, which takes its own buffers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the buffers of a graph",
    label = "expected buffers such as `(&x, &mut y)`",
    note = "pass `&buffer` if the graph reads it and `&mut buffer` if it writes it, a slice of buffers, or a tuple of up to 32 of these",
    note = "a graph keeps whole buffers: pass the buffer, also if the graph uses only a part of it",
    note = "a stream of a scope, such as `s.on(&stream)`, takes `&held` if the graph reads it and `&mut held` if it writes it, after `let mut held = s.hold(&mut buffer);`",
    note = "memory of an ordered stream is used there: `adopt` takes a `DeviceBuffer` over, `into_idle` gives it back, `hold_ordered` lends it to a scope"
)]
pub trait GraphBuffers<'ctx, Lent = InCall>: sealed::Names {}

impl<'b, 'ctx, T: Element, L: Within<'b>> GraphBuffers<'ctx, L> for &'b DeviceBuffer<'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> GraphBuffers<'ctx, L> for &'b mut DeviceBuffer<'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> GraphBuffers<'ctx, L> for &'b [DeviceBuffer<'ctx, T>] {}
impl<'b, 'ctx, T: Element, L: Within<'b>> GraphBuffers<'ctx, L>
    for &'b mut [DeviceBuffer<'ctx, T>]
{
}
impl<'b, 'ctx, T: Element, L: Within<'b>> GraphBuffers<'ctx, L> for &'b GrowableBuffer<'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> GraphBuffers<'ctx, L>
    for &'b mut GrowableBuffer<'ctx, T>
{
}
impl<'b, 'ctx, T: Element, L: Within<'b>> GraphBuffers<'ctx, L> for &'b PitchedBuffer<'ctx, T> {}
impl<'b, 'ctx, T: Element, L: Within<'b>> GraphBuffers<'ctx, L> for &'b mut PitchedBuffer<'ctx, T> {}
impl<'s, T: Element> GraphBuffers<'_, InScope<'s>> for &ScopedPitchedBuffer<'s, T> {}
impl<'s, T: Element> GraphBuffers<'_, InScope<'s>> for &mut ScopedPitchedBuffer<'s, T> {}
impl<'s, T: Element> GraphBuffers<'_, InScope<'s>> for &ScopedBuffer<'s, T> {}
impl<'s, T: Element> GraphBuffers<'_, InScope<'s>> for &mut ScopedBuffer<'s, T> {}
impl<'s, T: Element> GraphBuffers<'_, InScope<'s>> for &[ScopedBuffer<'s, T>] {}
impl<'s, T: Element> GraphBuffers<'_, InScope<'s>> for &mut [ScopedBuffer<'s, T>] {}

impl<'b, 'ctx, T: Texel, L: Within<'b>> GraphBuffers<'ctx, L> for &'b Array<'ctx, T> {}
impl<'b, 'ctx, T: Texel, L: Within<'b>> GraphBuffers<'ctx, L> for &'b mut Array<'ctx, T> {}
impl<'s, T: Texel> GraphBuffers<'_, InScope<'s>> for &ScopedArray<'s, T> {}
impl<'s, T: Texel> GraphBuffers<'_, InScope<'s>> for &mut ScopedArray<'s, T> {}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `GraphBuffers`, which is sealed",
        label = "only borrowed device memory and tuples of it do"
    )]
    pub trait Names {
        /// Calls `see` with each buffer.
        fn each<'a>(&'a self, see: &mut impl FnMut(Access<'a>));
        /// Returns the only buffer, if the type proves that there is one.
        #[inline]
        fn only(&self) -> Option<Access<'_>> {
            None
        }
    }

    macro_rules! names {
        ($([$($generics:tt)*] $one:ty;)*) => { $(
            #[diagnostic::do_not_recommend]
            impl<$($generics)*> $crate::graph::buffers::sealed::Names for $one {
                #[inline]
                fn each<'a>(&'a self, see: &mut impl FnMut(Access<'a>)) {
                    see($crate::args::sealed::Operand::access(self));
                }
                #[inline]
                fn only(&self) -> Option<Access<'_>> {
                    Some($crate::args::sealed::Operand::access(self))
                }
            }
        )* };
    }
    pub(crate) use names;
    names! {
        [T: Element] &DeviceBuffer<'_, T>;
        [T: Element] &mut DeviceBuffer<'_, T>;
        [T: Element] &ScopedBuffer<'_, T>;
        [T: Element] &mut ScopedBuffer<'_, T>;
        [T: Element] &GrowableBuffer<'_, T>;
        [T: Element] &mut GrowableBuffer<'_, T>;
        [T: Element] &PitchedBuffer<'_, T>;
        [T: Element] &mut PitchedBuffer<'_, T>;
        [T: Element] &ScopedPitchedBuffer<'_, T>;
        [T: Element] &mut ScopedPitchedBuffer<'_, T>;
        [T: Texel] &Array<'_, T>;
        [T: Texel] &mut Array<'_, T>;
        [T: Texel] &ScopedArray<'_, T>;
        [T: Texel] &mut ScopedArray<'_, T>;
    }
    macro_rules! slices {
        ($($slice:ty, $writes:literal;)*) => { $(
            #[diagnostic::do_not_recommend]
            impl<T: Element> Names for $slice {
                #[inline]
                fn each<'a>(&'a self, see: &mut impl FnMut(Access<'a>)) {
                    self.iter().for_each(|one| see(one.used($writes)));
                }
            }
        )* };
    }
    slices! {
        &[DeviceBuffer<'_, T>], false;
        &mut [DeviceBuffer<'_, T>], true;
        &[ScopedBuffer<'_, T>], false;
        &mut [ScopedBuffer<'_, T>], true;
    }
}

#[diagnostic::do_not_recommend]
impl<'ctx, Lent, B: GraphBuffers<'ctx, Lent>> GraphBuffers<'ctx, Lent> for Vec<B> {}
#[diagnostic::do_not_recommend]
impl<B: sealed::Names> sealed::Names for Vec<B> {
    fn each<'a>(&'a self, see: &mut impl FnMut(Access<'a>)) {
        self.iter().for_each(|one| one.each(see));
    }
}

macro_rules! only {
    ($a:ident) => {
        #[inline]
        fn only(&self) -> Option<Access<'_>> {
            self.0.only()
        }
    };
    ($($a:ident)*) => {};
}
macro_rules! buffers {
    ($(($($a:ident $second:ident)*))*) => { $(
        impl<'ctx, Lent, $($a: GraphBuffers<'ctx, Lent>),*> GraphBuffers<'ctx, Lent> for ($($a,)*) {}
        #[allow(non_snake_case, unused_variables, reason = "one name for a type and its value")]
        #[diagnostic::do_not_recommend]
        impl<$($a: sealed::Names),*> sealed::Names for ($($a,)*) {
            #[inline]
            fn each<'a>(&'a self, see: &mut impl FnMut(Access<'a>)) {
                let ($($a,)*) = self;
                $($a.each(see);)*
            }
            only!($($a)*);
        }
    )* };
}
tuples!(buffers to 32);
