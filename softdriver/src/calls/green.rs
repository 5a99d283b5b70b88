//! The driver functions about [`green`](crate::model::green).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::{event, primary};
use crate::entry::Answer;
use crate::model::context::{Context, Creation};
use crate::model::green::Green;
use crate::model::{context, device, resource, usable};
use crate::{entry, sticky};
use core::ffi::{c_int, c_uint};
use cuscope_sys::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The green context of a handle, which is that of its context too (F129); 201 for any other.
fn find(handle: CUgreenCtx) -> Answer<Arc<Context>> {
    let context = context::find_any(handle.cast());
    context.filter(|context| context.green().is_some()).ok_or(CUDA_ERROR_INVALID_CONTEXT)
}

driver! {
    /// Creates a green context, which retains the primary one (F128, F135).
    fn cuGreenCtxCreate(
        phCtx: *mut CUgreenCtx,
        desc: CUdevResourceDesc,
        dev: CUdevice,
        flags: c_uint,
    ) [after_fault] {
        entry::wanted(phCtx)?;
        let device = device::device(dev)?;
        if flags != CUgreenCtxCreate_flags::CU_GREEN_CTX_DEFAULT_STREAM.bits() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        sticky::check_shown()?;
        let resource = crate::calls::resource::described(desc, device.ordinal)?;
        let primary = primary::retain_for_green(device)?;
        let green = Green { primary, resource, asked_for: AtomicBool::new(false) };
        let context = Context::create(device.ordinal, 0, Creation::Green(green));
        entry::write(phCtx, context.handle().cast())
    }
    /// Destroys a green context at once: its work still finishes, its streams are lost, and its
    /// entries in stacks stay (F134).
    fn cuGreenCtxDestroy(hCtx: CUgreenCtx) [after_fault] {
        let context = find(hCtx)?;
        if !crate::calls::context::end(&context.last_life()) {
            return Err(CUDA_ERROR_CONTEXT_IS_DESTROYED);
        }
        primary::release_for_green(device::device(context.device as CUdevice)?);
        Ok(())
    }
    /// The number, which is that of its context too (F129).
    fn cuGreenCtxGetId(greenCtx: CUgreenCtx, greenCtxId: *mut u64) [
        null(1) = CUDA_ERROR_INVALID_VALUE,
        after_fault,
    ] {
        entry::wanted(greenCtxId)?;
        sticky::check_shown()?;
        entry::write(greenCtxId, find(greenCtx)?.life()?.id)
    }
    /// The green context as a context (F129).
    fn cuCtxFromGreenCtx(pContext: *mut CUcontext, hCtx: CUgreenCtx) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        // The body gives the error, after a look at the arguments.
        after_fault,
    ] {
        entry::wanted(pContext)?;
        let context = find(hCtx)?;
        sticky::check_shown()?;
        let _alive = context.life()?;
        if let Some(green) = context.green() {
            green.asked_for.store(true, Ordering::Release);
        }
        entry::write(pContext, context.handle())
    }
    /// Its multiprocessors (F125).
    fn cuGreenCtxGetDevResource(
        hCtx: CUgreenCtx,
        resource: *mut CUdevResource,
        type_: CUdevResourceType,
    ) [null(1) = CUDA_ERROR_INVALID_VALUE, after_fault] {
        entry::wanted(resource)?;
        resource::check_type(type_)?;
        crate::calls::resource::of_context(&*find(hCtx)?, resource)
    }
    /// Records an event after all that it holds (F123).
    fn cuGreenCtxRecordEvent(hCtx: CUgreenCtx, hEvent: CUevent) [
        null(0) = CUDA_ERROR_INVALID_CONTEXT,
        after_fault_if_zero(&[0]),
    ] {
        event::record_behind(&*find(hCtx)?.life()?, hEvent)
    }
    /// Makes all that comes next in it wait for an event (F124).
    fn cuGreenCtxWaitEvent(hCtx: CUgreenCtx, hEvent: CUevent) [
        null(0) = CUDA_ERROR_INVALID_CONTEXT,
        after_fault_if_zero(&[0]),
    ] {
        event::hold(&*find(hCtx)?.life()?, hEvent)
    }
    /// Creates a stream in it, whatever is current; always a non-blocking one (F136).
    fn cuGreenCtxStreamCreate(
        phStream: *mut CUstream,
        greenCtx: CUgreenCtx,
        flags: c_uint,
        priority: c_int,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE, null(1) = CUDA_ERROR_INVALID_CONTEXT, after_fault] {
        entry::wanted(phStream)?;
        let context = find(greenCtx)?;
        if flags != CUstream_flags::CU_STREAM_NON_BLOCKING.bits() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        sticky::check_shown()?;
        crate::calls::stream::create(phStream, context.life()?, flags, priority)
    }
    /// The green context of a stream, or null.
    fn cuStreamGetGreenCtx(hStream: CUstream, phCtx: *mut CUgreenCtx) [
        null(1) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
        zero_is_current(0),
        after_fault_if_zero(&[1]),
    ] {
        entry::wanted(phCtx)?;
        let life = usable::target(hStream)?.life;
        let green = if life.is_green() { life.context_handle() } else { std::ptr::null_mut() };
        entry::write(phCtx, green.cast())
    }
    /// The context of a stream, which for a green one is the primary one, and the green context or
    /// null (F136).
    fn cuStreamGetCtx_v2(hStream: CUstream, pCtx: *mut CUcontext, pGreenCtx: *mut CUgreenCtx) [
        null(1) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
        zero_is_current(0),
        after_fault_if_zero(&[1, 2]),
    ] {
        if pCtx.is_null() && pGreenCtx.is_null() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let life = usable::target(hStream)?.life;
        let green = if life.is_green() { life.context_handle() } else { std::ptr::null_mut() };
        entry::write_optional(pCtx, life.home().context_handle());
        entry::write_optional(pGreenCtx, green.cast());
        Ok(())
    }
}
