//! The owners of resources of graphics, and their mappings.
#![allow(unsafe_code, reason = "calls the driver, and says that a resource may be shared")]

use super::StreamInner;
use crate::call::{answer, later};
use crate::context::Context;
use crate::driver::capture_mode::release_relaxed;
use crate::error::Result;
use crate::sync::Arc;
use ffi::CUgraphicsResource;

/// A registered resource, shared with its mapping.
pub(crate) struct GraphicsResource {
    raw: CUgraphicsResource,
    context: Context,
}
// SAFETY: any thread may use a resource; the driver refuses one without a context of OpenGL (F477). The handle is never
// changed.
unsafe impl Send for GraphicsResource {}
// SAFETY: as for `Send`; the driver orders concurrent calls on it.
unsafe impl Sync for GraphicsResource {}

impl GraphicsResource {
    /// Takes ownership of a resource that was registered in this context.
    #[inline]
    pub(crate) fn own(raw: CUgraphicsResource, context: &Context) -> Arc<Self> {
        Arc::new(GraphicsResource { raw, context: context.clone() })
    }

    pub(crate) fn raw(&self) -> CUgraphicsResource {
        self.raw
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }
}

impl Drop for GraphicsResource {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this is the only owner of the handle, which was registered and not unregistered. Its mapping ended
        // before, as it owns this (`graphics-kept`). Its context is alive, and need not be current (F476).
        release_relaxed(unsafe { later!(cuGraphicsUnregisterResource(self.raw)) }, || {
            GraphicsResource { raw: self.raw, context: self.context.clone() }
        });
    }
}

/// A resource while it is mapped, and the stream in whose order it is unmapped.
pub(crate) struct GraphicsMapping {
    resource: Arc<GraphicsResource>,
    stream: Arc<StreamInner>,
}

impl GraphicsMapping {
    /// Maps a resource for what comes next in a stream of its context.
    ///
    /// # Errors
    /// A driver error.
    #[inline]
    pub(crate) fn new(
        resource: &Arc<GraphicsResource>,
        stream: &Arc<StreamInner>,
    ) -> Result<GraphicsMapping> {
        let mut raw = resource.raw;
        // SAFETY: the resource and the stream are alive and of one context, which need not be current (F476). It is a list
        // of one.
        unsafe { answer!(cuGraphicsMapResources(1, &raw mut raw, stream.raw)) }.check()?;
        Ok(GraphicsMapping { resource: resource.clone(), stream: stream.clone() })
    }

    pub(crate) fn resource(&self) -> &GraphicsResource {
        &self.resource
    }

    /// Unmaps the resource behind the work in another stream of its context.
    #[inline]
    pub(crate) fn end_behind(mut self, stream: &Arc<StreamInner>) {
        self.stream = stream.clone();
    }
}

impl Drop for GraphicsMapping {
    #[cold]
    #[inline]
    fn drop(&mut self) {
        let (resource, stream) = (self.resource.raw, self.stream.raw);
        let unmap = move || {
            let mut raw = resource;
            // SAFETY: this is the only owner of the mapping, which was made and not ended, and what the device still does
            // with it comes before in the stream (`graphics-kept`). Both are alive. It is a list of one.
            unsafe { ffi::cuGraphicsUnmapResources(1, &raw mut raw, stream) }
        };
        let call = crate::call::name!(cuGraphicsUnmapResources);
        release_relaxed(crate::call::Later { call, make: unmap }, || GraphicsMapping {
            resource: self.resource.clone(),
            stream: self.stream.clone(),
        });
    }
}
