//! Resources of OpenGL and Direct3D.

use core::ffi::c_uint;

flags! {
    /// The way in which CUDA uses a resource of graphics.
    pub struct CUgraphicsRegisterFlags: c_uint {
        /// Anything.
        const CU_GRAPHICS_REGISTER_FLAGS_NONE = 0x00;
        /// Only reads.
        const CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY = 0x01;
        /// Only writes, all of it.
        const CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD = 0x02;
        /// Binds a surface to it.
        const CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST = 0x04;
        /// Gathers texels of it.
        const CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER = 0x08;
    }
}

enumeration! {
    /// The way in which CUDA uses a mapped resource of graphics.
    pub enum CUgraphicsMapResourceFlags: c_uint {
        /// Anything.
        CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE = 0x00,
        /// Only reads.
        CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY = 0x01,
        /// Only writes, all of it.
        CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD = 0x02,
    }

    /// Which devices of OpenGL are asked for.
    pub enum CUGLDeviceList: c_uint {
        /// All of the context's.
        CU_GL_DEVICE_LIST_ALL = 0x01,
        /// Those that draw the current frame.
        CU_GL_DEVICE_LIST_CURRENT_FRAME = 0x02,
        /// Those that will draw the next frame.
        CU_GL_DEVICE_LIST_NEXT_FRAME = 0x03,
    }
}
