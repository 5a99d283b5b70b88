//! Copies in batches.

use crate::{CUarray, CUdeviceptr, CUextent3D, CUmemLocation};
use core::ffi::c_uint;

flags! {
    /// How a copy is done.
    pub struct CUmemcpyFlags: c_uint {
        /// As usual.
        const CU_MEMCPY_FLAG_DEFAULT = 0x0;
        /// So that it overlaps with kernels, if possible.
        const CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE = 0x1;
    }
}

enumeration! {
    /// When a copy reads its source.
    pub enum CUmemcpySrcAccessOrder: c_uint {
        /// No valid value.
        CU_MEMCPY_SRC_ACCESS_ORDER_INVALID = 0x0,
        /// In the order of the stream.
        CU_MEMCPY_SRC_ACCESS_ORDER_STREAM = 0x1,
        /// Before the call returns.
        CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL = 0x2,
        /// At any time.
        CU_MEMCPY_SRC_ACCESS_ORDER_ANY = 0x3,
        /// The greatest value that the type is made for; not a member of it.
        CU_MEMCPY_SRC_ACCESS_ORDER_MAX = 0x7FFFFFFF,
    }
}

/// How the copies of a batch are done.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUmemcpyAttributes_v1 {
    /// When the source is read.
    pub srcAccessOrder: CUmemcpySrcAccessOrder,
    /// Where the source is, for managed memory.
    pub srcLocHint: CUmemLocation,
    /// Where the destination is, for managed memory.
    pub dstLocHint: CUmemLocation,
    /// Flags of [`CUmemcpyFlags`].
    pub flags: c_uint,
}

/// How the copies of a batch are done.
pub type CUmemcpyAttributes = CUmemcpyAttributes_v1;

enumeration! {
    /// Sides of a copy.
    pub enum CUmemcpy3DOperandType: c_uint {
        /// Memory.
        CU_MEMCPY_OPERAND_TYPE_POINTER = 0x1,
        /// An array.
        CU_MEMCPY_OPERAND_TYPE_ARRAY = 0x2,
        /// The greatest value that the type is made for; not a member of it.
        CU_MEMCPY_OPERAND_TYPE_MAX = 0x7FFFFFFF,
    }
}

/// A position in elements.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUoffset3D_v1 {
    /// The first coordinate.
    pub x: usize,
    /// The second coordinate.
    pub y: usize,
    /// The third coordinate.
    pub z: usize,
}

/// A position in elements.
pub type CUoffset3D = CUoffset3D_v1;

/// One side of a copy: memory or an array.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUmemcpy3DOperand_v1 {
    /// Which kind it is.
    pub r#type: CUmemcpy3DOperandType,
    /// The operand, by its type.
    pub op: CUmemcpy3DOperand_v1_op,
}

/// The field `op` of [`CUmemcpy3DOperand_v1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUmemcpy3DOperand_v1_op {
    /// The memory.
    pub ptr: CUmemcpy3DOperand_v1_op_ptr,
    /// The array.
    pub array: CUmemcpy3DOperand_v1_op_array,
}

/// The field `ptr` of [`CUmemcpy3DOperand_v1_op`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUmemcpy3DOperand_v1_op_ptr {
    /// The memory.
    pub ptr: CUdeviceptr,
    /// From one row to the next: elements of the array at the other end, or bytes without one.
    pub rowLength: usize,
    /// Rows from one plane to the next.
    pub layerHeight: usize,
    /// Where the memory is, for managed memory.
    pub locHint: CUmemLocation,
}

/// The field `array` of [`CUmemcpy3DOperand_v1_op`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemcpy3DOperand_v1_op_array {
    /// The array.
    pub array: CUarray,
    /// The element where the copy begins.
    pub offset: CUoffset3D,
}

/// One side of a copy: memory or an array.
pub type CUmemcpy3DOperand = CUmemcpy3DOperand_v1;

/// One copy of a batch.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_MEMCPY3D_BATCH_OP_v1 {
    /// The source.
    pub src: CUmemcpy3DOperand,
    /// The destination.
    pub dst: CUmemcpy3DOperand,
    /// How much to copy: elements of the array at an end, or bytes without one, then rows and planes.
    pub extent: CUextent3D,
    /// When the source is read.
    pub srcAccessOrder: CUmemcpySrcAccessOrder,
    /// Flags; zero for none.
    pub flags: c_uint,
}

/// One copy of a batch.
pub type CUDA_MEMCPY3D_BATCH_OP = CUDA_MEMCPY3D_BATCH_OP_v1;
