//! Green contexts and the resources that they get.

use crate::CUdevice;
use core::ffi::{c_uchar, c_uint};

flags! {
    /// How a green context is created.
    pub struct CUgreenCtxCreate_flags: c_uint {
        /// None.
        const CU_GREEN_CTX_NONE = 0x0;
        /// With a default stream. Always to be given.
        const CU_GREEN_CTX_DEFAULT_STREAM = 0x1;
    }
}

flags! {
    /// How a group of multiprocessors is chosen.
    pub struct CUdevSmResourceGroup_flags: c_uint {
        /// As usual.
        const CU_DEV_SM_RESOURCE_GROUP_DEFAULT = 0;
        /// Multiprocessors that are not scheduled together may make up for missing ones.
        const CU_DEV_SM_RESOURCE_GROUP_BACKFILL = 0x1;
        /// From one locality domain.
        const CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID = 2;
        /// From one locality domain, beyond the number that each has.
        const CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_SUPPLEMENTAL_SMS = 4;
    }
}

flags! {
    /// How multiprocessors are split.
    pub struct CUdevSmResourceSplitByCount_flags: c_uint {
        /// Without regard to which are scheduled together.
        const CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING = 0x1;
        /// So that clusters can be as large as possible.
        const CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE = 0x2;
    }
}

enumeration! {
    /// Kinds of resources.
    pub enum CUdevResourceType: c_uint {
        /// No valid value.
        CU_DEV_RESOURCE_TYPE_INVALID = 0,
        /// Multiprocessors.
        CU_DEV_RESOURCE_TYPE_SM = 1,
        /// How work queues are shared.
        CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG = 1000,
        /// Work queues.
        CU_DEV_RESOURCE_TYPE_WORKQUEUE = 10000,
    }
}

/// Multiprocessors.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUdevSmResource {
    /// How many multiprocessors.
    pub smCount: c_uint,
    /// The least number of multiprocessors of a part.
    pub minSmPartitionSize: c_uint,
    /// Multiprocessors that are scheduled together.
    pub smCoscheduledAlignment: c_uint,
    /// Flags; zero for none.
    pub flags: c_uint,
    /// Which locality domain.
    pub localityDomainId: c_uint,
}

enumeration! {
    /// Who shares work queues.
    pub enum CUdevWorkqueueConfigScope: c_uint {
        /// All contexts.
        CU_WORKQUEUE_SCOPE_DEVICE_CTX = 0,
        /// Nobody, if possible, among the green contexts of this kind.
        CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED = 1,
    }
}

/// How work queues are to be shared.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUdevWorkqueueConfigResource {
    /// The device.
    pub device: CUdevice,
    /// How many streams run at once, if possible.
    pub wqConcurrencyLimit: c_uint,
    /// Who shares the queues.
    pub sharingScope: CUdevWorkqueueConfigScope,
}

/// Work queues.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUdevWorkqueueResource {
    /// Reserved; zero.
    pub reserved: [c_uchar; 40],
}

/// A group of multiprocessors to split off.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CU_DEV_SM_RESOURCE_GROUP_PARAMS {
    /// How many multiprocessors.
    pub smCount: c_uint,
    /// Multiprocessors that are to be scheduled together.
    pub coscheduledSmCount: c_uint,
    /// Multiprocessors that are to be scheduled together if possible.
    pub preferredCoscheduledSmCount: c_uint,
    /// Flags; zero for none.
    pub flags: c_uint,
    /// Which locality domain.
    pub localityDomainId: c_uint,
    /// Reserved; zero.
    pub reserved: [c_uint; 11],
}

/// A part of a device that a context can have for itself.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUdevResource_v1 {
    /// Which kind it is.
    pub r#type: CUdevResourceType,
    /// Reserved; zero.
    pub _internal_padding: [c_uchar; 92],
    /// The union that has no name in C.
    pub anonymous: CUdevResource_v1_anonymous,
    /// The next resource of a list; null at its end.
    pub nextResource: *mut CUdevResource_v1,
}

/// The union without a name in [`CUdevResource_v1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUdevResource_v1_anonymous {
    /// Multiprocessors.
    pub sm: CUdevSmResource,
    /// How work queues are shared.
    pub wqConfig: CUdevWorkqueueConfigResource,
    /// Work queues.
    pub wq: CUdevWorkqueueResource,
    /// Reserved; zero.
    pub _oversize: [c_uchar; 40],
}

/// A part of a device that a context can have for itself.
pub type CUdevResource = CUdevResource_v1;

/// Any locality domain.
pub const CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID_ANY: c_uint = 0xFFFFFFFF;
