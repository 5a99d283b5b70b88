//! The primary context of a device (F18, F19, F89).
#![allow(unsafe_code, reason = "exported functions")]

use crate::context::{self, Context};
use crate::entry::{self, Answer, driver};
use crate::{device, sticky, sync};
use core::ffi::{c_int, c_uint};
use cuscope_sys::*;

/// The flags of a device's primary context, as `cuCtxGetFlags` gives them: mapped host memory is
/// always on.
pub(crate) fn flags(ordinal: usize) -> Answer<c_uint> {
    let device = device::device(ordinal as CUdevice)?;
    let flags = sync::lock(&device.primary).flags;
    Ok(flags | CUctx_flags::CU_CTX_MAP_HOST.bits())
}

driver! {
    /// Retains; the first retain creates or revives, without pushing (F10, F18).
    fn cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice) {
        entry::wanted(pctx)?;
        let device = device::device(dev)?;
        let mut primary = sync::lock(&device.primary);
        if !primary.context.as_ref().is_some_and(|context| context.alive()) {
            sticky::check()?;
        }
        let context = match &primary.context {
            Some(context) => context.clone(),
            None => Context::create(device.ordinal, 0, true),
        };
        if !context.alive() {
            context.revive();
        }
        primary.context = Some(context.clone());
        primary.count += 1;
        entry::write(pctx, context.handle())
    }
    /// Gives one retain back; the last one ends the context's life and forgets the flags. One too
    /// many is 201 (F18).
    fn cuDevicePrimaryCtxRelease_v2(dev: CUdevice) {
        let device = device::device(dev)?;
        let mut primary = sync::lock(&device.primary);
        primary.count = primary.count.checked_sub(1).ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        if primary.count > 0 {
            return Ok(());
        }
        primary.flags = 0;
        let ended = primary.context.clone();
        drop(primary);
        if let Some(context) = ended {
            context.last_life().end();
        }
        Ok(())
    }
    /// Sets the flags that it has or will have.
    fn cuDevicePrimaryCtxSetFlags_v2(dev: CUdevice, flags: c_uint) {
        let device = device::device(dev)?;
        // Mapped host memory is always on and cannot be asked for.
        let known = context::FLAGS & !CUctx_flags::CU_CTX_MAP_HOST.bits();
        context::check_flags(flags, known)?;
        sync::lock(&device.primary).flags = flags;
        Ok(())
    }
    /// The flags, and whether it is active.
    fn cuDevicePrimaryCtxGetState(dev: CUdevice, flags: *mut c_uint, active: *mut c_int) {
        let device = device::device(dev)?;
        entry::wanted(flags)?;
        entry::wanted(active)?;
        let primary = sync::lock(&device.primary);
        let alive = primary.context.as_ref().is_some_and(|context| context.alive());
        entry::write(flags, primary.flags)?;
        entry::write(active, c_int::from(alive))
    }
    /// Ends its life, whoever uses it (F89), and forgets the flags; the retains still count.
    fn cuDevicePrimaryCtxReset_v2(dev: CUdevice) {
        let device = device::device(dev)?;
        let mut primary = sync::lock(&device.primary);
        primary.flags = 0;
        let ended = primary.context.clone();
        drop(primary);
        if let Some(context) = ended {
            context.last_life().end();
        }
        Ok(())
    }
}
