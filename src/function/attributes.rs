//! Requirements and settings of kernels.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::device::no_attribute;
use crate::error::{Error, Result};
use crate::function::{Function, FunctionAttribute, FunctionInner};
use crate::settings::{CacheConfig, SharedMemoryConfig};
use std::sync::atomic::Ordering;

const SET: &str = name!(cuFuncSetAttribute);
const MAX_DYNAMIC: FunctionAttribute = ffi::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;

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

/// Refuses a number that is not an attribute. The driver uses it as an index into a table, and crashes for a
/// large one ([F292](crate::driver_facts#F292)).
#[inline]
pub(crate) fn known(call: &'static str, attribute: FunctionAttribute) -> Result {
    if attribute > ffi::CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE {
        let reason = format!(
            "no function attribute has this number, {}: use one of `ffi::CU_FUNC_ATTRIBUTE_…`",
            attribute.0
        );
        return Err(Error::InvalidArgument { call, reason: reason.into() });
    }
    Ok(())
}

/// Refuses what [`known`] refuses, and the maximum of dynamic shared memory: all handles of a function share it, so that
/// one could take from another what that counts on.
#[inline]
pub(crate) fn settable(call: &'static str, attribute: FunctionAttribute) -> Result {
    let reason = "a launch allows itself the dynamic shared memory that it requests: set \
        `LaunchConfig::shared_bytes`, and not this maximum";
    if attribute == MAX_DYNAMIC {
        return Err(Error::InvalidArgument { call, reason: reason.into() });
    }
    known(call, attribute)
}

/// Returns why an attribute was not set to a value.
#[cold]
pub(crate) fn not_set(attribute: FunctionAttribute, value: i32) -> String {
    let range = match attribute {
        ffi::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => {
            return format!(
                "a carve-out of {value} percent was requested: pass from 0 to 100, or `Carveout::Default`"
            );
        }
        ffi::CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET
        | ffi::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH
        | ffi::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT
        | ffi::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH
        | ffi::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
        | ffi::CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
            "is not one of its values, or the code says otherwise"
        }
        _ => "was refused: most attributes tell what the compiler chose, and cannot be set",
    };
    format!("the value {value} of attribute {} {range}", attribute.0)
}

impl FunctionInner {
    /// Returns an attribute that [`known`] knows.
    #[inline]
    pub(crate) fn attribute(&self, attribute: FunctionAttribute) -> Result<i32> {
        let mut value = 0;
        // SAFETY: writes one `c_int` to `value`, which is valid for it; the function is alive; the attribute is one
        // (F292); needs no current context (F38).
        unsafe { answer!(cuFuncGetAttribute(&raw mut value, attribute, self.raw)) }
            .explain(|_| Some(no_attribute("function", attribute.0)))?;
        Ok(value)
    }

    /// Sets an attribute that [`known`] knows.
    #[inline]
    fn set(&self, attribute: FunctionAttribute, value: i32) -> Result {
        // SAFETY: the function is alive; the attribute is one, so that the driver finds it in its table (F292), and
        // answers for a value that it cannot have (F273); needs no current context (F272).
        unsafe { answer!(cuFuncSetAttribute(self.raw, attribute, value)) }
            .explain(|_| Some(not_set(attribute, value)))
    }

    /// Lets a launch request so many bytes of dynamic shared memory, if a block can have them on the device.
    ///
    /// The driver allows 48 KiB less the static shared memory at first, and has to be told that more is wanted
    /// ([F310](crate::driver_facts#F310)). It is told the most that the device has, so that it does not matter in which
    /// order handles of the function ask for how much. A handle asks once.
    ///
    /// # Errors
    /// A driver error.
    #[inline]
    pub(crate) fn allow_shared(&self, bytes: u32) -> Result {
        // Most launches have none, and then nothing is loaded where the compiler knows.
        if bytes != 0 && bytes > self.allowed.load(Ordering::Relaxed) {
            self.allow(bytes)
        } else {
            Ok(())
        }
    }

    #[cold]
    #[inline(never)]
    fn allow(&self, bytes: u32) -> Result {
        let positive = |number: i32| u32::try_from(number).unwrap_or(0);
        let now = positive(self.attribute(MAX_DYNAMIC)?);
        if bytes <= now {
            self.allowed.store(now, Ordering::Relaxed);
            return Ok(());
        }
        let own = positive(self.attribute(ffi::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?);
        let all = ffi::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let most = positive(self.owner.context().device().attribute(all)?).saturating_sub(own);
        if most > now {
            self.set(MAX_DYNAMIC, i32::try_from(most).unwrap_or(i32::MAX))?;
        }
        // There is no more to be had: the driver answers for a launch that requests it.
        self.allowed.store(u32::MAX, Ordering::Relaxed);
        Ok(())
    }
}

impl Function<'_> {
    /// Returns one attribute.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an attribute that the driver does not know; [`Error::InvalidArgument`]
    /// for a number that is not an attribute in [`ffi`].
    #[doc(alias = "cuFuncGetAttribute")]
    #[doc(alias = "cudaFuncGetAttributes")]
    #[inline]
    pub fn attribute(&self, attribute: FunctionAttribute) -> Result<i32> {
        known(name!(cuFuncGetAttribute), attribute)?;
        self.inner.attribute(attribute)
    }

    /// Sets one attribute, for all code that launches the function in this context.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an attribute that cannot be set, or not to this value
    /// ([F273](crate::driver_facts#F273)); [`Error::InvalidArgument`] for a number that is not an attribute in
    /// [`ffi`], and for the maximum of dynamic shared memory, which launches raise by themselves
    /// ([`LaunchConfig::shared_bytes`](crate::LaunchConfig::shared_bytes)).
    #[doc(alias = "cuFuncSetAttribute")]
    #[doc(alias = "cudaFuncSetAttribute")]
    #[inline]
    pub fn set_attribute(&self, attribute: FunctionAttribute, value: i32) -> Result {
        settable(SET, attribute)?;
        self.inner.set(attribute, value)
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
