//! The driver functions about [`ipc`](crate::model::ipc).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::stack;
use crate::entry::Answer;
use crate::model::context::LIVING;
use crate::model::ipc::OPENED;
use crate::model::ipc::{Counts, One};
use crate::model::life::Life;
use crate::model::memory::allocation::Kind;
use crate::model::memory::physical::Physical;
use crate::model::memory::shared::Shared;
use crate::model::memory::shared::Told;
use crate::model::memory::space::SPACE;
use crate::model::{device, event};
use crate::{entry, sync};
use core::ffi::c_uint;
use cuscope_sys::*;
use std::sync::Arc;

/// The first bytes of a handle to memory.
const MEMORY: u64 = u64::from_le_bytes(*b"cuscope\x01");
/// The first bytes of a handle to an event.
const EVENT: u64 = u64::from_le_bytes(*b"cuscope\x02");
/// The one flag that there is, without which nothing is opened.
const LAZY: c_uint = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.bits();

const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// NOT_SUPPORTED for a device that shares nothing with other processes.
fn has_ipc(life: &Life) -> Answer {
    let lacks = device::all()[life.device].lacks(CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED);
    if lacks || !Physical::IS_SHARED { Err(CUDA_ERROR_NOT_SUPPORTED) } else { Ok(()) }
}

driver! {
    /// A handle by which another process opens an event, which was created for that.
    fn cuIpcGetEventHandle(pHandle: *mut CUipcEventHandle, event: CUevent) {
        has_ipc(&*stack::current_home()?)?;
        entry::wanted(pHandle)?;
        entry::wanted(event)?;
        let event = event::find(event)?;
        if !event.has(CUevent_flags::CU_EVENT_INTERPROCESS) {
            return Err(CUDA_ERROR_INVALID_HANDLE);
        }
        let counts = event.counts.as_ref().ok_or(CUDA_ERROR_NOT_SUPPORTED)?;
        let told = Told { place: counts.0.place(), size: Counts::SIZE as u64, pool: 0 };
        if told.place.process != std::process::id() {
            return Err(CUDA_ERROR_INVALID_HANDLE);
        }
        entry::write(pHandle, CUipcEventHandle { reserved: told.bytes(EVENT) })
    }
    /// Opens an event of another process in the current context.
    fn cuIpcOpenEventHandle(phEvent: *mut CUevent, handle: CUipcEventHandle) {
        let life = stack::current_home()?;
        has_ipc(&life)?;
        entry::wanted(phEvent)?;
        let told = Told::from(EVENT, handle.reserved, CUDA_ERROR_MAP_FAILED)?;
        if told.place.process == std::process::id() {
            return Err(CUDA_ERROR_INVALID_CONTEXT);
        }
        let counts = Counts(Shared::open(told.place, Counts::SIZE)?);
        entry::write(phEvent, crate::calls::event::open(life, counts))
    }
    /// A handle by which another process opens the allocation that an address is in, whose bytes move to where that
    /// finds them. Waits for the work of the context.
    fn cuIpcGetMemHandle(pHandle: *mut CUipcMemHandle, dptr: CUdeviceptr) {
        has_ipc(&*stack::current_home()?)?;
        entry::wanted(pHandle)?;
        let allocation = SPACE.find(dptr, 1)?;
        if allocation.kind != Kind::Device || allocation.pool.is_some() {
            return Err(INVALID);
        }
        if !allocation.storage.is_shared() {
            let living: Vec<_> = sync::lock(&LIVING).values().cloned().collect();
            living.iter().for_each(|context| context.last_life().quiesce());
        }
        let place = allocation.storage.share()?;
        let reserved = Told { place, size: allocation.size as u64, pool: 0 }.bytes(MEMORY);
        entry::write(pHandle, CUipcMemHandle { reserved })
    }
    /// Maps an allocation of another process into the current context. A second time, it is the same address.
    fn cuIpcOpenMemHandle_v2(pdptr: *mut CUdeviceptr, handle: CUipcMemHandle, Flags: c_uint) {
        let life = stack::current_home()?;
        has_ipc(&life)?;
        entry::wanted(pdptr)?;
        if Flags != LAZY {
            return Err(INVALID);
        }
        let told = Told::from(MEMORY, handle.reserved, INVALID)?;
        if told.place.process == std::process::id() {
            return Err(CUDA_ERROR_INVALID_CONTEXT);
        }
        let mut opened = sync::lock(&OPENED.0);
        opened.retain(|_, one| one.life.upgrade().is_some_and(|life| life.alive()));
        let same = |one: &One| one.told == told && std::ptr::eq(one.life.as_ptr(), &raw const *life);
        if let Some((&base, one)) = opened.iter_mut().find(|(_, one)| same(one)) {
            one.count += 1;
            return entry::write(pdptr, base);
        }
        // One context of a device has it.
        let on_it = |one: &One| one.life.upgrade().is_some_and(|other| other.device == life.device);
        if opened.values().any(|one| one.told == told && on_it(one)) {
            return Err(CUDA_ERROR_INVALID_HANDLE);
        }
        let size = usize::try_from(told.size).map_err(|_| CUDA_ERROR_INVALID_HANDLE)?;
        let memory = Shared::open(told.place, size)?;
        let base = SPACE.open(&life, Kind::Opened, memory, 0, size, None)?;
        opened.insert(base, One { told, life: Arc::downgrade(&life), count: 1 });
        entry::write(pdptr, base)
    }
    /// Closes what was opened, in whatever context; the last time, it is unmapped. Waits for the work of the context
    /// that it was opened in.
    fn cuIpcCloseMemHandle(dptr: CUdeviceptr) {
        stack::current_home()?;
        let life = SPACE.exactly(dptr, Kind::Opened)?.life.clone();
        life.quiesce();
        let mut opened = sync::lock(&OPENED.0);
        let allocation = SPACE.exactly(dptr, Kind::Opened)?;
        let one = opened.get_mut(&dptr).ok_or(INVALID)?;
        one.count -= 1;
        if one.count == 0 {
            opened.remove(&dptr);
            SPACE.retire(&allocation)?;
            SPACE.take(&allocation);
        }
        Ok(())
    }
}

impl crate::entry::Zero for CUipcEventHandle {
    fn is_zero(&self) -> bool {
        self.reserved.iter().all(|&byte| byte == 0)
    }
}

impl crate::entry::Zero for CUipcMemHandle {
    fn is_zero(&self) -> bool {
        self.reserved.iter().all(|&byte| byte == 0)
    }
}
