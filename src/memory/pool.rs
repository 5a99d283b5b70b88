//! Pools of memory, of a device or of the host.
#![allow(unsafe_code, reason = "calls the driver, and says that a pool may be shared")]

use crate::call::{answer, name};
use crate::device::Device;
use crate::driver::release::release;
use crate::error::{Error, Result};
use crate::memory::{Location, refusals};
use crate::sync::Arc;
use crate::virtual_memory::location;
#[cfg(unix)]
use crate::{call::later, driver::capture_mode::relaxed};
use ffi::{
    CUdeviceptr, CUmemAccessDesc, CUmemAllocationHandleType, CUmemPool_attribute, CUmemPoolProps,
    CUmemoryPool, CUstream,
};
use static_assertions::assert_impl_all;
use std::ffi::{c_int, c_uchar, c_void};
use std::{fmt, ptr};

#[cfg(unix)]
use std::os::fd::{FromRawFd, OwnedFd};

ffi::flags! {
    /// Conditions under which a pool may reuse memory that another stream has freed. All are on by default.
    pub struct PoolReuse: u32 {
        /// An event orders the free before the allocation.
        const FOLLOW_EVENT_DEPENDENCIES = 1;
        /// The free happens to be complete.
        const OPPORTUNISTIC = 2;
        /// The driver makes the allocating stream wait for the free.
        const INTERNAL_DEPENDENCIES = 4;
    }
}

const REUSE: [(PoolReuse, CUmemPool_attribute); 3] = [
    (PoolReuse::FOLLOW_EVENT_DEPENDENCIES, ffi::CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES),
    (PoolReuse::OPPORTUNISTIC, ffi::CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC),
    (PoolReuse::INTERNAL_DEPENDENCIES, ffi::CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES),
];

/// The memory of all pools here: it stays where it is.
const PINNED: ffi::CUmemAllocationType = ffi::CU_MEM_ALLOCATION_TYPE_PINNED;

/// The access of a device to the memory of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PoolAccess {
    /// None.
    None,
    /// Reading and writing.
    ReadWrite,
}

/// The usage of a pool, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PoolUsage {
    /// Bytes reserved from the device.
    pub reserved: u64,
    /// Peak reserved bytes since the last [`reset`](MemoryPool::reset_high_marks).
    pub reserved_high: u64,
    /// Bytes in use by buffers.
    pub used: u64,
    /// Peak used bytes since the last [`reset`](MemoryPool::reset_high_marks).
    pub used_high: u64,
}

/// A pool of memory at one [`Location`]: a shared owner that is cheap to clone.
///
/// [`SyncStream::alloc`](crate::SyncStream::alloc) and [`alloc_from`](crate::SyncStream::alloc_from) allocate
/// from the pools of a device, and [`alloc_pinned_from`](crate::SyncStream::alloc_pinned_from) from those of the host. A
/// pool needs no context ([F170](crate::driver_facts#F170)). A buffer keeps the pool alive that it was allocated from. The
/// last clone destroys a pool that was [created](Self::create).
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
#[doc(alias = "cudaMemPool_t")]
#[derive(Clone)]
pub struct MemoryPool(Arc<Inner>);
assert_impl_all!(MemoryPool: Send, Sync);

struct Inner {
    raw: CUmemoryPool,
    place: Location,
    /// Whether this crate created it.
    owned: bool,
}
// SAFETY: a pool is not tied to a thread or context (F170). `Inner` is never mutated.
unsafe impl Send for Inner {}
// SAFETY: as for `Send`; the driver orders concurrent calls on one pool (CUDA driver API, "API
// thread safety").
unsafe impl Sync for Inner {}

impl Drop for Inner {
    #[inline]
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: this is the only owner of the pool, which was created and not destroyed. Memory
            // that others still have from it stays until it is freed (F174).
            release(|| unsafe { answer!(cuMemPoolDestroy(self.raw)) }, || Inner { ..*self });
        }
    }
}

impl MemoryPool {
    /// Creates a pool of the memory of a [`Device`], or of page-locked memory at another [`Location`]: of the host or of
    /// one of its NUMA nodes.
    ///
    /// Every device gets access to a pool of the host, so that kernels use its memory as other page-locked memory.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` or `CUDA_ERROR_INVALID_VALUE` if there are no pools at the place, as for
    /// [`Location::HostNumaCurrent`] ([F450](crate::driver_facts#F450)).
    #[doc(alias = "cuMemPoolCreate")]
    pub fn create(place: impl Into<Location>) -> Result<MemoryPool> {
        MemoryPool::create_with_limit(place, 0)
    }

    /// Creates a pool that holds at most `bytes` bytes. The driver rounds the number up, and 0 means no limit
    /// ([F177](crate::driver_facts#F177)).
    ///
    /// # Errors
    /// The errors of [`create`](Self::create); `CUDA_ERROR_OUT_OF_MEMORY` if the place has less.
    #[doc(alias = "cuMemPoolCreate")]
    pub fn create_with_limit(place: impl Into<Location>, bytes: usize) -> Result<MemoryPool> {
        MemoryPool::create_for(place.into(), bytes, ffi::CU_MEM_HANDLE_TYPE_NONE)
    }

    /// Creates a pool that other processes can [import](crate::ipc::ImportedPool), with the buffers that this process
    /// allocates from it ([F440](crate::driver_facts#F440)).
    ///
    /// # Errors
    /// The errors of [`create`](Self::create); `CUDA_ERROR_NOT_SUPPORTED` if the device shares no pools by file
    /// descriptors.
    #[cfg(unix)]
    #[doc(alias = "cuMemPoolCreate")]
    #[inline]
    pub fn create_shareable(device: Device) -> Result<MemoryPool> {
        let kind = ffi::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        MemoryPool::create_for(device.into(), 0, kind)
    }

    /// Returns a file descriptor by which another process can [import](crate::ipc::ImportedPool) the pool. Send it over
    /// a socket, or let a child process inherit it.
    ///
    /// # Errors
    /// A driver error for a pool that was not [created for it](Self::create_shareable).
    #[cfg(unix)]
    #[doc(alias = "cuMemPoolExportToShareableHandle")]
    #[inline]
    pub fn export(&self) -> Result<OwnedFd> {
        let (mut descriptor, kind) = (-1, ffi::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
        let out = (&raw mut descriptor).cast();
        // SAFETY: the pool is alive; a handle of this kind is a `c_int`, for which `out` is valid. The flags must be 0.
        relaxed(unsafe { later!(cuMemPoolExportToShareableHandle(out, self.raw(), kind, 0)) }).explain(
            |_| {
                Some(
                    "the pool was created for this process alone: create it with `MemoryPool::create_shareable`"
                        .to_owned(),
                )
            },
        )?;
        // SAFETY: the manual of cuMemPoolExportToShareableHandle: it creates the descriptor, which is closed by its
        // owner (F441).
        Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
    }

    #[inline]
    fn create_for(
        place: Location,
        bytes: usize,
        handles: CUmemAllocationHandleType,
    ) -> Result<MemoryPool> {
        let properties = CUmemPoolProps {
            allocType: PINNED,
            handleTypes: handles,
            location: place.raw(),
            win32SecurityAttributes: ptr::null_mut(),
            maxSize: bytes,
            usage: 0,
            gpuDirectRDMACapable: 0,
            reserved: [0 as c_uchar; 53],
        };
        let mut raw = ptr::null_mut();
        let shared = handles != ffi::CU_MEM_HANDLE_TYPE_NONE;
        // SAFETY: reads `properties` and writes one handle to `raw`, both valid for it.
        unsafe { answer!(cuMemPoolCreate(&raw mut raw, &raw const properties)) }
            .explain(|code| refusals::no_pool(place, shared, bytes, code))?;
        MemoryPool(Arc::new(Inner { raw, place, owned: true })).with_access()
    }

    /// Gives every device access to a pool of the host.
    #[inline]
    fn with_access(self) -> Result<MemoryPool> {
        if !matches!(self.location(), Location::Device(_)) {
            for device in Device::all()? {
                self.set_access(device, PoolAccess::ReadWrite)?;
            }
        }
        Ok(self)
    }

    /// Returns the default pool of a [`Device`] or of another [`Location`]. The place allocates from it unless you
    /// [set](Self::make_current) another one. Every device gets access to the pool if it is one of the host.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if there are no pools at the place; [`NeedsDriver`](Error::NeedsDriver) for a pool of the host.
    #[doc(alias = "cuDeviceGetDefaultMemPool")]
    #[doc(alias = "cuMemGetDefaultMemPool")]
    pub fn default_of(place: impl Into<Location>) -> Result<MemoryPool> {
        let (place, mut raw) = (place.into(), ptr::null_mut());
        match place {
            Location::Device(device) => {
                // SAFETY: writes one handle to `raw`, which is valid for it.
                unsafe { answer!(cuDeviceGetDefaultMemPool(&raw mut raw, device.raw())) }
                    .check()?;
            }
            _ => {
                let (get, mut at) = (ffi::cuMemGetDefaultMemPool()?, place.raw());
                let (out, at) = (&raw mut raw, &raw mut at);
                // SAFETY: writes one handle to `raw` and reads the place, which are valid for it.
                unsafe { answer!(cuMemGetDefaultMemPool = get(out, at, PINNED)) }
                    .explain(|code| refusals::no_pool(place, false, 0, code))?;
            }
        }
        MemoryPool(Arc::new(Inner { raw, place, owned: false })).with_access()
    }

    /// Returns the current pool of a device.
    pub(super) fn current_of(device: Device) -> Result<MemoryPool> {
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to `raw`, which is valid for it.
        unsafe { answer!(cuDeviceGetMemPool(&raw mut raw, device.raw())) }.check()?;
        Ok(MemoryPool(Arc::new(Inner { raw, place: device.into(), owned: false })))
    }

    /// Makes this the current pool of its place. [`SyncStream::alloc`](crate::SyncStream::alloc), and all
    /// other code of the process that passes no pool, allocate from it until another pool is set or this one is
    /// destroyed ([F174](crate::driver_facts#F174)).
    ///
    /// # Errors
    /// A driver error; [`NeedsDriver`](Error::NeedsDriver) for a pool of the host.
    #[doc(alias = "cuDeviceSetMemPool")]
    #[doc(alias = "cuMemSetMemPool")]
    #[inline]
    pub fn make_current(&self) -> Result {
        match self.location() {
            Location::Device(device) => {
                // SAFETY: the pool is alive, and of the device.
                unsafe { answer!(cuDeviceSetMemPool(device.raw(), self.raw())) }.result()
            }
            place => {
                let (set, mut at) = (ffi::cuMemSetMemPool()?, place.raw());
                let at = &raw mut at;
                // SAFETY: the pool is alive, and of the place, which is valid for reads.
                unsafe { answer!(cuMemSetMemPool = set(at, PINNED, self.raw())) }.result()
            }
        }
    }

    /// Returns whether this is the current pool of its place.
    ///
    /// # Errors
    /// A driver error; [`NeedsDriver`](Error::NeedsDriver) for a pool of the host.
    #[doc(alias = "cuDeviceGetMemPool")]
    #[doc(alias = "cuMemGetMemPool")]
    #[inline]
    pub fn is_current(&self) -> Result<bool> {
        let mut raw = ptr::null_mut();
        match self.location() {
            Location::Device(device) => {
                // SAFETY: writes one handle to `raw`, which is valid for it, and is only compared.
                unsafe { answer!(cuDeviceGetMemPool(&raw mut raw, device.raw())) }.check()?;
            }
            place => {
                let (get, mut at) = (ffi::cuMemGetMemPool()?, place.raw());
                let (out, at) = (&raw mut raw, &raw mut at);
                // SAFETY: as above; the place is valid for reads.
                unsafe { answer!(cuMemGetMemPool = get(out, at, PINNED)) }.check()?;
            }
        }
        Ok(raw == self.raw())
    }

    /// Returns the place.
    #[must_use]
    pub fn location(&self) -> Location {
        self.0.place
    }

    /// Returns the handle, for calls of [`ffi`]. It is valid while a clone lives. Do not destroy it.
    #[must_use]
    pub fn raw(&self) -> CUmemoryPool {
        self.0.raw
    }

    /// Returns unused memory to the device, but keeps at least `bytes` bytes. Memory that a stream has yet to
    /// free is in use ([F173](crate::driver_facts#F173)).
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuMemPoolTrimTo")]
    #[inline]
    pub fn trim_to(&self, bytes: usize) -> Result {
        // SAFETY: the pool is alive; what is in use stays.
        unsafe { answer!(cuMemPoolTrimTo(self.raw(), bytes)) }.result()
    }

    /// Returns the number of bytes that the pool keeps when the program waits for work. The default is 0: all
    /// unused memory then returns to the device ([F173](crate::driver_facts#F173)).
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuMemPoolGetAttribute")]
    #[inline]
    pub fn release_threshold(&self) -> Result<u64> {
        self.bytes(ffi::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
    }

    /// Sets the number of bytes that the pool keeps when the program waits. [`u64::MAX`] keeps everything.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuMemPoolSetAttribute")]
    #[inline]
    pub fn set_release_threshold(&self, bytes: u64) -> Result {
        self.set(ffi::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, bytes)
    }

    /// Returns when memory that another stream has freed may be reused.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuMemPoolGetAttribute")]
    #[inline]
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

    /// Sets when memory that another stream has freed may be reused.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuMemPoolSetAttribute")]
    #[inline]
    pub fn set_reuse(&self, reuse: PoolReuse) -> Result {
        REUSE.iter().try_for_each(|&(flag, attribute)| {
            self.set(attribute, c_int::from(reuse.contains(flag)))
        })
    }

    /// Sets the access of a device to all memory of the pool, also to memory that is allocated later
    /// ([F343](crate::driver_facts#F343)). The pool's own device always has access.
    ///
    /// Kernels of a device with access may load and store this memory. They take it by its
    /// [address](crate::DeviceBuffer::address), as
    /// [`enable_peer_access`](crate::PushedGuard::enable_peer_access) says, which gives access to other memory. Copies
    /// such as [`SyncStream::copy_from_peer`](crate::SyncStream::copy_from_peer) work without access.
    ///
    /// If you take the access away while a kernel of the device uses the memory, the kernel may fault
    /// ([F345](crate::driver_facts#F345)), which costs the process its GPUs ([F85](crate::driver_facts#F85)).
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for [`PoolAccess::None`] and the pool's own device, and for a device that
    /// [cannot access](Device::can_access_peer) the pool's device ([F344](crate::driver_facts#F344)).
    ///
    /// # Examples
    /// ```
    /// use cuscope::{Device, MemoryPool, memory::PoolAccess};
    ///
    /// # fn main() -> cuscope::Result {
    /// let devices = Device::all()?;
    /// let pool = MemoryPool::create(devices[0])?;
    /// for &device in &devices[1..] {
    ///     if device.can_access_peer(devices[0])? {
    ///         pool.set_access(device, PoolAccess::ReadWrite)?;
    ///         assert_eq!(pool.access(device)?, PoolAccess::ReadWrite);
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuMemPoolSetAccess")]
    #[inline]
    pub fn set_access(&self, device: Device, access: PoolAccess) -> Result {
        let flags = match access {
            PoolAccess::None => ffi::CU_MEM_ACCESS_FLAGS_PROT_NONE,
            PoolAccess::ReadWrite => ffi::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        let one = CUmemAccessDesc { location: location(device), flags };
        // SAFETY: the pool is alive; reads one description at `one`, which is valid for it.
        unsafe { answer!(cuMemPoolSetAccess(self.raw(), &raw const one, 1)) }
            .explain(|_| refusals::pool_access(self.location(), device))
    }

    /// Returns the access of a device to the memory of the pool.
    ///
    /// # Errors
    /// [`Error::UnknownValue`] for an access that has no name here; a driver error.
    #[doc(alias = "cuMemPoolGetAccess")]
    #[inline]
    pub fn access(&self, device: Device) -> Result<PoolAccess> {
        let (mut flags, mut of) = (ffi::CU_MEM_ACCESS_FLAGS_PROT_NONE, location(device));
        // SAFETY: the pool is alive; reads a location at `of` and writes flags to `flags`, which are valid for them.
        unsafe { answer!(cuMemPoolGetAccess(&raw mut flags, self.raw(), &raw mut of)) }.check()?;
        match flags {
            ffi::CU_MEM_ACCESS_FLAGS_PROT_NONE => Ok(PoolAccess::None),
            ffi::CU_MEM_ACCESS_FLAGS_PROT_READWRITE => Ok(PoolAccess::ReadWrite),
            _ => Err(Error::UnknownValue { call: name!(cuMemPoolGetAccess), value: flags.0 }),
        }
    }

    /// Returns the usage of the pool.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuMemPoolGetAttribute")]
    #[inline]
    pub fn usage(&self) -> Result<PoolUsage> {
        Ok(PoolUsage {
            reserved: self.bytes(ffi::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?,
            reserved_high: self.bytes(ffi::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH)?,
            used: self.bytes(ffi::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?,
            used_high: self.bytes(ffi::CU_MEMPOOL_ATTR_USED_MEM_HIGH)?,
        })
    }

    /// Resets the peak values of [`usage`](Self::usage) to the current ones.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuMemPoolSetAttribute")]
    #[inline]
    pub fn reset_high_marks(&self) -> Result {
        self.set(ffi::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 0_u64)?;
        self.set(ffi::CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0_u64)
    }

    #[inline]
    fn bytes(&self, attribute: CUmemPool_attribute) -> Result<u64> {
        let mut bytes = 0_u64;
        // SAFETY: the attribute is a `cuuint64_t`.
        unsafe { self.get(attribute, (&raw mut bytes).cast()) }?;
        Ok(bytes)
    }

    /// # Safety
    /// `value` is valid for a write of the attribute's type.
    #[inline]
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

impl MemoryPool {
    /// Checks that it can allocate in the order of a stream on this device.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument).
    #[inline]
    pub(crate) fn check_device(&self, device: Device) -> Result {
        let reason = match self.location() {
            Location::Device(own) if own == device => return Ok(()),
            Location::Device(_) => {
                "the pool and the stream belong to different devices: use a pool of the stream's device"
            }
            _ => "the pool has memory of the host: use `SyncStream::alloc_pinned_from`",
        };
        Err(Error::InvalidArgument { call: name!(cuMemAllocFromPoolAsync), reason: reason.into() })
    }

    /// Checks that it is a pool of the host.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument).
    #[inline]
    pub(crate) fn check_host(&self) -> Result {
        if !matches!(self.location(), Location::Device(_)) {
            return Ok(());
        }
        let reason = "the pool has memory of a device: use a pool of `Location::Host`";
        Err(Error::InvalidArgument { call: name!(cuMemAllocFromPoolAsync), reason: reason.into() })
    }
}

/// Allocates from a pool, or from the current one of the device, in the order of a stream of that.
///
/// # Errors
/// A driver error: `CUDA_ERROR_OUT_OF_MEMORY` after all streams of the device gave their kept blocks back.
///
/// # Safety
/// 1. The stream and the pool are alive, and the pool is of the stream's device or of the host.
#[inline]
pub(crate) unsafe fn allocate(
    bytes: usize,
    pool: Option<&MemoryPool>,
    stream: CUstream,
    device: impl FnOnce() -> Device,
) -> Result<CUdeviceptr> {
    let mut address = 0;
    let into = &raw mut address;
    let make = move || match pool {
        // SAFETY: writes one address to `address`, which is valid for it; the stream is alive (1), and no context need
        // be current (F40).
        None => unsafe { answer!(cuMemAllocAsync(into, bytes, stream)) },
        // SAFETY: as above, and the pool is alive (1).
        Some(pool) => unsafe { answer!(cuMemAllocFromPoolAsync(into, bytes, pool.raw(), stream)) },
    };
    refusals::pooled(device, pool, bytes, make)?;
    Ok(address)
}

/// Two pools are equal if the driver's handles are.
impl PartialEq for MemoryPool {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.raw() == other.raw()
    }
}
impl Eq for MemoryPool {}

impl fmt::Debug for MemoryPool {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryPool({:p} of {:?})", self.raw(), self.location())
    }
}
