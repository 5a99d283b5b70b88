//! Access of a context to the memory of one on another device (F80–F86, F256, F343).
#![allow(unsafe_code, reason = "exported functions")]

use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::life::Life;
use crate::memory::space::{Allocation, Kind, Rights};
use crate::{context, device, stack, sync};
use core::ffi::{c_int, c_uint};
use cuscope_sys::*;
use std::sync::{Arc, RwLock, Weak};

/// The accesses that are enabled: from a context, to one. Those of an ended one count no more.
#[derive(Default)]
pub(crate) struct Peers(RwLock<Vec<(Weak<Life>, Weak<Life>)>>);

/// Whether a weak reference is to a life, which goes on.
fn is(one: &Weak<Life>, life: &Life) -> bool {
    std::ptr::eq(one.as_ptr(), life) && life.alive()
}

impl Peers {
    /// Whether the context `from` has access to memory of the context `to`.
    fn enabled(&self, from: &Life, to: &Life) -> bool {
        sync::read(&self.0).iter().any(|(a, b)| is(a, from) && is(b, to))
    }

    /// Whether some context of a device has access to memory of the context `to`: kernels of all have.
    fn reaches(&self, device: usize, to: &Life) -> bool {
        let on_it = |one: &Weak<Life>| {
            one.upgrade().is_some_and(|life| life.device == device && life.alive())
        };
        let all = sync::read(&self.0);
        !all.is_empty() && all.iter().any(|(a, b)| is(b, to) && on_it(a))
    }

    /// Adds an access; false if it is there.
    fn enable(&self, from: &Arc<Life>, to: &Arc<Life>) -> bool {
        let mut all = sync::write(&self.0);
        all.retain(|(a, b)| {
            let alive = |one: &Weak<Life>| one.upgrade().is_some_and(|life| life.alive());
            alive(a) && alive(b)
        });
        if all.iter().any(|(a, b)| is(a, from) && is(b, to)) {
            return false;
        }
        all.push((Arc::downgrade(from), Arc::downgrade(to)));
        true
    }

    /// Ends an access; false if there is none.
    fn disable(&self, from: &Life, to: &Life) -> bool {
        let mut all = sync::write(&self.0);
        let before = all.len();
        all.retain(|(a, b)| !(is(a, from) && is(b, to)));
        all.len() < before
    }
}

/// Whether calls in a context may work on the memory of another device: of a context to which it has access, or of a
/// pool to which its device has (F343).
pub(crate) fn may(life: &Arc<Life>, allocation: &Allocation) -> bool {
    if allocation.kind == Kind::Mapped {
        return allocation.rights(life.device) > Rights::None;
    }
    if matches!(allocation.kind, Kind::External | Kind::Graphics) {
        return life.home().is(&allocation.life); // F463
    }
    allocation.is_of(life.device)
        || match &allocation.pool {
            Some(pool) => pool.is_open_to(life.device),
            None => state().peers.enabled(&life.home(), &allocation.life),
        }
}

/// Whether a kernel on a device may touch memory of another one.
pub(crate) fn kernel_may(device: usize, allocation: &Allocation) -> bool {
    let reaches = |driver: &crate::driver::Driver| driver.peers.reaches(device, &allocation.life);
    match &allocation.pool {
        Some(pool) => pool.is_open_to(device),
        None => crate::driver::get().is_some_and(reaches),
    }
}

/// The living context of a handle.
fn peer(handle: CUcontext) -> Answer<Arc<Life>> {
    Ok(context::find(handle)?.life()?.home())
}

/// One attribute of the link between two devices, as between two H200s of a host.
fn link(attribute: CUdevice_P2PAttribute) -> Answer<c_int> {
    Ok(match attribute {
        CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED
        | CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED
        | CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED => 1,
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
    /// Whether a device can access the memory of another: every one can, but not its own so.
    fn cuDeviceCanAccessPeer(canAccessPeer: *mut c_int, dev: CUdevice, peerDev: CUdevice) [
        after_fault,
    ] {
        entry::wanted(canAccessPeer)?;
        let (own, other) = (device::device(dev)?, device::device(peerDev)?);
        entry::write(canAccessPeer, c_int::from(own.ordinal != other.ordinal))
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
        entry::write(value, link(attrib)?)
    }
    /// What the link between two devices can do; of a device with itself, INVALID_DEVICE.
    fn cuDeviceGetP2PAtomicCapabilities(
        capabilities: *mut c_uint,
        operations: *const CUatomicOperation,
        count: c_uint,
        srcDevice: CUdevice,
        dstDevice: CUdevice,
    ) {
        self::capabilities(capabilities, operations, count, || {
            let (from, to) = (device::device(srcDevice)?, device::device(dstDevice)?);
            if from.ordinal == to.ordinal { Err(CUDA_ERROR_INVALID_DEVICE) } else { Ok(true) }
        })
    }
    /// What the link to the host can do: nothing.
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
        if own.device == peer.device {
            return Err(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        }
        if !state().peers.enable(&own, &peer) {
            return Err(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
        }
        state().space.changed();
        Ok(())
    }
    /// Ends that.
    fn cuCtxDisablePeerAccess(peerContext: CUcontext) [needs_current] {
        let own = stack::current_home()?;
        let peer = self::peer(peerContext)?;
        if !state().peers.disable(&own, &peer) {
            return Err(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
        }
        state().space.changed();
        Ok(())
    }
}
