//! Requirements and settings of kernels.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::error::{Error, Result};
use crate::function::{Function, FunctionAttribute};
use crate::settings::{CacheConfig, SharedMemoryConfig};

const SET: &str = name!(cuFuncSetAttribute);

/// The part of a multiprocessor's L1 cache and shared memory that is used as shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Carveout {
    /// The driver chooses.
    #[default]
    Default,
    /// At least this percentage, up to 100.
    Percent(u32),
}

impl Carveout {
    /// Returns the value in the driver's form.
    #[inline]
    pub(crate) fn value(self) -> i32 {
        match self {
            Carveout::Default => -1,
            // The driver refuses a number that is not one of its values.
            Carveout::Percent(percent) => percent.try_into().unwrap_or(i32::MAX),
        }
    }
}

/// Converts a number of bytes to the driver's type.
#[inline]
pub(crate) fn bytes(call: &'static str, bytes: u32) -> Result<i32> {
    let reason = "no device has this much shared memory: request less";
    bytes.try_into().map_err(|_| Error::InvalidArgument { call, reason })
}

/// Refuses a number that is not an attribute. The driver uses it as an index into a table, and crashes for a
/// large one ([F292](crate::driver_facts#F292)).
#[inline]
pub(crate) fn known(call: &'static str, attribute: FunctionAttribute) -> Result {
    let reason = "no function attribute has this number: use one of `ffi::CU_FUNC_ATTRIBUTE_…`";
    if attribute > ffi::CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE {
        return Err(Error::InvalidArgument { call, reason });
    }
    Ok(())
}

impl Function<'_> {
    /// Returns one attribute.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an attribute that the driver does not know; [`Error::InvalidArgument`]
    /// for a number that is not an attribute in [`ffi`].
    #[doc(alias = "cuFuncGetAttribute")]
    #[inline]
    pub fn attribute(&self, attribute: FunctionAttribute) -> Result<i32> {
        known(name!(cuFuncGetAttribute), attribute)?;
        let mut value = 0;
        // SAFETY: writes one `c_int` to `value`, which is valid for it; the function is alive; the attribute is one
        // (F292); needs no current context (F38).
        unsafe { answer!(cuFuncGetAttribute(&raw mut value, attribute, self.raw())) }.check()?;
        Ok(value)
    }

    /// Sets one attribute, for all code that launches the function in this context.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an attribute that cannot be set, or not to this value
    /// ([F273](crate::driver_facts#F273)); [`Error::InvalidArgument`] for a number that is not an attribute in
    /// [`ffi`].
    #[doc(alias = "cuFuncSetAttribute")]
    #[inline]
    pub fn set_attribute(&self, attribute: FunctionAttribute, value: i32) -> Result {
        known(SET, attribute)?;
        // SAFETY: the function is alive; the attribute is one, so that the driver finds it in its table (F292), and
        // answers for a value that it cannot have (F273); needs no current context (F272).
        unsafe { answer!(cuFuncSetAttribute(self.raw(), attribute, value)) }.result()
    }

    /// Sets the maximum dynamic shared memory that a launch of the function may request, in bytes.
    ///
    /// Call it once if you need more than 48 KiB. A launch that requests more than the maximum is refused
    /// ([F273](crate::driver_facts#F273), [F310](crate::driver_facts#F310)). The launch itself makes no call
    /// for it.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for more than a block can have on the device, including the static shared
    /// memory of the function.
    #[doc(alias = "cuFuncSetAttribute")]
    #[inline]
    pub fn set_max_dynamic_shared_bytes(&self, size: u32) -> Result {
        let attribute = ffi::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        self.set_attribute(attribute, bytes(SET, size)?)
    }

    /// Sets the preferred shared-memory carve-out of a multiprocessor (a hint).
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for more than 100 percent.
    #[doc(alias = "cuFuncSetAttribute")]
    #[inline]
    pub fn set_carveout(&self, carveout: Carveout) -> Result {
        let attribute = ffi::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
        self.set_attribute(attribute, carveout.value())
    }

    /// Sets the preferred cache configuration of the function, which overrides the context's.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuFuncSetCacheConfig")]
    #[inline]
    pub fn set_cache_config(&self, config: CacheConfig) -> Result {
        // SAFETY: the function is alive; needs no current context (F272).
        unsafe { answer!(cuFuncSetCacheConfig(self.raw(), config.raw())) }.result()
    }

    /// Sets the width of the banks of shared memory. Devices of compute capability 5.0 and later have one
    /// width, and ignore this setting.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuFuncSetSharedMemConfig")]
    #[inline]
    pub fn set_shared_memory_config(&self, config: SharedMemoryConfig) -> Result {
        // SAFETY: the function is alive; needs no current context (F272).
        unsafe { answer!(cuFuncSetSharedMemConfig(self.raw(), config.raw())) }.result()
    }
}
