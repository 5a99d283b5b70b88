//! Pools of device memory.
#![allow(unsafe_code, reason = "calls the driver, and says that a pool may be shared")]

use crate::call::answer;
use crate::device::Device;
use crate::driver::release::release;
use crate::error::Result;
use crate::sync::Arc;
use bitflags::bitflags;
use ffi::{CUmemPool_attribute, CUmemPoolProps, CUmemoryPool};
use static_assertions::assert_impl_all;
use std::ffi::{c_int, c_uchar, c_void};
use std::{fmt, ptr};

bitflags! {
    /// When a pool may use memory again that another stream has freed. All are on at first.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct PoolReuse: u32 {
        /// If an event orders the free before the allocation.
        const FOLLOW_EVENT_DEPENDENCIES = 1;
        /// If the free happens to be finished.
        const OPPORTUNISTIC = 2;
        /// By making the allocating stream wait for the free.
        const INTERNAL_DEPENDENCIES = 4;
    }
}

const REUSE: [(PoolReuse, CUmemPool_attribute); 3] = [
    (PoolReuse::FOLLOW_EVENT_DEPENDENCIES, ffi::CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES),
    (PoolReuse::OPPORTUNISTIC, ffi::CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC),
    (PoolReuse::INTERNAL_DEPENDENCIES, ffi::CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES),
];

/// What a pool holds, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PoolUsage {
    /// Taken from the device.
    pub reserved: u64,
    /// The most that was, since the last [`reset`](MemoryPool::reset_high_marks).
    pub reserved_high: u64,
    /// In use by buffers.
    pub used: u64,
    /// The most that was, since the last [`reset`](MemoryPool::reset_high_marks).
    pub used_high: u64,
}

/// A pool of device memory, from which [`OnStream::alloc`](crate::OnStream::alloc) and
/// [`alloc_from`](crate::OnStream::alloc_from) allocate: a shared owner of it, cheap to clone.
///
/// It is of a device, not of a context, and needs none (F170). Buffers keep the pool that they were
/// allocated from by name. The last clone destroys a pool that was [created](Self::create).
///
/// # Examples
/// ```
/// # use cuscope::{Context, ContextStack, Device, MemoryPool, Result};
/// # fn main() -> Result {
/// # let context = Context::primary(Device::get(0)?)?;
/// # let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let (stream, pool) = (gpu.stream()?, MemoryPool::create(gpu.device())?);
/// pool.set_release_threshold(1 << 30)?; // waits leave it a GiB to allocate from
/// for len in [1000, 2000, 3000] {
///     let scratch = gpu.on(&stream).alloc_from::<f32>(&pool, len)?;
///     drop(scratch); // in the order of the stream: waits for nothing
/// }
/// assert_eq!(pool.usage()?.used, 0);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct MemoryPool(Arc<Inner>);
assert_impl_all!(MemoryPool: Send, Sync);

struct Inner {
    raw: CUmemoryPool,
    device: Device,
    /// Whether this crate made it.
    owned: bool,
}
// SAFETY: a pool is not tied to a thread or context (F170). `Inner` is never mutated.
unsafe impl Send for Inner {}
// SAFETY: as for `Send`; the driver orders concurrent calls on one pool (CUDA driver API, "API
// thread safety").
unsafe impl Sync for Inner {}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: this is the only owner of the pool, which was created and not destroyed. Memory
            // that others still have from it stays until it is freed (F174).
            release(|| unsafe { answer!(cuMemPoolDestroy(self.raw)) });
        }
    }
}

impl MemoryPool {
    /// Creates a pool of a device's memory.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` or `CUDA_ERROR_INVALID_VALUE` where the device has no pools.
    #[doc(alias = "cuMemPoolCreate")]
    pub fn create(device: Device) -> Result<MemoryPool> {
        MemoryPool::create_with_limit(device, 0)
    }

    /// Creates a pool that holds no more than a number of bytes, rounded up by the driver; 0 is no
    /// limit (F177).
    ///
    /// # Errors
    /// As [`create`](Self::create); `CUDA_ERROR_OUT_OF_MEMORY` if the device has less.
    #[doc(alias = "cuMemPoolCreate")]
    pub fn create_with_limit(device: Device, bytes: usize) -> Result<MemoryPool> {
        let properties = CUmemPoolProps {
            allocType: ffi::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: ffi::CU_MEM_HANDLE_TYPE_NONE,
            location: ffi::CUmemLocation {
                r#type: ffi::CU_MEM_LOCATION_TYPE_DEVICE,
                anonymous: ffi::CUmemLocation_v1_anonymous { id: device.raw() },
            },
            win32SecurityAttributes: ptr::null_mut(),
            maxSize: bytes,
            usage: 0,
            gpuDirectRDMACapable: 0,
            reserved: [0 as c_uchar; 53],
        };
        let mut raw = ptr::null_mut();
        // SAFETY: reads `properties` and writes one handle to `raw`, both valid for it.
        unsafe { answer!(cuMemPoolCreate(&raw mut raw, &raw const properties)) }.check()?;
        Ok(MemoryPool(Arc::new(Inner { raw, device, owned: true })))
    }

    /// The pool that a device has from the start, and allocates from unless another one is
    /// [set](Self::make_current).
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuDeviceGetDefaultMemPool")]
    pub fn default_of(device: Device) -> Result<MemoryPool> {
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to `raw`, which is valid for it.
        unsafe { answer!(cuDeviceGetDefaultMemPool(&raw mut raw, device.raw())) }.check()?;
        Ok(MemoryPool(Arc::new(Inner { raw, device, owned: false })))
    }

    /// Makes [`OnStream::alloc`](crate::OnStream::alloc), and all other code of the process that names
    /// no pool, allocate from this one, until another is set or this one is destroyed (F174).
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuDeviceSetMemPool")]
    pub fn make_current(&self) -> Result {
        // SAFETY: the pool is alive, and of the device.
        unsafe { answer!(cuDeviceSetMemPool(self.device().raw(), self.raw())) }.result()
    }

    /// Whether its device allocates from this pool.
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuDeviceGetMemPool")]
    pub fn is_current(&self) -> Result<bool> {
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to `raw`, which is valid for it, and is only compared.
        unsafe { answer!(cuDeviceGetMemPool(&raw mut raw, self.device().raw())) }.check()?;
        Ok(raw == self.raw())
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// The handle, for calls of [`ffi`]. It is valid while a clone lives; do not destroy it.
    #[must_use]
    pub fn raw(&self) -> CUmemoryPool {
        self.0.raw
    }

    /// Gives memory that no buffer uses back to the device, and keeps a number of bytes at least. What
    /// a stream has yet to free is in use (F173).
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuMemPoolTrimTo")]
    pub fn trim_to(&self, bytes: usize) -> Result {
        // SAFETY: the pool is alive; what is in use stays.
        unsafe { answer!(cuMemPoolTrimTo(self.raw(), bytes)) }.result()
    }

    /// The bytes that the pool keeps when the program waits for work; 0 at first, so that all that no
    /// buffer uses goes back to the device then (F173).
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuMemPoolGetAttribute")]
    pub fn release_threshold(&self) -> Result<u64> {
        self.bytes(ffi::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
    }

    /// Sets the bytes that the pool keeps; [`u64::MAX`] is all.
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuMemPoolSetAttribute")]
    pub fn set_release_threshold(&self, bytes: u64) -> Result {
        self.set(ffi::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, bytes)
    }

    /// When memory may be used again that another stream has freed.
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuMemPoolGetAttribute")]
    pub fn reuse(&self) -> Result<PoolReuse> {
        let mut reuse = PoolReuse::empty();
        for (flag, attribute) in REUSE {
            let mut on: c_int = 0;
            // SAFETY: the attribute is an `int`.
            unsafe { self.get(attribute, (&raw mut on).cast()) }?;
            reuse.set(flag, on != 0);
        }
        Ok(reuse)
    }

    /// Sets when memory may be used again that another stream has freed.
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuMemPoolSetAttribute")]
    pub fn set_reuse(&self, reuse: PoolReuse) -> Result {
        REUSE.iter().try_for_each(|&(flag, attribute)| {
            self.set(attribute, c_int::from(reuse.contains(flag)))
        })
    }

    /// What the pool holds.
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuMemPoolGetAttribute")]
    pub fn usage(&self) -> Result<PoolUsage> {
        Ok(PoolUsage {
            reserved: self.bytes(ffi::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?,
            reserved_high: self.bytes(ffi::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH)?,
            used: self.bytes(ffi::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?,
            used_high: self.bytes(ffi::CU_MEMPOOL_ATTR_USED_MEM_HIGH)?,
        })
    }

    /// Sets the high marks of [`usage`](Self::usage) to what is held now.
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuMemPoolSetAttribute")]
    pub fn reset_high_marks(&self) -> Result {
        self.set(ffi::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 0_u64)?;
        self.set(ffi::CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0_u64)
    }

    fn bytes(&self, attribute: CUmemPool_attribute) -> Result<u64> {
        let mut bytes = 0_u64;
        // SAFETY: the attribute is a `cuuint64_t`.
        unsafe { self.get(attribute, (&raw mut bytes).cast()) }?;
        Ok(bytes)
    }

    /// # Safety
    /// `value` is valid for a write of the attribute's type.
    unsafe fn get(&self, attribute: CUmemPool_attribute, value: *mut c_void) -> Result {
        // SAFETY: the pool is alive; `value` is the caller's obligation.
        unsafe { answer!(cuMemPoolGetAttribute(self.raw(), attribute, value)) }.result()
    }

    /// `T` is the attribute's type.
    fn set<T>(&self, attribute: CUmemPool_attribute, mut value: T) -> Result {
        let value = (&raw mut value).cast();
        // SAFETY: the pool is alive; `value` leads to a value of the attribute's type: a `c_int` for
        // those of `REUSE`, a `u64` for the others.
        unsafe { answer!(cuMemPoolSetAttribute(self.raw(), attribute, value)) }.result()
    }
}

/// Equal if the driver's handles are.
impl PartialEq for MemoryPool {
    fn eq(&self, other: &Self) -> bool {
        self.raw() == other.raw()
    }
}
impl Eq for MemoryPool {}

impl fmt::Debug for MemoryPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryPool({:p} of {:?})", self.raw(), self.device())
    }
}
