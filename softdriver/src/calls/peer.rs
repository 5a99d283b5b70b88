//! The driver functions about [`peer`](crate::model::peer).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::stack;
use crate::entry::{self, Answer};
use crate::model::life::Life;
use crate::model::memory::space::SPACE;
use crate::model::peer::PEERS;
use crate::model::{context, device};
use core::ffi::{c_int, c_uint};
use cuscope_sys::*;
use std::sync::Arc;

/// The living context of a handle.
fn peer(handle: CUcontext) -> Answer<Arc<Life>> {
    Ok(context::find(handle)?.life()?.home())
}

/// One attribute of the link between two devices, as between two H200s of a host.
fn link(attribute: CUdevice_P2PAttribute, reaches: bool) -> Answer<c_int> {
    Ok(match attribute {
        CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED
        | CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED
        | CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED => c_int::from(reaches),
        CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK
        | CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED => 0,
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    })
}

/// Writes what a link can do, for each of the operations: nothing, or all that it does by single numbers (F495).
fn capabilities(
    out: *mut c_uint,
    operations: *const CUatomicOperation,
    count: c_uint,
    link: impl FnOnce() -> Answer<bool>,
) -> Answer {
    entry::wanted(out)?;
    if operations.is_null() || count == 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let linked = link()?;
    for index in 0..count as usize {
        let operation = entry::element(operations, index)?;
        if operation.0 > CU_ATOMIC_OPERATION_FLOAT_MAX.0 {
            entry::write(out.wrapping_add(index), 0)?;
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let float = operation.0 >= CU_ATOMIC_OPERATION_FLOAT_ADD.0;
        type Can = CUatomicOperationCapability;
        let sizes = Can::CU_ATOMIC_CAPABILITY_SCALAR_32 | Can::CU_ATOMIC_CAPABILITY_SCALAR_64;
        let kinds = if float {
            Can::empty()
        } else {
            Can::CU_ATOMIC_CAPABILITY_SIGNED | Can::CU_ATOMIC_CAPABILITY_UNSIGNED
        };
        let all = sizes | kinds | Can::CU_ATOMIC_CAPABILITY_REDUCTION;
        entry::write(out.wrapping_add(index), if linked { all.bits() } else { 0 })?;
    }
    Ok(())
}

driver! {
    /// Whether a device can access the memory of another: every one can, but not its own so, and none by a lowered
    /// attribute.
    fn cuDeviceCanAccessPeer(canAccessPeer: *mut c_int, dev: CUdevice, peerDev: CUdevice) [
        after_fault,
    ] {
        entry::wanted(canAccessPeer)?;
        let (own, other) = (device::device(dev)?, device::device(peerDev)?);
        entry::write(canAccessPeer, c_int::from(own.reaches(other)))
    }
    /// One attribute of the link between two devices; of a device with itself, INVALID_DEVICE.
    fn cuDeviceGetP2PAttribute(
        value: *mut c_int,
        attrib: CUdevice_P2PAttribute,
        srcDevice: CUdevice,
        dstDevice: CUdevice,
    ) [after_fault] {
        entry::wanted(value)?;
        let (from, to) = (device::device(srcDevice)?, device::device(dstDevice)?);
        if from.ordinal == to.ordinal {
            return Err(CUDA_ERROR_INVALID_DEVICE);
        }
        entry::write(value, link(attrib, from.reaches(to))?)
    }
    /// Gives the operations of the link between two devices; of a device with itself, INVALID_DEVICE.
    fn cuDeviceGetP2PAtomicCapabilities(
        capabilities: *mut c_uint,
        operations: *const CUatomicOperation,
        count: c_uint,
        srcDevice: CUdevice,
        dstDevice: CUdevice,
    ) {
        self::capabilities(capabilities, operations, count, || {
            let (from, to) = (device::device(srcDevice)?, device::device(dstDevice)?);
            if from.ordinal == to.ordinal { Err(CUDA_ERROR_INVALID_DEVICE) } else { Ok(from.reaches(to)) }
        })
    }
    /// Gives the operations of the link to the host: none.
    fn cuDeviceGetHostAtomicCapabilities(
        capabilities: *mut c_uint,
        operations: *const CUatomicOperation,
        count: c_uint,
        dev: CUdevice,
    ) {
        self::capabilities(capabilities, operations, count, || device::device(dev).map(|_| false))
    }
    /// Lets the current context access the memory of one on another device (F83, F84), which is
    /// allocated later too.
    fn cuCtxEnablePeerAccess(peerContext: CUcontext, Flags: c_uint) [needs_current] {
        let own = stack::current_home()?;
        let peer = self::peer(peerContext)?;
        if Flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let all = device::all();
        if !all[own.device].reaches(&all[peer.device]) {
            return Err(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        }
        if !PEERS.enable(&own, &peer) {
            return Err(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
        }
        SPACE.changed();
        Ok(())
    }
    /// Ends that.
    fn cuCtxDisablePeerAccess(peerContext: CUcontext) [needs_current] {
        let own = stack::current_home()?;
        let peer = self::peer(peerContext)?;
        if !PEERS.disable(&own, &peer) {
            return Err(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
        }
        SPACE.changed();
        Ok(())
    }
}
