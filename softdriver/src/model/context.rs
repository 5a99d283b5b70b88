//! Contexts: creation, destruction, and what is asked of them.

pub(crate) use crate::model::life::Life;

use crate::entry::Answer;
use crate::model::green::Green;
use crate::model::{device, stack};
use crate::registry::Registry;
use crate::{entry, sticky, sync};
use core::ffi::c_uint;
use cuscope_sys::*;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// Every context that ever was: destroyed ones stay known (F13, F14).
pub(crate) static CONTEXTS: LazyLock<Registry<Context>> = LazyLock::new(|| Registry::new(0x41));

/// Those of them that are alive, by handle.
pub(crate) static LIVING: Mutex<BTreeMap<usize, Arc<Context>>> = Mutex::new(BTreeMap::new());

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
    pub(crate) attached: AtomicU32,
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
        let context = CONTEXTS.insert(make).1;
        context.is_alive();
        context
    }

    /// Counts it among the living.
    fn is_alive(self: &Arc<Self>) {
        sync::lock(&LIVING).insert(self.handle, self.clone());
    }

    /// Returns its green part, if it is a green context.
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
    pub(crate) fn with_flags(&self) -> &Self {
        self.green().map_or(self, |green| &green.primary)
    }

    /// The flags; mapped host memory is always on in a primary context.
    pub(crate) fn flags(&self) -> c_uint {
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
    CONTEXTS.get(handle.addr())
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
pub(crate) fn create(
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

/// Ends the work of all contexts with a fault, and cuts off what runs.
pub(crate) fn lose_all(code: CUresult) {
    let living: Vec<_> = sync::lock(&LIVING).values().cloned().collect();
    for context in living {
        let life = context.last_life();
        life.domain.fault(code);
        life.domain.cut();
    }
}
