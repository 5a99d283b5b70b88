//! Copies between the devices of a fabric.

use crate::{CUdevice, CUdeviceptr, CUmemLocation, cuuint32_t, cuuint64_t};
use core::ffi::{c_uchar, c_uint, c_ulonglong};

/// One copy of a batch over the fabric.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_FABRIC_COPY_BATCH_OP_v1 {
    /// The source.
    pub src: CUfabricCpyOperand,
    /// The destination.
    pub dst: CUfabricCpyOperand,
    /// Bytes.
    pub size: usize,
    /// Zero.
    pub flags: c_uint,
}

/// One copy of a batch over the fabric.
pub type CUDA_FABRIC_COPY_BATCH_OP = CUDA_FABRIC_COPY_BATCH_OP_v1;

enumeration! {
    /// Kinds of cliques of devices.
    pub enum CUcliqueType: c_uint {
        /// Devices that access each other's memory by address.
        CU_CLIQUE_TYPE_UNICAST_POINTER = 0,
        /// Devices that multicast by address.
        CU_CLIQUE_TYPE_MULTICAST_POINTER = 1,
        /// Devices that access each other's logical endpoints.
        CU_CLIQUE_TYPE_UNICAST_LOGICAL_ENDPOINT = 2,
        /// Devices that multicast to logical endpoints.
        CU_CLIQUE_TYPE_MULTICAST_LOGICAL_ENDPOINT = 3,
    }
}

/// The clique of devices that one belongs to.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUcliqueInfo {
    /// The kind of clique.
    pub r#type: CUcliqueType,
    /// Which clique of its kind.
    pub id: c_uint,
}

/// A logical endpoint.
pub type CUlogicalEndpointId = cuuint32_t;

enumeration! {
    /// Kinds of handles that logical endpoints are exported as.
    pub enum CUlogicalEndpointIpcHandleType: c_uint {
        /// None.
        CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_NONE = 0,
        /// A [`CUlogicalEndpointFabricHandle`].
        CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_FABRIC = 1,
    }
}

/// A handle to a logical endpoint that other nodes of the fabric can import.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlogicalEndpointFabricHandle {
    /// For the driver alone.
    pub data: [c_uchar; 64],
}

enumeration! {
    /// Kinds of logical endpoints.
    pub enum CUlogicalEndpointType: c_uint {
        /// No valid value.
        CU_LOGICAL_ENDPOINT_TYPE_INVALID = 0,
        /// Of one device.
        CU_LOGICAL_ENDPOINT_TYPE_UNICAST = 1,
        /// Of several devices.
        CU_LOGICAL_ENDPOINT_TYPE_MULTICAST = 2,
    }
}

flags! {
    /// Properties of logical endpoints.
    pub struct CUlogicalEndpointFlag: c_uint {
        /// None.
        const CU_LOGICAL_ENDPOINT_FLAG_NONE = 0x0;
        /// Operations are counted.
        const CU_LOGICAL_ENDPOINT_FLAG_COUNTED_OPS = 0x1;
    }
}

/// The properties of a logical endpoint.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUlogicalEndpointProp {
    /// The kind of endpoint.
    pub r#type: CUlogicalEndpointType,
    /// The union that has no name in C.
    pub anonymous: CUlogicalEndpointProp_anonymous,
    /// Bytes that the endpoint spans.
    pub size: c_ulonglong,
    /// The kinds of handle that can be exported.
    pub ipcHandleTypes: c_uint,
    /// Flags of [`CUlogicalEndpointFlag`].
    pub flags: c_uint,
}

/// The union without a name in [`CUlogicalEndpointProp`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUlogicalEndpointProp_anonymous {
    /// For an endpoint of one device.
    pub unicast: CUlogicalEndpointProp_anonymous_unicast,
    /// For an endpoint of several devices.
    pub multicast: CUlogicalEndpointProp_anonymous_multicast,
}

/// The field `unicast` of [`CUlogicalEndpointProp_anonymous`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlogicalEndpointProp_anonymous_unicast {
    /// The device.
    pub device: CUdevice,
}

/// The field `multicast` of [`CUlogicalEndpointProp_anonymous`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlogicalEndpointProp_anonymous_multicast {
    /// How many devices.
    pub numDevices: c_uint,
}

enumeration! {
    /// Sides of a copy over the fabric.
    pub enum CUfabricCpyOperandType: c_uint {
        /// Memory.
        CU_FABRIC_COPY_OPERAND_TYPE_POINTER = 0x1,
        /// A logical endpoint.
        CU_FABRIC_COPY_OPERAND_TYPE_LOGICAL_ENDPOINT = 0x2,
        /// The greatest value that the type is made for; not a member of it.
        CU_FABRIC_COPY_OPERAND_TYPE_MAX = 0x7FFFFFFF,
    }
}

/// One side of a copy over the fabric.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUfabricCpyOperand {
    /// Which kind it is.
    pub r#type: CUfabricCpyOperandType,
    /// The operand, by its type.
    pub op: CUfabricCpyOperand_op,
}

/// The field `op` of [`CUfabricCpyOperand`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUfabricCpyOperand_op {
    /// The memory.
    pub ptr: CUfabricCpyOperand_op_ptr,
    /// A logical endpoint.
    pub le: CUfabricCpyOperand_op_le,
}

/// The field `ptr` of [`CUfabricCpyOperand_op`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUfabricCpyOperand_op_ptr {
    /// The memory.
    pub ptr: CUdeviceptr,
    /// Where the memory is, for managed memory.
    pub locHint: CUmemLocation,
}

/// The field `le` of [`CUfabricCpyOperand_op`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUfabricCpyOperand_op_le {
    /// Which one.
    pub id: CUlogicalEndpointId,
    /// Bytes from the start.
    pub offset: cuuint64_t,
}
