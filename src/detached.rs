//! Handles without a guard: storable in `'static` structs, sendable, usable again under any guard of
//! their context.
#![allow(unsafe_code, reason = "changes a phantom lifetime behind a reference")]

use crate::brand::Brand;
use crate::{
    Context, DeviceBuffer, Element, Error, Event, Function, Module, PushedGuard, Result, Stream,
};
use static_assertions::assert_impl_all;
use std::fmt;

/// A handle, or a collection of handles, that can change its brand. Sealed.
///
/// # Safety
/// 1. `With<'a>` and `With<'b>` are one type up to the lifetime, which is phantom in both, and
///    `Self` is `With<'ctx>` for some `'ctx`.
/// 2. `contexts` reports every context behind `self`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handle that can be detached from its guard",
    note = "streams, events, modules, functions and device buffers can, and `Vec`s and pairs of them"
)]
pub unsafe trait Branded: Sized + sealed::Sealed {
    /// The same handle under the guard `'b`.
    type With<'b>: Branded<With<'static> = Self::With<'static>>;

    #[doc(hidden)]
    fn contexts(&self, see: &mut dyn FnMut(&Context));

    #[doc(hidden)]
    fn rebrand<'b>(self, key: sealed::Key) -> Self::With<'b>;

    /// Unties the handle from its guard. Needs no current context, neither now nor when dropped.
    fn detach(self) -> Detached<Self::With<'static>> {
        Detached(self.rebrand(sealed::Key(())))
    }
}

mod sealed {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `Branded`, which is sealed",
        label = "only the handles of cuscope do, and `Vec`s and pairs of them",
        note = "in a struct of your own, store each handle as `Detached`"
    )]
    pub trait Sealed {}
    /// Only this file can make one.
    pub struct Key(pub(super) ());
}

macro_rules! branded {
    ($($name:ident [$($g:ident: $b:ident)?] $($field:ident)*;)*) => { $(
        impl<$($g: $b)?> sealed::Sealed for $name<'_ $(, $g)?> {}
        // SAFETY: 1. One struct at two lifetimes, which it uses in `Brand` only. 2. It has one context.
        unsafe impl<'ctx $(, $g: $b)?> Branded for $name<'ctx $(, $g)?> {
            type With<'b> = $name<'b $(, $g)?>;
            fn contexts(&self, see: &mut dyn FnMut(&Context)) {
                see(self.context());
            }
            fn rebrand<'b>(self, _: sealed::Key) -> $name<'b $(, $g)?> {
                let $name { $($field,)* _brand: _ } = self;
                $name { $($field,)* _brand: Brand::new() }
            }
        }
    )* };
}
branded! {
    Stream [] inner;
    Event [] inner;
    Module [] inner;
    Function [] inner;
    DeviceBuffer [T: Element] inner len data;
}

impl<H: Branded> sealed::Sealed for Vec<H> {}
// SAFETY: 1. and 2. element by element.
unsafe impl<H: Branded> Branded for Vec<H> {
    type With<'b> = Vec<H::With<'b>>;
    fn contexts(&self, see: &mut dyn FnMut(&Context)) {
        self.iter().for_each(|h| h.contexts(see));
    }
    fn rebrand<'b>(self, _: sealed::Key) -> Vec<H::With<'b>> {
        self.into_iter().map(|h| h.rebrand(sealed::Key(()))).collect()
    }
}

impl<A: Branded, B: Branded> sealed::Sealed for (A, B) {}
// SAFETY: 1. and 2. field by field.
unsafe impl<A: Branded, B: Branded> Branded for (A, B) {
    type With<'b> = (A::With<'b>, B::With<'b>);
    fn contexts(&self, see: &mut dyn FnMut(&Context)) {
        self.0.contexts(see);
        self.1.contexts(see);
    }
    fn rebrand<'b>(self, _: sealed::Key) -> (A::With<'b>, B::With<'b>) {
        (self.0.rebrand(sealed::Key(())), self.1.rebrand(sealed::Key(())))
    }
}

/// A handle without a guard: `Detached<Stream<'static>>`. `'static`, and `Send` and `Sync` where the
/// handle is. Released like the handle when dropped, on any thread, whatever is current there (F40).
///
/// To use it, [`attach`](PushedGuard::attach) it to a guard of its context, or let one
/// [`bind`](PushedGuard::bind) it (invariant `detached-unusable`).
#[must_use = "the handle is released when this is dropped"]
pub struct Detached<H>(H);
assert_impl_all!(Detached<Stream<'static>>: Send, Sync);

impl<H> fmt::Debug for Detached<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Detached")
    }
}

/// What [`PushedGuard::attach`] refused: the handle, back. Turns into
/// [`Error::OtherContext`] by `?`.
pub struct NotAttached<H>(pub Detached<H>);

impl<H> fmt::Debug for NotAttached<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NotAttached: the handle belongs to another context")
    }
}

impl<H> From<NotAttached<H>> for Error {
    fn from(_: NotAttached<H>) -> Self {
        Error::OtherContext { call: "PushedGuard::attach" }
    }
}

impl<H: Branded> Detached<H> {
    fn belongs_to(&self, context: &Context) -> bool {
        let mut all = true;
        self.0.contexts(&mut |c| all &= c == context);
        all
    }
}

impl<'ctx> PushedGuard<'ctx> {
    /// Ties a detached handle to this guard. Makes no driver call.
    ///
    /// # Errors
    /// The handle, back, if it belongs to another context.
    pub fn attach<H: Branded>(&self, handle: Detached<H>) -> Result<H::With<'ctx>, NotAttached<H>> {
        if handle.belongs_to(self.context()) {
            Ok(handle.0.rebrand(sealed::Key(())))
        } else {
            Err(NotAttached(handle))
        }
    }

    /// Lends a detached handle under this guard. Makes no driver call.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext).
    pub fn bind<'d, H: Branded>(&self, handle: &'d Detached<H>) -> Result<&'d H::With<'ctx>> {
        if !handle.belongs_to(self.context()) {
            return Err(Error::OtherContext { call: "PushedGuard::bind" });
        }
        // SAFETY: the pointer is valid for `'d` as it comes from a reference, and the types are one up
        // to a phantom lifetime (`Branded` 1).
        Ok(unsafe { &*(&raw const handle.0).cast() })
    }

    /// Lends a detached handle exclusively under this guard. Makes no driver call.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext).
    pub fn bind_mut<'d, H: Branded>(
        &self,
        handle: &'d mut Detached<H>,
    ) -> Result<&'d mut H::With<'ctx>> {
        if !handle.belongs_to(self.context()) {
            return Err(Error::OtherContext { call: "PushedGuard::bind_mut" });
        }
        // SAFETY: as in `bind`, from an exclusive reference. Whatever is written through it carries the
        // brand `'ctx` but owns its context, so it stays valid as a `Detached`.
        Ok(unsafe { &mut *(&raw mut handle.0).cast() })
    }
}
