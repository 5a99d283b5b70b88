//! Contexts: creation, destruction, and what is asked of them.
#![allow(unsafe_code, reason = "exported functions")]

use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::green::Green;
pub(crate) use crate::life::Life;
use crate::memory::pool;
use crate::{affinity, capture, device, event, primary, stack, sticky, sync};
use core::ffi::{c_int, c_uint};
use cuscope_sys::*;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// What `cuCtxGetApiVersion` says of every context.
const API_VERSION: c_uint = 3020;

/// A context, alive or destroyed. A primary context may live again (F18).
pub(crate) struct Context {
    /// The value of its handle.
    handle: usize,
    /// The ordinal of the device.
    pub(crate) device: usize,
    /// How it came to be.
    pub(crate) creation: Creation,
    /// The flags; a green context has those of the primary one.
    flags: AtomicU32,
    /// The last life; none before the first.
    life: Mutex<Arc<Life>>,
    /// How often it was attached to, and not detached from (F531).
    attached: AtomicU32,
}

/// How a context came to be.
pub(crate) enum Creation {
    /// By `cuCtxCreate`.
    Ordinary,
    /// As its device's primary context.
    Primary,
    /// By `cuGreenCtxCreate`.
    Green(Green),
}

impl Context {
    /// Makes a context and registers it.
    pub(crate) fn create(device: usize, flags: c_uint, creation: Creation) -> Arc<Self> {
        let make = |handle| {
            let life = match &creation {
                Creation::Green(green) => Life::part(&green.primary.last_life(), handle),
                _ => Life::new(device, handle),
            };
            let (flags, life) = (flags.into(), Mutex::new(life));
            Self { handle, device, creation, flags, life, attached: AtomicU32::new(0) }
        };
        let context = state().contexts.insert(make).1;
        context.is_alive();
        context
    }

    /// Counts it among the living.
    fn is_alive(self: &Arc<Self>) {
        sync::lock(&state().living).insert(self.handle, self.clone());
    }

    /// What it has as a green context, if it is one.
    pub(crate) fn green(&self) -> Option<&Green> {
        match &self.creation {
            Creation::Green(green) => Some(green),
            _ => None,
        }
    }

    /// Whether it is a primary context.
    pub(crate) fn is_primary(&self) -> bool {
        matches!(self.creation, Creation::Primary)
    }

    /// The context whose flags it has.
    fn with_flags(&self) -> &Self {
        self.green().map_or(self, |green| &green.primary)
    }

    /// The flags; mapped host memory is always on in a primary context.
    fn flags(&self) -> c_uint {
        let context = self.with_flags();
        let flags = context.flags.load(Ordering::Relaxed);
        let map_host = if context.is_primary() { CUctx_flags::CU_CTX_MAP_HOST.bits() } else { 0 };
        flags | map_host
    }

    /// Changes the flags, but for those that stay as they were at the creation (F118).
    pub(crate) fn set_flags(&self, flags: c_uint) {
        let changed = |old| Some(old & KEPT | flags & !KEPT);
        let own = &self.with_flags().flags;
        let _old = own.fetch_update(Ordering::Relaxed, Ordering::Relaxed, changed);
    }

    /// Gives it the flags of a creation.
    pub(crate) fn reset_flags(&self, flags: c_uint) {
        self.flags.store(created_with(flags), Ordering::Relaxed);
    }

    /// The handle.
    pub(crate) fn handle(&self) -> CUcontext {
        std::ptr::without_provenance_mut(self.handle)
    }

    /// Its life; 709 if that is over.
    pub(crate) fn life(&self) -> Answer<Arc<Life>> {
        let life = self.last_life();
        life.check()?;
        Ok(life)
    }

    /// Its last life, over or not.
    pub(crate) fn last_life(&self) -> Arc<Life> {
        sync::lock(&self.life).clone()
    }

    /// Whether it is alive.
    pub(crate) fn alive(&self) -> bool {
        self.last_life().alive()
    }

    /// Begins a new life; the last one is over.
    pub(crate) fn revive(self: &Arc<Self>) {
        *sync::lock(&self.life) = Life::new(self.device, self.handle);
        self.attached.store(0, Ordering::Relaxed);
        self.is_alive();
    }
}

/// The context of a handle; 201 for what never was one, and for a green context that was not asked
/// for its context yet (F129).
pub(crate) fn find(handle: CUcontext) -> Answer<Arc<Context>> {
    find_any(handle)
        .filter(|context| context.green().is_none_or(Green::is_asked_for))
        .ok_or(CUDA_ERROR_INVALID_CONTEXT)
}

/// The context of a handle, of any kind.
pub(crate) fn find_any(handle: CUcontext) -> Option<Arc<Context>> {
    state().contexts.get(handle.addr())
}

/// The context of a handle, null meaning the current one.
fn find_or_current(handle: CUcontext) -> Answer<Arc<Context>> {
    if handle.is_null() { stack::current() } else { find(handle) }
}

/// The flags of a context: ways to wait, mapped host memory, local memory, and from there on dumps
/// (0x20, 0x40) and memory operations that wait (0x80).
pub(crate) const FLAGS: c_uint = 0xff;

/// The flags that cannot be changed: mapped host memory, and dumps.
const KEPT: c_uint = 0x68;

/// The flags of a context that was created with some: one kind of dump on request is the other too.
fn created_with(flags: c_uint) -> c_uint {
    if flags & 0x40 != 0 { flags & !0x40 | 0x20 } else { flags }
}

/// Unknown flags, and more than one way to wait, are INVALID_VALUE (F21).
pub(crate) fn check_flags(flags: c_uint, known: c_uint) -> Answer {
    let waits = CUctx_flags::CU_CTX_SCHED_SPIN
        | CUctx_flags::CU_CTX_SCHED_YIELD
        | CUctx_flags::CU_CTX_SCHED_BLOCKING_SYNC;
    let ways = (flags & waits.bits()).count_ones();
    if ways > 1 || flags & !known != 0 { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
}

/// Creates a context and pushes it, if `params` does not refuse.
fn create(
    pctx: *mut CUcontext,
    flags: c_uint,
    dev: CUdevice,
    params: impl FnOnce() -> Answer,
) -> Answer {
    let device = device::device(dev)?;
    entry::wanted(pctx)?;
    params()?;
    check_flags(flags, FLAGS)?;
    sticky::check()?;
    let context = Context::create(device.ordinal, created_with(flags), Creation::Ordinary);
    stack::push(context.clone());
    entry::write(pctx, context.handle())
}

/// Ends a context, and pops it if it is the top of this thread's stack.
fn destroy(context: &Arc<Context>) -> Answer {
    if !matches!(context.creation, Creation::Ordinary) {
        return Err(CUDA_ERROR_INVALID_CONTEXT); // F19, F129
    }
    if !context.last_life().end() {
        return Err(CUDA_ERROR_CONTEXT_IS_DESTROYED); // F15
    }
    stack::pop_if_top(context);
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
        capture::refuse_in(&life)?;
        life.synchronize()?;
        pool::settle();
        sticky::check()
    }
    /// Waits for everything in a context (F123).
    fn cuCtxSynchronize_v2(ctx: CUcontext) [zero_is_current(0)] {
        let life = find_or_current(ctx)?.life()?;
        capture::refuse_in(&life)?;
        life.synchronize()?;
        pool::settle();
        life.check_work()
    }
    /// Records an event behind all that a context holds; null is no context here (F123).
    fn cuCtxRecordEvent(hCtx: CUcontext, hEvent: CUevent) [after_fault_if_zero(&[0])] {
        event::record_behind(&*find(hCtx)?.life()?, hEvent)
    }
    /// Makes all that comes next in a context wait for an event; null is no context here (F124).
    fn cuCtxWaitEvent(hCtx: CUcontext, hEvent: CUevent) [after_fault_if_zero(&[0])] {
        event::hold(&*find(hCtx)?.life()?, hEvent)
    }
}
