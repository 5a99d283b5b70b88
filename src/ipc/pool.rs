//! Pools of other processes.
#![allow(unsafe_code, reason = "calls the driver")]

use super::refusals::GONE;
use crate::call::{answer, later, name};
use crate::device::Device;
use crate::driver::capture_mode::{relaxed, release_relaxed};
use crate::driver::release::release;
use crate::error::wrong_descriptor;
use crate::error::{Error, Result};
use crate::memory::{BufferKind, DeviceBuffer, Element};
use crate::stack::PushedGuard;
use crate::sync::Arc;
use ffi::{CUdeviceptr, CUmemPoolPtrExportData, CUmemoryPool};
use static_assertions::assert_impl_all;
use std::ffi::c_int;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::{fmt, ptr};

/// A pool of another process: a shared owner that is cheap to clone.
///
/// The other process creates it by [`MemoryPool::create_shareable`](crate::MemoryPool::create_shareable), sends the file
/// descriptor of [`export`](crate::MemoryPool::export) and allocates from it. This process allocates nothing from it: it
/// [imports](PushedGuard::import_pooled) the buffers that the other process [exports](PushedGuard::export_pooled). What
/// was imported keeps the pool alive.
///
/// # Examples
/// ```no_run
/// use cuscope::ipc::{ImportedPool, PooledHandle};
/// use cuscope::{Context, ContextStack, Device, MemoryPool, Result};
/// use std::os::fd::{AsFd, OwnedFd};
/// # fn send(_: OwnedFd, _: &[u8]) {}
/// # fn receive() -> (OwnedFd, [u8; PooledHandle::SIZE]) { todo!() }
/// # fn wait_for_the_other_process() {}
///
/// fn exports() -> Result {
///     let context = Context::primary(Device::get(0)?)?;
///     let mut stack = ContextStack::current_thread()?;
///     let gpu = stack.push(&context)?;
///     let (stream, pool) = (gpu.stream()?, MemoryPool::create_shareable(gpu.device())?);
///     let mut x = gpu.on(&stream).alloc_from::<f32>(&pool, 1024)?;
///     gpu.on(&stream).fill(&mut x, 1.0)?; // complete when it returns
///     send(pool.export()?, &gpu.export_pooled(&x)?.to_bytes());
///     wait_for_the_other_process();
///     Ok(()) // the buffer lives until here
/// }
///
/// fn imports() -> Result {
///     let context = Context::primary(Device::get(0)?)?;
///     let mut stack = ContextStack::current_thread()?;
///     let gpu = stack.push(&context)?;
///     let (descriptor, bytes) = receive();
///     // SAFETY: the descriptor comes from `MemoryPool::export`, and is imported once.
///     let pool = unsafe { ImportedPool::import(descriptor.as_fd()) }?;
///     let handle = PooledHandle::from_bytes(bytes);
///     // SAFETY: the other process waits until this one has dropped the buffer, and the handle is imported once.
///     let x = unsafe { gpu.import_pooled::<f32>(&pool, &handle) }?;
///     println!("{:?}", gpu.on(&gpu.stream()?).to_vec(&x)?);
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct ImportedPool(Arc<Inner>);
assert_impl_all!(ImportedPool: Send, Sync);

struct Inner(CUmemoryPool);
// SAFETY: a pool is not tied to a thread or context (F170, F442). `Inner` is never mutated.
unsafe impl Send for Inner {}
// SAFETY: as for `Send`; the driver orders concurrent calls on one pool (CUDA driver API, "API thread safety").
unsafe impl Sync for Inner {}

impl Drop for Inner {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this is the only owner of the pool, which was imported and not destroyed. What was imported from it
        // is freed (`Freed`).
        release(|| unsafe { answer!(cuMemPoolDestroy(self.0)) }, || Inner(self.0));
    }
}

impl ImportedPool {
    /// Imports the pool of another process, or of this one. The descriptor may be closed afterwards.
    ///
    /// # Errors
    /// A driver error for what is no descriptor of a pool ([F442](crate::driver_facts#F442)).
    ///
    /// # Safety
    /// 1. The descriptor is one that [`MemoryPool::export`](crate::MemoryPool::export) returned.
    /// 2. This process has no other import of the pool: the driver would return the same pool again, and the first drop
    ///    would destroy it. Clone this value instead.
    #[doc(alias = "cuMemPoolImportFromShareableHandle")]
    #[inline]
    pub unsafe fn import(descriptor: BorrowedFd<'_>) -> Result<ImportedPool> {
        // Initializes the driver.
        Device::get(0)?;
        let (mut raw, kind) = (ptr::null_mut(), ffi::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
        let out = &raw mut raw;
        // The driver takes a descriptor as a pointer.
        let sent = ptr::without_provenance_mut(descriptor.as_raw_fd() as usize);
        // SAFETY: writes a handle to `raw`, which is valid for it. The descriptor is open and that of a pool (1). The
        // flags must be 0. The handle has one owner (2).
        relaxed(unsafe { later!(cuMemPoolImportFromShareableHandle(out, sent, kind, 0)) })
            .explain(|_| {
                Some(wrong_descriptor(descriptor, "a pool that `MemoryPool::export` returned"))
            })?;
        Ok(ImportedPool(Arc::new(Inner(raw))))
    }

    /// Returns the handle, for calls of [`ffi`]. It is valid while a clone lives. Do not destroy it.
    #[must_use]
    pub fn raw(&self) -> CUmemoryPool {
        self.0.0
    }
}

/// Two imports are equal if the driver's handles are.
impl PartialEq for ImportedPool {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.raw() == other.raw()
    }
}
impl Eq for ImportedPool {}

impl fmt::Debug for ImportedPool {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ImportedPool({:p})", self.raw())
    }
}

/// A handle by which another process imports a buffer of a pool: [`PushedGuard::export_pooled`].
///
/// It is plain bytes and keeps nothing alive. The other process also needs the [pool](ImportedPool).
#[derive(Clone, Copy)]
pub struct PooledHandle {
    raw: CUmemPoolPtrExportData,
    /// The bytes of the buffer.
    bytes: u64,
}

/// The bytes of the driver's description.
const RAW: usize = size_of::<CUmemPoolPtrExportData>();

impl PooledHandle {
    /// The number of bytes of a handle.
    pub const SIZE: usize = RAW + size_of::<u64>();

    /// Returns the handle as bytes, which another process of this machine understands.
    #[must_use]
    #[inline]
    pub fn to_bytes(&self) -> [u8; Self::SIZE] {
        let size = self.bytes.to_le_bytes();
        std::array::from_fn(|i| if i < RAW { self.raw.reserved[i] } else { size[i - RAW] })
    }

    /// Creates the handle that another process sent.
    #[must_use]
    #[inline]
    pub fn from_bytes(bytes: [u8; Self::SIZE]) -> PooledHandle {
        let raw = CUmemPoolPtrExportData { reserved: std::array::from_fn(|i| bytes[i]) };
        let bytes = u64::from_le_bytes(std::array::from_fn(|i| bytes[RAW + i]));
        PooledHandle { raw, bytes }
    }

    /// Returns the size of the buffer in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.bytes
    }
}

impl fmt::Debug for PooledHandle {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PooledHandle({} bytes)", self.bytes)
    }
}

/// Memory of another process's pool that is imported. The drop frees the import.
struct Opened {
    address: CUdeviceptr,
    _pool: ImportedPool,
}

impl Drop for Opened {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the address is one that the driver returned for an import, freed once. Nothing of this process uses
        // the memory any more (`idle-outside`). No context has to be current (F40).
        release_relaxed(unsafe { later!(cuMemFree_v2(self.address)) }, || Opened {
            address: self.address,
            _pool: self._pool.clone(),
        });
    }
}

/// # Pools of other processes
impl<'ctx> PushedGuard<'ctx> {
    /// Exports a buffer of a pool, so that another process of this machine can [import](Self::import_pooled) it.
    ///
    /// The buffer comes from a pool that was [created for it](crate::MemoryPool::create_shareable) and was
    /// [exported](crate::MemoryPool::export) before, and stays this process's. Keep it until every other process has
    /// dropped what it imported.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for an empty buffer, and for memory of another
    /// [kind](DeviceBuffer::kind); [`OtherContext`](Error::OtherContext); [`NotCurrent`](Error::NotCurrent);
    /// `CUDA_ERROR_INVALID_VALUE` for memory of another pool, and before the pool was exported
    /// ([F443](crate::driver_facts#F443)).
    #[doc(alias = "cuMemPoolExportPointer")]
    pub fn export_pooled<T: Element>(
        &self,
        buffer: &DeviceBuffer<'ctx, T>,
    ) -> Result<PooledHandle> {
        const CALL: &str = name!(cuMemPoolExportPointer);
        self.enter(CALL)?;
        if buffer.context() != self.context() {
            return Err(Error::OtherContext { call: CALL });
        }
        if buffer.kind() != BufferKind::StreamOrdered || buffer.size_bytes() == 0 {
            let reason = "only a buffer of `SyncStream::alloc_from` that is not empty goes to other processes with its pool";
            return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
        }
        let mut raw = CUmemPoolPtrExportData { reserved: [0; RAW] };
        // SAFETY: writes a description to `raw`, which is valid for it; the address is the start of an allocation of a
        // pool, which is alive.
        unsafe { answer!(cuMemPoolExportPointer(&raw mut raw, buffer.address())) }.explain(|_| {
            Some(
                "the pool of the buffer was not exported before, or not created for other processes: allocate \
                 from one of `MemoryPool::create_shareable`, and call its `export` first"
                    .to_owned(),
            )
        })?;
        Ok(PooledHandle { raw, bytes: buffer.size_bytes() as u64 })
    }

    /// Imports a buffer of another process, with the pool that it comes from. The drop frees the import, and not the
    /// buffer of the other process.
    ///
    /// Elements that the buffer does not hold whole are left out.
    ///
    /// # Errors
    /// A driver error for what is no handle, and for a handle of another pool ([F444](crate::driver_facts#F444));
    /// [`InvalidArgument`](Error::InvalidArgument) for elements of 0 bytes, and for a pool of another device;
    /// [`NotCurrent`](Error::NotCurrent).
    ///
    /// # Safety
    /// 1. The handle is one that [`export_pooled`](Self::export_pooled) returned, unchanged.
    /// 2. The exported buffer is not dropped before what was imported is dropped.
    /// 3. While an operation uses the imported memory, no other process writes it, nor reads it if the operation writes
    ///    it. Both sides order their work, such as by a message after a wait. The same holds between the imported
    ///    buffer and the exported one in one process.
    /// 4. This process has nothing else that it imported by a handle of this buffer: the first drop would free it.
    #[doc(alias = "cuMemPoolImportPointer")]
    pub unsafe fn import_pooled<T: Element>(
        &self,
        pool: &ImportedPool,
        handle: &PooledHandle,
    ) -> Result<DeviceBuffer<'ctx, T>> {
        const CALL: &str = name!(cuMemPoolImportPointer);
        self.enter(CALL)?;
        let Some(len) = handle.bytes.checked_div(size_of::<T>() as u64) else {
            let reason = "the elements have no bytes: import another type";
            return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
        };
        let (mut address, mut raw) = (0, handle.raw);
        // SAFETY: writes an address to `address` and reads `raw`, which are valid for it; a description of
        // `cuMemPoolExportPointer` (1). The pool is alive.
        unsafe { answer!(cuMemPoolImportPointer(&raw mut address, pool.raw(), &raw mut raw)) }
            .explain(|_| {
                Some(format!(
                    "the bytes are no handle of a buffer of this pool, or {GONE} the buffer"
                ))
            })?;
        let keep = Opened { address, _pool: pool.clone() };
        let (mut ordinal, of): (c_int, _) = (-1, ffi::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
        let out = (&raw mut ordinal).cast();
        // SAFETY: the attribute is an `int`, for which `out` is valid; the address is that of memory that is imported.
        unsafe { answer!(cuPointerGetAttribute(out, of, address)) }.check()?;
        if ordinal != self.context().device().raw() {
            let reason = format!(
                "the pool belongs to another device, {ordinal}, than the context, {}: import it in a context of the \
                 pool's device",
                self.context().device().ordinal()
            );
            return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
        }
        // SAFETY: 1. open until `keep` is dropped, as large as the handle says (1), not freed meanwhile (2), on the
        // device of the context. 2. as the caller promises (3, 4). 3. It is freed on any thread, under any context.
        unsafe { self.buffer_from_raw(address, len as usize, keep) }
    }
}
