//! The driver functions about [`context`](crate::model::context).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::memory::pool;
use crate::calls::{affinity, event, primary};
use crate::entry::Answer;
use crate::model::capture;
use crate::model::context::LIVING;
use crate::model::context::{Context, Creation, FLAGS, check_flags, create, find};
use crate::model::function::FUNCTIONS;
use crate::model::life::Life;
use crate::model::memory::space::SPACE;
use crate::model::module::MODULES;
use crate::model::{device, stack};
use crate::{entry, sticky, summary, sync};
use core::ffi::{c_int, c_uint};
use cuscope_sys::*;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The answer of `cuCtxGetApiVersion` for every context.
const API_VERSION: c_uint = 3020;

/// The context of a handle, null meaning the current one.
fn find_or_current(handle: CUcontext) -> Answer<Arc<Context>> {
    if handle.is_null() { stack::current() } else { find(handle) }
}

/// Ends a context, and pops it if it is the top of this thread's stack.
fn destroy(context: &Arc<Context>) -> Answer {
    if !matches!(context.creation, Creation::Ordinary) {
        return Err(CUDA_ERROR_INVALID_CONTEXT); // F19, F129
    }
    if !end(&context.last_life()) {
        return Err(CUDA_ERROR_CONTEXT_IS_DESTROYED); // F15
    }
    crate::calls::stack::pop_if_top(context);
    Ok(())
}

/// Refuses to share with graphics, of which there is none (F116).
fn refuse_graphics(params: &CUctxCreateParams) -> Answer {
    if params.cigParams.is_null() {
        return Ok(());
    }
    let shared = entry::read(params.cigParams)?.sharedDataType;
    let known = shared == CIG_DATA_TYPE_D3D12_COMMAND_QUEUE || params.numExecAffinityParams > 0;
    Err(if known { CUDA_ERROR_NOT_SUPPORTED } else { CUDA_ERROR_INVALID_VALUE })
}

/// Ends the life of a context: no new work from now on, then waits for all work of the device (F50), then takes
/// what belongs to it. Once a fault is reported, cuts its work off instead (F328). The life of a green context ends
/// at once: its work still finishes, and nothing but its streams belongs to it (F134). False if it was over already.
pub(crate) fn end(life: &Life) -> bool {
    if !life.stop() {
        return false;
    }
    capture::forget_all_of(life);
    let others: Vec<_> = {
        let mut living = sync::lock(&LIVING);
        living.remove(&life.context);
        living.values().filter(|context| context.device == life.device).cloned().collect()
    };
    if life.is_green() {
        life.close();
        return true;
    }
    // After a fault the end is no error (F60).
    life.settle();
    others.iter().for_each(|context| context.last_life().settle());
    if sticky::faulted() {
        life.cut_off();
    }
    FUNCTIONS.retain(|function| !life.is(&function.module.life));
    MODULES.retain(|module| !life.is(&module.life));
    for left in SPACE.free_all(life) {
        // After a fault the program cannot free it.
        if !sticky::faulted() {
            summary::left(&left);
        }
    }
    life.close();
    true
}

driver! {
    /// Creates a context and pushes it (F10).
    fn cuCtxCreate_v2(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice) [
        // The body gives the error.
        after_fault,
    ] {
        create(pctx, flags, dev, || Ok(()))
    }
    /// The same; with an affinity it cannot (F115).
    fn cuCtxCreate_v3(
        pctx: *mut CUcontext,
        paramsArray: *mut CUexecAffinityParam,
        numParams: c_int,
        flags: c_uint,
        dev: CUdevice,
    ) [
        // The body gives the error.
        after_fault,
    ] {
        create(pctx, flags, dev, || affinity::refuse(paramsArray, numParams))
    }
    /// The same; without parameters, or with none in them (F116).
    fn cuCtxCreate_v4(
        pctx: *mut CUcontext,
        ctxCreateParams: *mut CUctxCreateParams,
        flags: c_uint,
        dev: CUdevice,
    ) [
        // The body gives the error.
        after_fault,
    ] {
        create(pctx, flags, dev, || {
            if ctxCreateParams.is_null() {
                return Ok(());
            }
            let params = entry::read(ctxCreateParams)?;
            refuse_graphics(&params)?;
            affinity::refuse(params.execAffinityParams, params.numExecAffinityParams)
        })
    }
    /// Destroys a context; popped if it is the top of this thread's stack (F12), else its entries
    /// stay (F13).
    fn cuCtxDestroy_v2(ctx: CUcontext) [null(0) = CUDA_ERROR_INVALID_VALUE, after_fault] {
        if ctx.is_null() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        destroy(&find(ctx)?)
    }
    /// Counts one more user of the current context (F531).
    fn cuCtxAttach(pctx: *mut CUcontext, flags: c_uint) [needs_current] {
        entry::wanted(pctx)?;
        let context = stack::current()?;
        let _alive = context.life()?;
        if flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        context.attached.fetch_add(1, Ordering::Relaxed);
        entry::write(pctx, context.handle())
    }
    /// Counts one user of the current context less; the last one, who created it, destroys it (F531).
    fn cuCtxDetach(ctx: CUcontext) [after_fault] {
        if ctx.is_null() {
            return Err(CUDA_ERROR_INVALID_CONTEXT);
        }
        let context = find(ctx)?;
        if !stack::top().is_some_and(|top| Arc::ptr_eq(&top, &context)) {
            return Err(CUDA_ERROR_INVALID_CONTEXT);
        }
        let _alive = context.life()?;
        let less = |count: u32| count.checked_sub(1);
        match context.attached.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(_) => Ok(()),
            Err(_) => destroy(&context),
        }
    }
    /// The device; of a destroyed context too (F13).
    fn cuCtxGetDevice(device: *mut CUdevice) [null(0) = CUDA_ERROR_INVALID_VALUE, after_fault] {
        entry::wanted(device)?;
        entry::write(device, stack::current()?.device as CUdevice)
    }
    /// The flags; of a destroyed context too.
    fn cuCtxGetFlags(flags: *mut c_uint) [null(0) = CUDA_ERROR_INVALID_VALUE, after_fault] {
        entry::wanted(flags)?;
        entry::write(flags, stack::current()?.flags())
    }
    /// Changes the flags of the current context (F118).
    fn cuCtxSetFlags(flags: c_uint) [after_fault] {
        let context = stack::current()?;
        check_flags(flags, FLAGS)?;
        let _alive = context.life()?;
        context.set_flags(flags);
        if context.with_flags().is_primary() {
            primary::note_flags(device::device(context.device as CUdevice)?, flags);
        }
        Ok(())
    }
    /// The device of a context, a destroyed one too.
    fn cuCtxGetDevice_v2(device: *mut CUdevice, ctx: CUcontext) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        after_fault,
    ] {
        entry::wanted(device)?;
        entry::write(device, find_or_current(ctx)?.device as CUdevice)
    }
    /// The number that no other context has (F98).
    fn cuCtxGetId(ctx: CUcontext, ctxId: *mut u64) [
        null(1) = CUDA_ERROR_INVALID_VALUE,
        zero_is_current(0),
        after_fault,
    ] {
        entry::wanted(ctxId)?;
        entry::write(ctxId, find_or_current(ctx)?.life()?.id)
    }
    /// The version of the interface; 201 for a destroyed context (F16), 709 if that is current and
    /// asked for as such.
    fn cuCtxGetApiVersion(ctx: CUcontext, version: *mut c_uint) [zero_is_current(0), after_fault] {
        let life = find_or_current(ctx)?.life();
        life.map_err(|code| if ctx.is_null() { code } else { CUDA_ERROR_INVALID_CONTEXT })?;
        entry::write(version, API_VERSION)
    }
    /// Waits for everything in the current context; not with a capture in it (F101).
    fn cuCtxSynchronize() [needs_current] {
        let life = stack::current_life()?;
        crate::calls::capture::refuse_in(&life)?;
        life.synchronize()?;
        pool::settle();
        sticky::check()
    }
    /// Waits for everything in a context (F123).
    fn cuCtxSynchronize_v2(ctx: CUcontext) [zero_is_current(0)] {
        let life = find_or_current(ctx)?.life()?;
        crate::calls::capture::refuse_in(&life)?;
        life.synchronize()?;
        pool::settle();
        life.check_work()
    }
    /// Records an event after all that a context holds; null is no context here (F123).
    fn cuCtxRecordEvent(hCtx: CUcontext, hEvent: CUevent) [after_fault_if_zero(&[0])] {
        event::record_behind(&*find(hCtx)?.life()?, hEvent)
    }
    /// Makes all that comes next in a context wait for an event; null is no context here (F124).
    fn cuCtxWaitEvent(hCtx: CUcontext, hEvent: CUevent) [after_fault_if_zero(&[0])] {
        event::hold(&*find(hCtx)?.life()?, hEvent)
    }
}
