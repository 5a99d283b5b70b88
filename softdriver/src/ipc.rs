//! Memory between processes (F400–F402).
#![allow(unsafe_code, reason = "exported functions")]

use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::life::Life;
use crate::memory::physical::Physical;
use crate::memory::shared::{Place, Shared};
use crate::memory::space::Kind;
use crate::{stack, sync};
use core::ffi::{c_char, c_uint};
use cuscope_sys::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

/// What a handle begins with.
const MAGIC: u64 = u64::from_le_bytes(*b"cuscope\x01");
/// The one flag that there is, without which nothing is opened.
const LAZY: c_uint = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.bits();

const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// What a handle says.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Told {
    place: Place,
    size: u64,
}

impl Told {
    fn handle(self) -> CUipcMemHandle {
        let Self { place: Place { process, descriptor, number }, size } = self;
        let parts = [MAGIC, u64::from(process), descriptor as u64, number, size];
        let mut reserved: [c_char; 64] = [0; 64];
        for (byte, to) in parts.iter().flat_map(|part| part.to_le_bytes()).zip(&mut reserved) {
            *to = byte as c_char;
        }
        CUipcMemHandle { reserved }
    }

    /// INVALID_HANDLE for what is none.
    fn from(handle: CUipcMemHandle) -> Answer<Self> {
        let part = |index: usize| {
            let bytes = std::array::from_fn(|i| handle.reserved[8 * index + i] as u8);
            u64::from_le_bytes(bytes)
        };
        let [magic, process, descriptor, number, size] = [0, 1, 2, 3, 4].map(part);
        if magic != MAGIC || handle.reserved[40..].iter().any(|&byte| byte != 0) {
            return Err(CUDA_ERROR_INVALID_HANDLE);
        }
        let place = Place { process: process as u32, descriptor: descriptor as i32, number };
        Ok(Self { place, size })
    }
}

/// Memory of other processes that is open, by its address.
#[derive(Default)]
pub(crate) struct Opened(Mutex<BTreeMap<u64, One>>);

struct One {
    told: Told,
    life: Weak<Life>,
    count: usize,
}

impl Opened {
    /// How many there are, of contexts that go on.
    pub(crate) fn count(&self) -> usize {
        let lives = |one: &&One| one.life.upgrade().is_some_and(|life| life.alive());
        sync::lock(&self.0).values().filter(lives).count()
    }
}

driver! {
    /// A handle by which another process opens an allocation, whose bytes move to where that finds them. Waits for
    /// the work of the context.
    fn cuIpcGetMemHandle(pHandle: *mut CUipcMemHandle, dptr: CUdeviceptr) {
        entry::wanted(pHandle)?;
        if !Physical::IS_SHARED {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        let allocation = state().space.exactly(dptr, Kind::Device)?;
        if allocation.pool.is_some() {
            return Err(INVALID);
        }
        if !allocation.storage.is_shared() {
            let living: Vec<_> = sync::lock(&state().living).values().cloned().collect();
            living.iter().for_each(|context| context.last_life().quiesce());
        }
        let place = allocation.storage.share()?;
        entry::write(pHandle, Told { place, size: allocation.size as u64 }.handle())
    }
    /// Maps an allocation of another process into the current context. A second time, it is the same address.
    fn cuIpcOpenMemHandle_v2(pdptr: *mut CUdeviceptr, handle: CUipcMemHandle, Flags: c_uint) {
        let life = stack::current_home()?;
        entry::wanted(pdptr)?;
        if Flags != LAZY {
            return Err(INVALID);
        }
        let told = Told::from(handle)?;
        if told.place.process == std::process::id() {
            return Err(CUDA_ERROR_INVALID_CONTEXT);
        }
        let mut opened = sync::lock(&state().opened.0);
        opened.retain(|_, one| one.life.upgrade().is_some_and(|life| life.alive()));
        let same = |one: &One| one.told == told && std::ptr::eq(one.life.as_ptr(), &raw const *life);
        if let Some((&base, one)) = opened.iter_mut().find(|(_, one)| same(one)) {
            one.count += 1;
            return entry::write(pdptr, base);
        }
        let size = usize::try_from(told.size).map_err(|_| CUDA_ERROR_INVALID_HANDLE)?;
        let memory = Shared::open(told.place, size)?;
        let base = state().space.open(&life, size, memory)?;
        opened.insert(base, One { told, life: Arc::downgrade(&life), count: 1 });
        entry::write(pdptr, base)
    }
    /// Closes what was opened; the last time, it is unmapped. Waits for nothing.
    fn cuIpcCloseMemHandle(dptr: CUdeviceptr) {
        let mut opened = sync::lock(&state().opened.0);
        let allocation = state().space.exactly(dptr, Kind::Opened)?;
        let one = opened.get_mut(&dptr).ok_or(INVALID)?;
        one.count -= 1;
        if one.count == 0 {
            opened.remove(&dptr);
            state().space.retire(&allocation)?;
            state().space.take(&allocation);
        }
        Ok(())
    }
}

impl crate::entry::Zero for CUipcMemHandle {
    fn is_zero(&self) -> bool {
        self.reserved.iter().all(|&byte| byte == 0)
    }
}
