//! The driver functions about [`semaphore`](crate::model::external::semaphore).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::stack;
use crate::entry;
use crate::entry::Answer;
use crate::model::external::memory::reserved;
use crate::model::external::semaphore::SEMAPHORES;
use crate::model::external::semaphore::{
    ExternalSemaphore, INVALID, List, Params, Signals, Waits, find,
};
use crate::model::external::system::Semaphore;
use crate::model::graph::node::Work;
use crate::model::stream::Target;
use crate::model::{capture, usable};
use core::ffi::c_uint;
use cuscope_sys::*;

/// The stream to enqueue signals or waits in.
fn target<P: Params>(list: &List<P>, stream: CUstream) -> Answer<Target> {
    // Without a current context, there is no default stream either.
    let none = |code| if code == CUDA_ERROR_INVALID_CONTEXT { INVALID } else { code };
    let target = usable::target(stream).map_err(none)?;
    if list.fits(&target) { Ok(target) } else { Err(INVALID) }
}

driver! {
    /// Imports a semaphore of a descriptor, which belongs to the driver from then on (F464).
    fn cuImportExternalSemaphore(
        extSem_out: *mut CUexternalSemaphore,
        semHandleDesc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    ) [no_capture] {
        entry::wanted(extSem_out)?;
        let asked = entry::read(semHandleDesc)?;
        // SAFETY: the program has written the field of the kind that it says.
        let descriptor = unsafe { asked.handle.fd };
        let timeline = match asked.r#type {
            _ if asked.flags != 0 => return Err(INVALID),
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD => false,
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD if descriptor == -1 => {
                return Err(INVALID);
            }
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD => true,
            CUexternalSemaphoreHandleType(2..=10) => return Err(CUDA_ERROR_NOT_SUPPORTED),
            _ => return Err(INVALID),
        };
        reserved(&asked.reserved)?;
        let semaphore = Semaphore::import(descriptor, timeline)?;
        let imported = ExternalSemaphore { life: stack::current_home().ok(), semaphore };
        let (handle, _) = SEMAPHORES.insert(|_| imported);
        entry::write(extSem_out, std::ptr::without_provenance_mut(handle))
    }
    /// Signals semaphores after the work of a stream.
    fn cuSignalExternalSemaphoresAsync(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        numExtSems: c_uint,
        stream: CUstream,
    ) {
        let signals = Signals::some(extSemArray, paramsArray, numExtSems)?;
        capture::enqueue(&target(&signals, stream)?, Work::Signal(signals))
    }
    /// Waits for semaphores before later work of a stream.
    fn cuWaitExternalSemaphoresAsync(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        numExtSems: c_uint,
        stream: CUstream,
    ) {
        let waits = Waits::some(extSemArray, paramsArray, numExtSems)?;
        capture::enqueue(&target(&waits, stream)?, Work::Await(waits))
    }
    /// Ends a semaphore, after the work of its context (F467).
    fn cuDestroyExternalSemaphore(extSem: CUexternalSemaphore) {
        if let Some(life) = &find(extSem)?.life {
            life.quiesce();
        }
        SEMAPHORES.remove(extSem.addr()).map(drop).ok_or(INVALID)
    }
}
