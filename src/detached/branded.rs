//! The trait of everything that can be detached, and the handles themselves.
#![allow(unsafe_code, reason = "vouches for handles that change their phantom lifetime")]

use super::Detached;
use crate::brand::Brand;
use crate::context::Context;
use crate::event::Event;
use crate::external::{ExternalMemory, ExternalSemaphore};
use crate::function::Function;
use crate::graph::{Graph, GraphDefinition};
use crate::kernel::{Kernel, Signature};
use crate::memory::array::{Array, MipmappedArray};
use crate::memory::texel::Texel;
use crate::memory::view::sealed::Viewed;
use crate::memory::{DeviceBuffer, Element, GrowableBuffer, PitchedBuffer};
use crate::module::Module;
use crate::ordered::{Ordered, OrderedStream, SharedBuffer};
use crate::stream::Stream;
use crate::texture::{OwnedTexels, SharedTexture, SharingKey, Surface, Texture};

/// A handle, or a collection of handles, that can change its brand. Sealed.
///
/// Each handle, and each struct that [`handles!`](crate::handles!) declares, has [`detach`](Self::detach) as a method of
/// its own. For a tuple of up to 12, an array, a `Vec` or another collection, call [`Detached::new`], or import this trait.
/// Collections nest.
///
/// # Safety
/// 1. `With<'a>` and `With<'b>` are one type up to the lifetime, which is phantom in both, and
///    `Self` is `With<'ctx>` for some `'ctx`.
/// 2. `contexts` reports every context behind `self`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handle that can be detached from its guard",
    note = "streams, events, modules, functions and device buffers can, and tuples, arrays, `Vec`, `Option`, `Box`, `Arc` and maps of them",
    note = "declare a struct of handles with `cuscope::handles!`; wrap fields without handles in `Plain`"
)]
pub unsafe trait Branded: Sized + Sealed {
    /// The same handle under the guard `'b`.
    type With<'b>: Branded<With<'static> = Self::With<'static>>;

    #[doc(hidden)]
    fn contexts(&self, see: &mut impl FnMut(&Context));

    #[doc(hidden)]
    fn rebrand<'b>(self, key: Key) -> Self::With<'b>;

    /// Detaches the handle from its guard. Needs no current context, neither now nor when it is dropped.
    #[inline]
    fn detach(self) -> Detached<Self::With<'static>> {
        Detached::new(self)
    }
}

#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot implement `Branded`, which is sealed",
    label = "only handles of cuscope and collections of them do",
    note = "declare a struct of handles with `cuscope::handles!`"
)]
#[doc(hidden)]
pub trait Sealed {}

/// The key that lets a handle change its brand. Only code that compares contexts first, or detaches, can create
/// one.
#[doc(hidden)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "holds nothing")]
pub struct Key(pub(super) ());

/// Makes the method `detach` of handles. It spares the import of [`Branded`].
macro_rules! detach {
    ($([$($generics:tt)*] $name:ty, $out:ty;)*) => { $(
        impl<$($generics)*> $name {
            /// Detaches the handle from its guard. Needs no current context, neither now nor when it is dropped.
            pub fn detach(self) -> Detached<$out> {
                Detached::new(self)
            }
        }
    )* };
}
detach! {
    ['ctx, T: Element] GrowableBuffer<'ctx, T>, GrowableBuffer<'static, T>;
}

macro_rules! branded {
    ($($name:ident [$($g:ident: $b:ident)?] $($field:ident)*;)*) => { $(
        detach! { ['ctx $(, $g: $b)?] $name<'ctx $(, $g)?>, $name<'static $(, $g)?>; }
        #[diagnostic::do_not_recommend]
        impl<$($g: $b)?> Sealed for $name<'_ $(, $g)?> {}
        // SAFETY: 1. One struct at two lifetimes, which it uses in `Brand` only. 2. It has one context.
        unsafe impl<'ctx $(, $g: $b)?> Branded for $name<'ctx $(, $g)?> {
            type With<'b> = $name<'b $(, $g)?>;
            #[inline]
            fn contexts(&self, see: &mut impl FnMut(&Context)) {
                see(self.context());
            }
            fn rebrand<'b>(self, _: Key) -> $name<'b $(, $g)?> {
                let $name { $($field,)* _brand: _ } = self;
                $name { $($field,)* _brand: Brand::new() }
            }
        }
    )* };
}
branded! {
    Stream [] inner;
    Event [] inner;
    ExternalMemory [] inner;
    ExternalSemaphore [] inner;
    Module [] inner;
    Function [] inner;
    Graph [] inner;
    GraphDefinition [] inner;
    DeviceBuffer [T: Element] inner len data;
    PitchedBuffer [T: Element] inner grid data;
    Array [T: Texel] inner grid shape flags data;
    MipmappedArray [T: Texel] inner levels shape flags data;
}

#[diagnostic::do_not_recommend]
impl<T: Element> Sealed for GrowableBuffer<'_, T> {}
// SAFETY: 1. One struct at two lifetimes, which it uses in its buffer only. 2. It has the context of that.
unsafe impl<'ctx, T: Element> Branded for GrowableBuffer<'ctx, T> {
    type With<'b> = GrowableBuffer<'b, T>;
    #[inline]
    fn contexts(&self, see: &mut impl FnMut(&Context)) {
        see(self.context());
    }
    fn rebrand<'b>(self, key: Key) -> GrowableBuffer<'b, T> {
        GrowableBuffer { buffer: self.buffer.rebrand(key) }
    }
}

/// Lets values without a lifetime be fields of a struct of handles. Each has the context that it owns.
macro_rules! unbranded {
    ($([$($generics:tt)*] $name:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Sealed for $name {}
        // SAFETY: 1. One type, without a lifetime of a guard. 2. It has one context.
        unsafe impl<$($generics)*> Branded for $name {
            type With<'b> = $name;
            #[inline]
            fn contexts(&self, see: &mut impl FnMut(&Context)) {
                see(self.context());
            }
            #[inline]
            fn rebrand<'b>(self, _: Key) -> Self::With<'b> {
                self
            }
        }
    )* };
}
unbranded! {
    [S: Signature] Kernel<S>;
    [M: Viewed] Ordered<M>;
    [] OrderedStream;
    [T: Element] SharedBuffer<T>;
    [] SharedTexture;
}

/// Makes textures and surfaces branded, whose memory is.
macro_rules! objects {
    ($($object:ident)*) => { $(
        detach! { ['ctx, M: Branded] $object<'ctx, M>, $object<'static, M::With<'static>>; }
        #[diagnostic::do_not_recommend]
        impl<M: Branded> Sealed for $object<'_, M> {}
        // SAFETY: 1. One struct at two lifetimes, which it uses in `Brand` and in its memory. 2. It has the context of its
        // object, and its memory reports its own.
        unsafe impl<'ctx, M: Branded> Branded for $object<'ctx, M> {
            type With<'b> = $object<'b, M::With<'b>>;
            #[inline]
            fn contexts(&self, see: &mut impl FnMut(&Context)) {
                see(self.object.context());
                self.memory.contexts(see);
            }
            fn rebrand<'b>(self, key: Key) -> Self::With<'b> {
                let $object { object, memory, _brand: _ } = self;
                $object { object, memory: memory.rebrand(key), _brand: Brand::new() }
            }
        }
    )* };
}
objects!(Texture Surface);

macro_rules! owned {
    ($($memory:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<'ctx, T: Texel> OwnedTexels<'ctx> for $memory<'ctx, T> {
            type Detached = $memory<'static, T>;
            fn detached(self, _: SharingKey) -> $memory<'static, T> {
                self.rebrand(Key(()))
            }
        }
    )* };
}
owned!(Array MipmappedArray DeviceBuffer PitchedBuffer);

#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> OwnedTexels<'ctx> for Surface<'ctx, Array<'ctx, T>> {
    type Detached = Surface<'static, Array<'static, T>>;
    fn detached(self, _: SharingKey) -> Self::Detached {
        self.rebrand(Key(()))
    }
}
