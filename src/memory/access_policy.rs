//! How the L2 cache treats accesses to a range of memory: for a launch, and for a stream.

use super::{DeviceBuffer, DeviceSlice, DeviceSliceMut};
use crate::call::name;
use crate::error::{Error, Result};
use ffi::{CUaccessPolicyWindow, CUaccessProperty, CUdeviceptr};
use std::ops::Range;
use std::ptr;

/// How the L2 cache treats an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[doc(alias = "CUaccessProperty")]
pub enum AccessProperty {
    /// Like any other access.
    #[default]
    Normal,
    /// As data that is used once: such data leaves the cache first.
    Streaming,
    /// As data that is used again: such data stays in the part of the cache that
    /// [`Limit::PersistingL2CacheSize`](crate::settings::Limit::PersistingL2CacheSize) sets aside.
    Persisting,
}

impl AccessProperty {
    #[inline]
    fn raw(self) -> CUaccessProperty {
        match self {
            AccessProperty::Normal => ffi::CU_ACCESS_PROPERTY_NORMAL,
            AccessProperty::Streaming => ffi::CU_ACCESS_PROPERTY_STREAMING,
            AccessProperty::Persisting => ffi::CU_ACCESS_PROPERTY_PERSISTING,
        }
    }

    #[inline]
    fn from_raw(call: &'static str, raw: CUaccessProperty) -> Result<Self> {
        match raw {
            ffi::CU_ACCESS_PROPERTY_NORMAL => Ok(AccessProperty::Normal),
            ffi::CU_ACCESS_PROPERTY_STREAMING => Ok(AccessProperty::Streaming),
            ffi::CU_ACCESS_PROPERTY_PERSISTING => Ok(AccessProperty::Persisting),
            CUaccessProperty(value) => Err(Error::UnknownValue { call, value }),
        }
    }
}

/// Memory that an [`AccessPolicyWindow`] can cover: a [`DeviceBuffer`], a [`ScopedBuffer`](crate::ScopedBuffer)
/// in a scope, a slice of these, or a range of addresses. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not memory that an access policy window can cover",
    label = "expected a `DeviceBuffer`, a `ScopedBuffer`, a slice of these, or a range of addresses",
    note = "host memory is uploaded to a buffer first: `gpu.on(&stream).from_slice(&values)?`"
)]
pub trait WindowMemory: sealed::Addresses {}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `WindowMemory`, which is sealed",
        label = "only device memory and ranges of addresses do"
    )]
    pub trait Addresses {
        fn addresses(&self) -> Range<CUdeviceptr>;
    }
}

/// Implements [`WindowMemory`] for types of memory.
macro_rules! window_memory {
    ($($memory:ty),*) => { $(
        impl<T: $crate::Element> $crate::memory::access_policy::sealed::Addresses for $memory {
            fn addresses(&self) -> std::ops::Range<ffi::CUdeviceptr> {
                self.address()..self.address() + self.size_bytes() as ffi::CUdeviceptr
            }
        }
        #[diagnostic::do_not_recommend]
        impl<T: $crate::Element> $crate::memory::WindowMemory for $memory {}
    )* };
}
pub(crate) use window_memory;

window_memory!(DeviceBuffer<'_, T>, DeviceSlice<'_, '_, T>, DeviceSliceMut<'_, '_, T>);

impl sealed::Addresses for Range<CUdeviceptr> {
    #[inline]
    fn addresses(&self) -> Range<CUdeviceptr> {
        self.clone()
    }
}
#[diagnostic::do_not_recommend]
impl WindowMemory for Range<CUdeviceptr> {}

/// A range of memory, and how the L2 cache treats the accesses of kernels to it.
///
/// A window belongs to one launch ([`ExtendedLaunch::access_policy_window`](crate::launch::ExtendedLaunch::access_policy_window)) or to
/// the work that is enqueued on a stream ([`Stream::set_access_policy_window`](crate::Stream::set_access_policy_window)).
///
/// It is a hint, which changes no result. It holds an address and a length, and borrows nothing: the memory may be
/// written, lent or freed while the window is in use. The driver reads none of the memory, and accepts a range that was
/// freed or never allocated ([F155](crate::driver_facts#F155), [F315](crate::driver_facts#F315)).
///
/// # Examples
/// ```
/// # use cuscope::{Context, ContextFlags, ContextStack, Device, Result, memory::AccessPolicyWindow};
/// # fn main() -> Result {
/// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// let stream = gpu.stream()?;
/// let weights = gpu.alloc::<f32>(4096)?;
/// let window = AccessPolicyWindow::persisting(&weights, 0.5)?;
/// stream.set_access_policy_window(Some(window))?;
/// assert_eq!(stream.access_policy_window()?, Some(window));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
#[doc(alias = "CUaccessPolicyWindow")]
pub struct AccessPolicyWindow {
    address: CUdeviceptr,
    bytes: usize,
    hit_ratio: f32,
    hit: AccessProperty,
    miss: AccessProperty,
}

impl AccessPolicyWindow {
    /// An empty range: the window of a stream that has none.
    pub(crate) const NONE: CUaccessPolicyWindow = CUaccessPolicyWindow {
        base_ptr: ptr::null_mut(),
        num_bytes: 0,
        hitRatio: 0.0,
        hitProp: ffi::CU_ACCESS_PROPERTY_NORMAL,
        missProp: ffi::CU_ACCESS_PROPERTY_NORMAL,
    };

    /// Returns a window over `memory`. `hit_ratio` (0 to 1) is the fraction of the accesses that get `hit`; the rest
    /// get `miss`, which cannot be [`Persisting`](AccessProperty::Persisting).
    ///
    /// A window has at most `CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE` bytes (128 MiB on an H200). If
    /// it has more, the launch, or the call that sets it for a stream, returns `CUDA_ERROR_INVALID_VALUE`
    /// ([F155](crate::driver_facts#F155), [F315](crate::driver_facts#F315)). Pass a slice of the memory.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) if the ratio is not from 0 to 1, if `miss` is persisting, or if a
    /// range of addresses is empty.
    pub fn new(
        memory: &impl WindowMemory,
        hit_ratio: f32,
        hit: AccessProperty,
        miss: AccessProperty,
    ) -> Result<Self> {
        // One of the calls that take a window.
        let call = name!(cuStreamSetAttribute);
        let refused =
            |reason: &'static str| Err(Error::InvalidArgument { call, reason: reason.into() });
        // The driver accepts a ratio that is not a number (F155).
        if !(0.0..=1.0).contains(&hit_ratio) {
            let reason = format!(
                "the hit ratio of an access policy window is {hit_ratio}: pass a number from 0 to 1"
            );
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        }
        if miss == AccessProperty::Persisting {
            return refused(
                "the `miss` property of an access policy window cannot be `Persisting`: use \
                 `Normal` or `Streaming`",
            );
        }
        let Range { start: address, end } = memory.addresses();
        if end <= address {
            return refused("the range of an access policy window must have at least one byte");
        }
        Ok(AccessPolicyWindow { address, bytes: (end - address) as usize, hit_ratio, hit, miss })
    }

    /// Returns a window over `memory`. `hit_ratio` (0 to 1) is the fraction of the accesses that are
    /// [`Persisting`](AccessProperty::Persisting); the rest are [`Streaming`](AccessProperty::Streaming).
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn persisting(memory: &impl WindowMemory, hit_ratio: f32) -> Result<Self> {
        Self::new(memory, hit_ratio, AccessProperty::Persisting, AccessProperty::Streaming)
    }

    /// Returns the address of the first byte on the device.
    #[must_use]
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// Returns the size in bytes, which is never 0.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the fraction of the accesses that get [`hit`](Self::hit).
    ///
    /// The fraction is from 0 to 1, or NaN if other code in the process set it for the stream that reported this
    /// window ([F155](crate::driver_facts#F155)).
    #[must_use]
    pub fn hit_ratio(&self) -> f32 {
        self.hit_ratio
    }

    /// Returns how the cache treats that fraction.
    #[must_use]
    pub fn hit(&self) -> AccessProperty {
        self.hit
    }

    /// Returns how the cache treats the other accesses.
    #[must_use]
    pub fn miss(&self) -> AccessProperty {
        self.miss
    }

    #[inline]
    pub(crate) fn raw(self) -> CUaccessPolicyWindow {
        CUaccessPolicyWindow {
            base_ptr: ptr::without_provenance_mut(self.address as usize),
            num_bytes: self.bytes,
            hitRatio: self.hit_ratio,
            hitProp: self.hit.raw(),
            missProp: self.miss.raw(),
        }
    }

    /// Returns the window that `call` reported, or `None` if its range is empty.
    #[inline]
    pub(crate) fn from_raw(call: &'static str, raw: CUaccessPolicyWindow) -> Result<Option<Self>> {
        if raw.num_bytes == 0 {
            return Ok(None);
        }
        Ok(Some(AccessPolicyWindow {
            address: raw.base_ptr.addr() as CUdeviceptr,
            bytes: raw.num_bytes,
            hit_ratio: raw.hitRatio,
            hit: AccessProperty::from_raw(call, raw.hitProp)?,
            miss: AccessProperty::from_raw(call, raw.missProp)?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_property_has_the_number_of_the_driver() {
        let all = [AccessProperty::Normal, AccessProperty::Streaming, AccessProperty::Persisting];
        assert_eq!(all.map(|property| property.raw().0), [0, 1, 2]);
        let back = |property: AccessProperty| AccessProperty::from_raw("call", property.raw());
        assert_eq!(all.map(back), all.map(Ok));
    }
}
