//! How a context would like its memories to be divided. Nothing here depends on it.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::model::{device, stack};
use crate::{entry, sync};
use cuscope_sys::*;

driver! {
    /// The preferred split of L1 cache and shared memory (F70).
    fn cuCtxGetCacheConfig(pconfig: *mut CUfunc_cache) [needs_current] {
        let home = crate::calls::stack::current_home()?;
        entry::wanted(pconfig)?;
        let cache = sync::lock(&home.settings).cache;
        entry::write(pconfig, cache)
    }
    /// Prefers a split, which is remembered (F70).
    fn cuCtxSetCacheConfig(config: CUfunc_cache) [needs_current] {
        let home = crate::calls::stack::current_home()?;
        if config > CU_FUNC_CACHE_PREFER_EQUAL {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        sync::lock(&home.settings).cache = config;
        Ok(())
    }
    /// The width of the banks of shared memory: always four bytes (F121).
    fn cuCtxGetSharedMemConfig(pConfig: *mut CUsharedconfig) [needs_current] {
        let _current = stack::current_life()?;
        entry::write(pConfig, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE)
    }
    /// Asks for a width, and gets four bytes (F121).
    fn cuCtxSetSharedMemConfig(config: CUsharedconfig) [needs_current] {
        let _current = stack::current_life()?;
        if config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        Ok(())
    }
    /// Makes what persists in the L2 cache normal: there is nothing.
    fn cuCtxResetPersistingL2Cache() [needs_current] {
        let current = stack::current_life()?;
        let device = &device::all()[current.device];
        if device.lacks(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE) {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        Ok(())
    }
}
