//! The driver functions about [`graph`](crate::model::graph).
#![allow(unsafe_code, reason = "exported functions")]

pub(crate) mod add;
pub(crate) mod any;
pub(crate) mod batch;
pub(crate) mod child;
pub(crate) mod conditional;
pub(crate) mod dot;
pub(crate) mod edit;
pub(crate) mod enabled;
pub(crate) mod event;
pub(crate) mod exec;
pub(crate) mod kernel;
pub(crate) mod memory;
pub(crate) mod params;
pub(crate) mod query;
pub(crate) mod update;
pub(crate) mod user_object;

pub(crate) use memory::{capture_allocation, capture_free, leave};

use crate::call::driver;
use crate::entry;
use crate::model::graph::HANDLES;
use crate::model::graph::{Graph, find};
use core::ffi::c_uint;
use cuscope_sys::*;

driver! {
    /// Creates an empty graph; needs no context (F41).
    fn cuGraphCreate(phGraph: *mut CUgraph, flags: c_uint) [after_fault] {
        entry::wanted(phGraph)?;
        if flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let (handle, _) = Graph::default().insert();
        entry::write(phGraph, std::ptr::without_provenance_mut(handle))
    }
    /// Destroys a graph, unless a capture still adds to it; what was instantiated from it stays.
    fn cuGraphDestroy(hGraph: CUgraph) [after_fault] {
        let graph = find(hGraph)?;
        if graph.captured() {
            return Err(CUDA_ERROR_ILLEGAL_STATE);
        }
        if graph.body {
            return Err(CUDA_ERROR_INVALID_VALUE); // F523
        }
        HANDLES.remove(hGraph.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(())
    }
}
