//! The driver functions about [`array`](crate::model::array).

pub(crate) mod calls;
pub(crate) mod copy;
pub(crate) mod mipmap;
pub(crate) mod shape;
pub(crate) mod texture;

pub use calls::cuArray3DCreate_v2;
pub use calls::cuArray3DGetDescriptor_v2;
pub use calls::cuArrayCreate_v2;
pub use calls::cuArrayDestroy;
pub use calls::cuArrayGetDescriptor_v2;
pub use calls::cuArrayGetMemoryRequirements;
pub use calls::cuArrayGetPlane;
pub use calls::cuArrayGetSparseProperties;
pub use copy::cuMemcpyAtoA_v2;
pub use copy::cuMemcpyAtoD_v2;
pub use copy::cuMemcpyAtoH_v2;
pub use copy::cuMemcpyAtoHAsync_v2;
pub use copy::cuMemcpyDtoA_v2;
pub use copy::cuMemcpyHtoA_v2;
pub use copy::cuMemcpyHtoAAsync_v2;
pub use mipmap::cuMipmappedArrayCreate;
pub use mipmap::cuMipmappedArrayDestroy;
pub use mipmap::cuMipmappedArrayGetLevel;
pub use mipmap::cuMipmappedArrayGetMemoryRequirements;
pub use mipmap::cuMipmappedArrayGetSparseProperties;
pub use texture::cuSurfObjectCreate;
pub use texture::cuSurfObjectDestroy;
pub use texture::cuSurfObjectGetResourceDesc;
pub use texture::cuTexObjectCreate;
pub use texture::cuTexObjectDestroy;
pub use texture::cuTexObjectGetResourceDesc;
pub use texture::cuTexObjectGetResourceViewDesc;
pub use texture::cuTexObjectGetTextureDesc;
