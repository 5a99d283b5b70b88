//! The primary context of a device (F18, F19, F89, F119).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::Answer;
use crate::model::context::{Context, Creation};
use crate::model::device::Device;
use crate::model::primary::{self as primary_contexts, Primary};
use crate::model::{context, device};
use crate::{entry, sticky, sync};
use core::ffi::{c_int, c_uint};
use cuscope_sys::*;
use std::sync::{Arc, MutexGuard};

/// Whether it is active.
fn active(primary: &Primary) -> bool {
    primary.context.as_ref().is_some_and(|context| context.alive())
}

/// Retains; the first retain creates or revives.
fn retain(device: &Device, primary: &mut Primary) -> Answer<Arc<Context>> {
    let active = active(primary);
    if !active {
        sticky::check()?;
    }
    let context = match &primary.context {
        Some(context) => context.clone(),
        None => Context::create(device.ordinal, 0, Creation::Primary),
    };
    if !active {
        if !context.alive() {
            context.revive();
        }
        context.reset_flags(primary.flags);
    }
    primary.context = Some(context.clone());
    primary.count += 1;
    Ok(context)
}

/// Ends its life, and forgets the flags. Whoever retains it meanwhile waits, and gets a new life.
fn end(mut primary: MutexGuard<'_, Primary>) {
    primary.flags = 0;
    if let Some(context) = &primary.context {
        crate::calls::context::end(&context.last_life());
    }
}

/// Notes the one flag of `cuCtxSetFlags` that the device remembers too (F119).
pub(crate) fn note_flags(device: &Device, flags: c_uint) {
    let remembered = CUctx_flags::CU_CTX_SYNC_MEMOPS.bits();
    sync::lock(primary_contexts::of(device)).flags |= flags & remembered;
}

/// Retains it for a green context (F135).
pub(crate) fn retain_for_green(device: &Device) -> Answer<Arc<Context>> {
    let mut primary = sync::lock(primary_contexts::of(device));
    let context = retain(device, &mut primary)?;
    primary.green_contexts += 1;
    Ok(context)
}

/// Gives the retain of a green context back, if there is one left.
pub(crate) fn release_for_green(device: &Device) {
    let mut primary = sync::lock(primary_contexts::of(device));
    primary.green_contexts -= 1;
    if primary.count == 0 {
        return;
    }
    primary.count -= 1;
    if primary.count == 0 && primary.green_contexts == 0 {
        end(primary);
    }
}

driver! {
    /// Retains; the first retain creates or revives, without pushing (F10, F18).
    fn cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice) [
        // The body gives the error if the context is not active.
        after_fault,
    ] {
        let device = device::device(dev)?;
        entry::wanted(pctx)?;
        let context = retain(device, &mut sync::lock(primary_contexts::of(device)))?;
        entry::write(pctx, context.handle())
    }
    /// Gives one retain back; the last one ends the context's life and forgets the flags. One too
    /// many is 201 (F18), and the last one is refused while a green context is alive (F135).
    fn cuDevicePrimaryCtxRelease_v2(dev: CUdevice) [after_fault] {
        let device = device::device(dev)?;
        let mut primary = sync::lock(primary_contexts::of(device));
        primary.count = primary.count.checked_sub(1).ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        match (primary.count, primary.green_contexts) {
            (0, 0) => end(primary),
            (0, _) => return Err(CUDA_ERROR_NOT_PERMITTED),
            _ => {}
        }
        Ok(())
    }
    /// Sets the flags that it has or will have (F119).
    fn cuDevicePrimaryCtxSetFlags_v2(dev: CUdevice, flags: c_uint) [after_fault] {
        let device = device::device(dev)?;
        // Mapped host memory is always on and cannot be asked for.
        let known = context::FLAGS & !CUctx_flags::CU_CTX_MAP_HOST.bits();
        context::check_flags(flags, known)?;
        let mut primary = sync::lock(primary_contexts::of(device));
        primary.flags = flags;
        if let Some(context) = &primary.context {
            context.set_flags(flags);
        }
        Ok(())
    }
    /// The flags, and whether it is active.
    fn cuDevicePrimaryCtxGetState(dev: CUdevice, flags: *mut c_uint, active: *mut c_int) [
        null(1) = CUDA_ERROR_INVALID_VALUE,
        null(2) = CUDA_ERROR_INVALID_VALUE,
        after_fault,
    ] {
        entry::wanted(flags)?;
        entry::wanted(active)?;
        let device = device::device(dev)?;
        let primary = sync::lock(primary_contexts::of(device));
        entry::write(flags, primary.flags)?;
        entry::write(active, c_int::from(self::active(&primary)))
    }
    /// Ends its life, whoever uses it (F89), and forgets the flags; the retains still count. Refused
    /// while a green context is alive (F135).
    fn cuDevicePrimaryCtxReset_v2(dev: CUdevice) [after_fault] {
        let device = device::device(dev)?;
        let primary = sync::lock(primary_contexts::of(device));
        if primary.green_contexts > 0 {
            return Err(CUDA_ERROR_NOT_PERMITTED);
        }
        end(primary);
        Ok(())
    }
}
