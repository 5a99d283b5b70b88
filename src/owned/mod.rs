//! The owners of handles that several values share: streams, modules, libraries and resources of graphics; and values that
//! keep handles of other code alive.

mod graphics;
mod keep;
mod lease;
mod library;
mod module;
mod stream;

pub(crate) use graphics::{GraphicsMapping, GraphicsResource};
pub(crate) use keep::Keep;
pub(crate) use lease::{Lease, Leases};
pub(crate) use library::LibraryInner;
pub(crate) use module::ModuleInner;
pub(crate) use stream::StreamInner;

use crate::context::Context;
use std::sync::Arc;

/// The owner that keeps code loaded, in a context that it keeps.
#[derive(Clone)]
pub(crate) enum Owner {
    Module(Arc<ModuleInner>),
    Library(Arc<LibraryInner>, Context),
}

impl Owner {
    #[inline]
    pub(crate) fn context(&self) -> &Context {
        match self {
            Owner::Module(module) => &module.context,
            Owner::Library(_, context) => context,
        }
    }

    /// Returns a key that identifies it among all loaded modules, and all libraries in each context.
    #[inline]
    pub(crate) fn key(&self) -> (usize, usize) {
        let code = match self {
            Owner::Module(module) => Arc::as_ptr(module).addr(),
            Owner::Library(library, _) => Arc::as_ptr(library).addr(),
        };
        (code, self.context().key())
    }
}
