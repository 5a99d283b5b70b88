//! Surface objects.

use crate::types::*;

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! surface_functions { ($with:path) => { $with! {
    /// Creates a surface over an array.
    5000 fn cuSurfObjectCreate(pSurfObject: *mut CUsurfObject, pResDesc: *const CUDA_RESOURCE_DESC) -> CUresult;
    /// Destroys a surface.
    5000 fn cuSurfObjectDestroy(surfObject: CUsurfObject) -> CUresult;
    /// The array of a surface.
    5000 fn cuSurfObjectGetResourceDesc(pResDesc: *mut CUDA_RESOURCE_DESC, surfObject: CUsurfObject) -> CUresult;
} } }
surface_functions!(declare);

// skipped cuSurfRefSetArray: surface references are deprecated and gone from CUDA 12; use cuSurfObjectCreate
// skipped cuSurfRefGetArray: surface references are deprecated and gone from CUDA 12; use cuSurfObjectCreate
