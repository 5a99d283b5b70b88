//! Texture and surface objects, and the release of what may need a current context.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{Later, later};
use crate::context::Context;
use crate::driver::capture_mode::release_relaxed;
use crate::driver::fork;
use crate::driver::release::{is_for_later, put_off, report_drop};
use crate::stack::with_current;
use ffi::{CUresult, CUsurfObject, CUtexObject};
use static_assertions::assert_impl_all;

/// A texture or surface object. Its memory lives longer.
pub(crate) struct Object {
    raw: Raw,
    context: Context,
}
assert_impl_all!(Object: Send, Sync);

#[derive(Clone, Copy)]
enum Raw {
    Texture(CUtexObject),
    Surface(CUsurfObject),
}

impl Object {
    /// Takes ownership of a texture that was created in this context.
    #[inline]
    pub(crate) fn texture(raw: CUtexObject, context: Context) -> Self {
        Object { raw: Raw::Texture(raw), context }
    }

    /// Takes ownership of a surface that was created in this context.
    #[inline]
    pub(crate) fn surface(raw: CUsurfObject, context: Context) -> Self {
        Object { raw: Raw::Surface(raw), context }
    }

    /// Returns the context.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// Returns whether it is a texture, and no surface.
    #[cfg(feature = "guard")]
    pub(crate) fn is_texture(&self) -> bool {
        matches!(self.raw, Raw::Texture(_))
    }

    /// Returns the number that a kernel receives.
    #[inline]
    pub(crate) fn raw(&self) -> u64 {
        match self.raw {
            Raw::Texture(raw) | Raw::Surface(raw) => raw,
        }
    }
}

impl Drop for Object {
    #[inline]
    fn drop(&mut self) {
        let again = || Object { raw: self.raw, context: self.context.clone() };
        match self.raw {
            Raw::Texture(raw) => {
                // SAFETY: this is the only owner of the object, which was created and not destroyed, and nothing uses it
                // (`idle-outside`). Its context is alive and current.
                release_in(&self.context, unsafe { later!(cuTexObjectDestroy(raw)) }, again);
            }
            Raw::Surface(raw) => {
                // SAFETY: as above.
                release_in(&self.context, unsafe { later!(cuSurfObjectDestroy(raw)) }, again);
            }
        }
    }
}

/// Makes a releasing call in its context, which is pushed if it is not current. The number of an object is one of the
/// current context ([F374](crate::driver_facts#F374)). Memory of another process is closed in some context
/// ([F402](crate::driver_facts#F402)).
#[inline]
pub(crate) fn release_in<T: Send + 'static>(
    context: &Context,
    later: Later<impl Fn() -> CUresult>,
    again: impl Fn() -> T,
) {
    if fork::is_child() {
        return;
    }
    let released = with_current(context, || {
        release_relaxed(later, &again);
        Ok(())
    });
    match released {
        Ok(()) => {}
        refused if is_for_later(&refused) => put_off(again()),
        Err(error) => report_drop(error),
    }
}
