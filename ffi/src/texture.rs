//! Texture objects.

use crate::types::*;

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! texture_functions { ($with:path) => { $with! {
    /// Creates a texture; `pResViewDesc` may be null.
    5000 fn cuTexObjectCreate(pTexObject: *mut CUtexObject, pResDesc: *const CUDA_RESOURCE_DESC, pTexDesc: *const CUDA_TEXTURE_DESC, pResViewDesc: *const CUDA_RESOURCE_VIEW_DESC) -> CUresult;
    /// Destroys a texture.
    5000 fn cuTexObjectDestroy(texObject: CUtexObject) -> CUresult;
    /// The memory that a texture reads.
    5000 fn cuTexObjectGetResourceDesc(pResDesc: *mut CUDA_RESOURCE_DESC, texObject: CUtexObject) -> CUresult;
    /// How a texture is addressed and filtered.
    5000 fn cuTexObjectGetTextureDesc(pTexDesc: *mut CUDA_TEXTURE_DESC, texObject: CUtexObject) -> CUresult;
    /// The view that a texture was created with; fails if there was none.
    5000 fn cuTexObjectGetResourceViewDesc(pResViewDesc: *mut CUDA_RESOURCE_VIEW_DESC, texObject: CUtexObject) -> CUresult;
} } }
texture_functions!(declare);

// skipped cuTexRefSetArray: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetMipmappedArray: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetAddress_v2: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetAddress2D_v3: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetFormat: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetAddressMode: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetFilterMode: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetMipmapFilterMode: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetMipmapLevelBias: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetMipmapLevelClamp: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetMaxAnisotropy: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetBorderColor: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetFlags: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefGetAddress_v2: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefGetArray: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefGetMipmappedArray: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefGetAddressMode: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefGetFilterMode: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefGetFormat: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefGetMipmapFilterMode: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefGetMipmapLevelBias: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefGetMipmapLevelClamp: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefGetMaxAnisotropy: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefGetBorderColor: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefGetFlags: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefCreate: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefDestroy: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetAddress2D_v2: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetAddress: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefSetAddress2D: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuTexRefGetAddress: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
