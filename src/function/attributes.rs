//! What a kernel needs, and how it is to be run.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::error::{Error, Result};
use crate::function::{Function, FunctionAttribute};
use crate::settings::{CacheConfig, SharedMemoryConfig};

const SET: &str = name!(cuFuncSetAttribute);

/// How much of the memory that L1 cache and shared memory divide is to be shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Carveout {
    /// The driver chooses.
    #[default]
    Default,
    /// At least so many of a hundred parts, up to 100.
    Percent(u32),
}

impl Carveout {
    /// As the driver takes it.
    pub(crate) fn value(self) -> i32 {
        match self {
            Carveout::Default => -1,
            // What is no number of the driver's is refused by it.
            Carveout::Percent(percent) => percent.try_into().unwrap_or(i32::MAX),
        }
    }
}

/// Bytes as the driver takes them.
pub(crate) fn bytes(call: &'static str, bytes: u32) -> Result<i32> {
    let reason = "more shared memory than any device has: ask for less";
    bytes.try_into().map_err(|_| Error::InvalidArgument { call, reason })
}

/// Refuses a number that is no attribute: the driver takes it for a place in a table, and dies of a large one (F292).
pub(crate) fn known(call: &'static str, attribute: FunctionAttribute) -> Result {
    let reason = "no such attribute of a function is known: take one of `ffi::CU_FUNC_ATTRIBUTE_…`";
    if attribute > ffi::CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE {
        return Err(Error::InvalidArgument { call, reason });
    }
    Ok(())
}

impl Function<'_> {
    /// One attribute.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an attribute that the driver does not know; [`Error::InvalidArgument`] for one
    /// that is none of [`ffi`].
    #[doc(alias = "cuFuncGetAttribute")]
    pub fn attribute(&self, attribute: FunctionAttribute) -> Result<i32> {
        known(name!(cuFuncGetAttribute), attribute)?;
        let mut value = 0;
        // SAFETY: writes one `c_int` to `value`, which is valid for it; the function is alive; the attribute is one
        // (F292); needs no current context (F38).
        unsafe { answer!(cuFuncGetAttribute(&raw mut value, attribute, self.raw())) }.check()?;
        Ok(value)
    }

    /// Sets one attribute, for all who launch the function in this context.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for one that cannot be set, or not to this value (F273);
    /// [`Error::InvalidArgument`] for one that is none of [`ffi`].
    #[doc(alias = "cuFuncSetAttribute")]
    pub fn set_attribute(&self, attribute: FunctionAttribute, value: i32) -> Result {
        known(SET, attribute)?;
        // SAFETY: the function is alive; the attribute is one, so that the driver finds it in its table (F292), and
        // answers for a value that it cannot have (F273); needs no current context (F272).
        unsafe { answer!(cuFuncSetAttribute(self.raw(), attribute, value)) }.result()
    }

    /// Sets how much dynamic shared memory a launch of the function may ask for, in bytes: needed once for more
    /// than 48 KiB, and with less a launch that asks for more is refused (F273, F310). A launch itself makes no
    /// call for it.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for more than the device has for a block, what the function declares itself
    /// included.
    #[doc(alias = "cuFuncSetAttribute")]
    pub fn set_max_dynamic_shared_bytes(&self, size: u32) -> Result {
        let attribute = ffi::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        self.set_attribute(attribute, bytes(SET, size)?)
    }

    /// Sets how much shared memory a multiprocessor sets aside: a preference.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for more than 100 percent.
    #[doc(alias = "cuFuncSetAttribute")]
    pub fn set_carveout(&self, carveout: Carveout) -> Result {
        let attribute = ffi::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
        self.set_attribute(attribute, carveout.value())
    }

    /// Prefers a split of L1 cache and shared memory, rather than the context's.
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuFuncSetCacheConfig")]
    pub fn set_cache_config(&self, config: CacheConfig) -> Result {
        // SAFETY: the function is alive; needs no current context (F272).
        unsafe { answer!(cuFuncSetCacheConfig(self.raw(), config.raw())) }.result()
    }

    /// Sets the width of the banks of shared memory. Devices since capability 5.0 have one width, and ignore it.
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuFuncSetSharedMemConfig")]
    pub fn set_shared_memory_config(&self, config: SharedMemoryConfig) -> Result {
        // SAFETY: the function is alive; needs no current context (F272).
        unsafe { answer!(cuFuncSetSharedMemConfig(self.raw(), config.raw())) }.result()
    }
}
