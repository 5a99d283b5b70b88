//! Imported semaphores, which streams signal and wait for.
#![allow(unsafe_code, reason = "exported functions")]

use crate::entry::Answer;
use crate::model::external::memory::reserved;
use crate::model::external::system::Semaphore;
use crate::model::life::Life;
use crate::model::stream::Target;
use crate::registry::Registry;
use crate::{domain, entry, sticky};
use core::ffi::c_uint;
use cuscope_sys::*;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{Ordering, fence};
use std::thread;
use std::time::Duration;

/// How often a stream that waits looks.
const GLANCE: Duration = Duration::from_micros(50);

pub(crate) const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// Imported semaphores.
pub(crate) static SEMAPHORES: LazyLock<Registry<ExternalSemaphore>> =
    LazyLock::new(|| Registry::new(0x62));

/// An imported semaphore.
pub(crate) struct ExternalSemaphore {
    /// The context that it was imported in, if there was one.
    pub(crate) life: Option<Arc<Life>>,
    pub(crate) semaphore: Semaphore,
}

impl ExternalSemaphore {
    /// Whether its context, if it has one, goes on.
    pub(crate) fn alive(&self) -> bool {
        self.life.as_ref().is_none_or(|life| life.alive())
    }
}

/// The semaphore of a handle.
pub(crate) fn find(handle: CUexternalSemaphore) -> Answer<Arc<ExternalSemaphore>> {
    let semaphore = SEMAPHORES.get(handle.addr()).ok_or(INVALID)?;
    sticky::check_found(semaphore.life.as_ref().map_or(Ok(()), |life| life.check()))?;
    Ok(semaphore)
}

/// Semaphores with their parameters, as the program has given them: a node tells them.
#[derive(Clone)]
pub(crate) struct List<P> {
    semaphores: Vec<Arc<ExternalSemaphore>>,
    handles: Vec<usize>,
    params: Vec<P>,
}

// SAFETY: the pointers among the parameters are never followed.
unsafe impl<P> Send for List<P> {}
// SAFETY: as above.
unsafe impl<P> Sync for List<P> {}

/// Signals.
pub(crate) type Signals = List<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>;
/// Waits.
pub(crate) type Waits = List<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>;

/// The parameters of a signal or a wait.
pub(crate) trait Params: Copy {
    fn flags(&self) -> c_uint;
}

impl Params for CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
    fn flags(&self) -> c_uint {
        self.flags
    }
}

impl Params for CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS {
    fn flags(&self) -> c_uint {
        self.flags
    }
}

impl<P: Params> List<P> {
    /// Reads it.
    pub(crate) fn read(
        handles: *const CUexternalSemaphore,
        params: *const P,
        count: c_uint,
    ) -> Answer<Self> {
        let mut list = Self { semaphores: Vec::new(), handles: Vec::new(), params: Vec::new() };
        for index in 0..count as usize {
            let handle = entry::element(handles, index)?;
            let params = entry::element(params, index)?;
            // Those that there are belong to semaphores that are not modelled.
            reserved(&[params.flags()])?;
            list.params.push(params);
            list.semaphores.push(find(handle)?);
            list.handles.push(handle.addr());
        }
        Ok(list)
    }

    /// The same for what is enqueued, which is not nothing (F466).
    pub(crate) fn some(
        handles: *const CUexternalSemaphore,
        params: *const P,
        count: c_uint,
    ) -> Answer<Self> {
        if count == 0 { Err(INVALID) } else { Self::read(handles, params, count) }
    }

    /// The handles, the parameters and their number, as long as this lives.
    pub(crate) fn raw(&self) -> (*mut CUexternalSemaphore, *const P, c_uint) {
        (
            self.handles.as_ptr().cast_mut().cast(),
            self.params.as_ptr(),
            self.handles.len() as c_uint,
        )
    }

    /// The context of the first one.
    pub(crate) fn life(&self) -> Option<Arc<Life>> {
        self.semaphores.first()?.life.clone()
    }

    pub(crate) fn len(&self) -> usize {
        self.handles.len()
    }

    /// Whether it can be enqueued in a stream: one of the context of all of them (F466).
    pub(crate) fn fits(&self, target: &Target) -> bool {
        let own = target.life.home();
        self.semaphores.iter().filter_map(|one| one.life.as_ref()).all(|life| own.is(life))
    }

    fn each(&self) -> impl Iterator<Item = (&Semaphore, &P)> {
        self.semaphores.iter().map(|one| &one.semaphore).zip(&self.params)
    }
}

impl Signals {
    /// Signals.
    pub(crate) fn run(&self) {
        // Who sees the signal sees what came before it in the stream.
        fence(Ordering::Release);
        self.each().for_each(|(semaphore, params)| semaphore.signal(params.params.fence.value));
    }
}

impl Waits {
    /// Waits.
    pub(crate) fn run(&self) {
        for (semaphore, params) in self.each() {
            while !semaphore.pass(params.params.fence.value) && !domain::should_end() {
                thread::sleep(GLANCE);
            }
        }
        // Later work in the stream sees the writes that others made before they signalled.
        fence(Ordering::Acquire);
    }
}
