//! Access between devices and between contexts.

use crate::types::*;
use core::ffi::{c_int, c_uint};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! peer_functions { ($with:path) => { $with! {
    /// Whether `dev` can access the memory of `peerDev`: writes 1 or 0.
    4000 fn cuDeviceCanAccessPeer(canAccessPeer: *mut c_int, dev: CUdevice, peerDev: CUdevice) -> CUresult;
    /// One attribute of the link between two devices.
    8000 fn cuDeviceGetP2PAttribute(value: *mut c_int, attrib: CUdevice_P2PAttribute, srcDevice: CUdevice, dstDevice: CUdevice) -> CUresult;
    /// Lets the current context access the memory of another one; `Flags` must be 0.
    4000 fn cuCtxEnablePeerAccess(peerContext: CUcontext, Flags: c_uint) -> CUresult;
    /// Ends what `cuCtxEnablePeerAccess` began.
    4000 fn cuCtxDisablePeerAccess(peerContext: CUcontext) -> CUresult;
} } }
peer_functions!(declare);

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! peer_newer_functions { ($with:path) => { $with! {
    /// For each of `count` operations, which atomic forms the link between two devices can do.
    13000 fn cuDeviceGetP2PAtomicCapabilities(capabilities: *mut c_uint, operations: *const CUatomicOperation, count: c_uint, srcDevice: CUdevice, dstDevice: CUdevice) -> CUresult;
} } }
peer_newer_functions!(lookup);
