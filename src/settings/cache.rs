//! The cache settings of a context.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::error::{Error, Result};
use crate::stack::PushedGuard;
use ffi::{CUfunc_cache, CUsharedconfig};

/// The preferred division of a multiprocessor's memory between L1 cache and shared memory, on devices where the
/// two share one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CacheConfig {
    /// The driver chooses.
    #[default]
    PreferNone,
    /// More shared memory.
    PreferShared,
    /// More L1 cache.
    PreferL1,
    /// Equal amounts of both.
    PreferEqual,
}

impl CacheConfig {
    const ALL: [(CacheConfig, CUfunc_cache); 4] = [
        (CacheConfig::PreferNone, ffi::CU_FUNC_CACHE_PREFER_NONE),
        (CacheConfig::PreferShared, ffi::CU_FUNC_CACHE_PREFER_SHARED),
        (CacheConfig::PreferL1, ffi::CU_FUNC_CACHE_PREFER_L1),
        (CacheConfig::PreferEqual, ffi::CU_FUNC_CACHE_PREFER_EQUAL),
    ];

    pub(crate) fn raw(self) -> CUfunc_cache {
        Self::ALL[self as usize].1
    }
}

/// The width of the banks of shared memory. Devices of compute capability 5.0 and later have one width, and
/// ignore this setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum SharedMemoryConfig {
    /// The device's default.
    #[default]
    DefaultBankSize,
    /// 4 bytes.
    FourByteBankSize,
    /// 8 bytes.
    EightByteBankSize,
}

impl SharedMemoryConfig {
    const ALL: [(SharedMemoryConfig, CUsharedconfig); 3] = [
        (SharedMemoryConfig::DefaultBankSize, ffi::CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE),
        (SharedMemoryConfig::FourByteBankSize, ffi::CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE),
        (SharedMemoryConfig::EightByteBankSize, ffi::CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE),
    ];

    pub(crate) fn raw(self) -> CUsharedconfig {
        Self::ALL[self as usize].1
    }
}

/// # Caches
impl PushedGuard<'_> {
    /// Returns the preferred cache configuration of the context.
    ///
    /// # Errors
    /// [`NotCurrent`](Error::NotCurrent); [`UnknownValue`](Error::UnknownValue).
    #[doc(alias = "cuCtxGetCacheConfig")]
    #[inline]
    pub fn cache_config(&self) -> Result<CacheConfig> {
        const CALL: &str = name!(cuCtxGetCacheConfig);
        self.enter(CALL)?;
        let mut raw = CUfunc_cache(0);
        // SAFETY: writes one value to `raw`, which is valid for it; acts on the current context, which
        // `enter` found to be the guard's.
        unsafe { answer!(cuCtxGetCacheConfig(&raw mut raw)) }.check()?;
        let known = CacheConfig::ALL.into_iter().find(|&(_, value)| value == raw);
        known.map(|(config, _)| config).ok_or(Error::UnknownValue { call: CALL, value: raw.0 })
    }

    /// Sets the preferred cache configuration of the context. A kernel may have its own preference.
    ///
    /// # Errors
    /// [`NotCurrent`](Error::NotCurrent); a driver error.
    #[doc(alias = "cuCtxSetCacheConfig")]
    #[inline]
    pub fn set_cache_config(&self, config: CacheConfig) -> Result {
        self.enter(name!(cuCtxSetCacheConfig))?;
        // SAFETY: acts on the current context, which `enter` found to be the guard's.
        unsafe { answer!(cuCtxSetCacheConfig(config.raw())) }.result()
    }

    /// Returns the width of the banks of shared memory.
    ///
    /// # Errors
    /// [`NotCurrent`](Error::NotCurrent); [`UnknownValue`](Error::UnknownValue).
    #[doc(alias = "cuCtxGetSharedMemConfig")]
    #[inline]
    pub fn shared_memory_config(&self) -> Result<SharedMemoryConfig> {
        const CALL: &str = name!(cuCtxGetSharedMemConfig);
        self.enter(CALL)?;
        let mut raw = CUsharedconfig(0);
        // SAFETY: writes one value to `raw`, which is valid for it; acts on the current context, which
        // `enter` found to be the guard's.
        unsafe { answer!(cuCtxGetSharedMemConfig(&raw mut raw)) }.check()?;
        let known = SharedMemoryConfig::ALL.into_iter().find(|&(_, value)| value == raw);
        known.map(|(config, _)| config).ok_or(Error::UnknownValue { call: CALL, value: raw.0 })
    }

    /// Sets the width of the banks of shared memory.
    ///
    /// # Errors
    /// [`NotCurrent`](Error::NotCurrent); a driver error.
    #[doc(alias = "cuCtxSetSharedMemConfig")]
    #[inline]
    pub fn set_shared_memory_config(&self, config: SharedMemoryConfig) -> Result {
        self.enter(name!(cuCtxSetSharedMemConfig))?;
        // SAFETY: acts on the current context, which `enter` found to be the guard's.
        unsafe { answer!(cuCtxSetSharedMemConfig(config.raw())) }.result()
    }

    /// Resets all persisting lines of the L2 cache to normal.
    ///
    /// # Errors
    /// [`NotCurrent`](Error::NotCurrent); `CUDA_ERROR_NOT_SUPPORTED` if the device does not support it.
    #[doc(alias = "cuCtxResetPersistingL2Cache")]
    #[inline]
    pub fn reset_persisting_l2_cache(&self) -> Result {
        self.enter(name!(cuCtxResetPersistingL2Cache))?;
        // SAFETY: no obligations; acts on the current context, which `enter` found to be the guard's.
        unsafe { answer!(cuCtxResetPersistingL2Cache()) }.explain(|code| {
            let most =
                self.device().attribute(ffi::CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
            (code == ffi::CUDA_ERROR_NOT_SUPPORTED && most == Ok(0))
                .then(|| "nothing persists in the L2 cache of this device".to_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_in_the_order_of_the_variants() {
        assert!(CacheConfig::ALL.iter().enumerate().all(|(i, &(config, _))| config as usize == i));
        let shared = SharedMemoryConfig::ALL;
        assert!(shared.iter().enumerate().all(|(i, &(config, _))| config as usize == i));
    }
}
