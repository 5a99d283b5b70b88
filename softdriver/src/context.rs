//! Contexts: creation, destruction, and what is asked of them.
#![allow(unsafe_code, reason = "exported functions")]

use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
pub(crate) use crate::life::Life;
use crate::{device, primary, stack, sticky, sync};
use core::ffi::c_uint;
use cuscope_sys::*;
use std::sync::{Arc, Mutex};

/// What `cuCtxGetApiVersion` says of every context.
const API_VERSION: c_uint = 3020;

/// A context, alive or destroyed. A primary context may live again (F18).
pub(crate) struct Context {
    /// The value of its handle.
    handle: usize,
    /// The ordinal of the device.
    pub(crate) device: usize,
    /// Whether it is its device's primary context.
    pub(crate) primary: bool,
    /// The flags that it was created with; a primary context's are its device's.
    flags: c_uint,
    /// The last life; none before the first.
    life: Mutex<Arc<Life>>,
}

impl Context {
    /// Makes a context and registers it.
    pub(crate) fn create(device: usize, flags: c_uint, primary: bool) -> Arc<Self> {
        let make = |handle| {
            let life = Mutex::new(Life::new(device, handle));
            Self { handle, device, primary, flags, life }
        };
        state().contexts.insert(make).1
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
    pub(crate) fn revive(&self) {
        *sync::lock(&self.life) = Life::new(self.device, self.handle);
    }
}

/// The context of a handle; 201 for what never was one.
pub(crate) fn find(handle: CUcontext) -> Answer<Arc<Context>> {
    state().contexts.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_CONTEXT)
}

/// The context of a handle, null meaning the current one.
fn find_or_current(handle: CUcontext) -> Answer<Arc<Context>> {
    if handle.is_null() { stack::current() } else { find(handle) }
}

/// The flags of a context: ways to wait, mapped host memory, local memory, and from there on dumps
/// (0x20, 0x40) and memory operations that wait (0x80).
pub(crate) const FLAGS: c_uint = 0xff;

/// Unknown flags, and more than one way to wait, are INVALID_VALUE (F21).
pub(crate) fn check_flags(flags: c_uint, known: c_uint) -> Answer {
    let waits = CUctx_flags::CU_CTX_SCHED_SPIN
        | CUctx_flags::CU_CTX_SCHED_YIELD
        | CUctx_flags::CU_CTX_SCHED_BLOCKING_SYNC;
    let ways = (flags & waits.bits()).count_ones();
    if ways > 1 || flags & !known != 0 { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
}

driver! {
    /// Creates a context and pushes it (F10).
    fn cuCtxCreate_v2(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice) {
        entry::wanted(pctx)?;
        check_flags(flags, FLAGS)?;
        let device = device::device(dev)?;
        sticky::check()?;
        // One kind of dump on request is the other too.
        let flags = if flags & 0x40 != 0 { flags & !0x40 | 0x20 } else { flags };
        let context = Context::create(device.ordinal, flags, false);
        stack::push(context.clone());
        entry::write(pctx, context.handle())
    }
    /// Destroys a context; popped if it is the top of this thread's stack (F12), else its entries
    /// stay (F13).
    fn cuCtxDestroy_v2(ctx: CUcontext) {
        if ctx.is_null() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let context = find(ctx)?;
        if context.primary {
            return Err(CUDA_ERROR_INVALID_CONTEXT); // F19
        }
        if !context.last_life().end() {
            return Err(CUDA_ERROR_CONTEXT_IS_DESTROYED); // F15
        }
        stack::pop_if_top(&context);
        Ok(())
    }
    /// The device; of a destroyed context too (F13).
    fn cuCtxGetDevice(device: *mut CUdevice) {
        entry::wanted(device)?;
        entry::write(device, stack::current()?.device as CUdevice)
    }
    /// The flags; of a destroyed context too.
    fn cuCtxGetFlags(flags: *mut c_uint) {
        entry::wanted(flags)?;
        let context = stack::current()?;
        let own = if context.primary { primary::flags(context.device)? } else { context.flags };
        entry::write(flags, own)
    }
    /// The number that no other context has (F98).
    fn cuCtxGetId(ctx: CUcontext, ctxId: *mut u64) {
        entry::wanted(ctxId)?;
        entry::write(ctxId, find_or_current(ctx)?.life()?.id)
    }
    /// The version of the interface; 201 for a destroyed context (F16), 709 if that is current and
    /// asked for as such.
    fn cuCtxGetApiVersion(ctx: CUcontext, version: *mut c_uint) {
        let life = find_or_current(ctx)?.life();
        life.map_err(|code| if ctx.is_null() { code } else { CUDA_ERROR_INVALID_CONTEXT })?;
        entry::write(version, API_VERSION)
    }
    /// Waits for everything in the current context.
    fn cuCtxSynchronize() {
        stack::current_life()?.synchronize()?;
        sticky::check()
    }
}
