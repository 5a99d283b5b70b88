//! Memory and events of other processes.
//!
//! A process exports a buffer as a [`MemoryHandle`], plain bytes that it sends over any channel. Another process imports
//! it as a buffer of its own: the same memory, without a copy. Physical memory goes to other processes as a file
//! descriptor: [`virtual_memory`](crate::virtual_memory). So does a [`MemoryPool`](crate::MemoryPool), as an
//! [`ImportedPool`]; its buffers follow one by one, each as a [`PooledHandle`]. The program
//! `share` of `cuscope-examples` sends both over a Unix socket.
//!
//! An event with [`EventFlags::INTERPROCESS`](crate::EventFlags::INTERPROCESS) goes the same way, as an [`EventHandle`].
//! A stream of one process then waits for a stream of another one, without the host.
//!
//! No call can see what other processes do with the memory, so importing is `unsafe`. The processes take turns:
//!
//! ```no_run
//! use cuscope::ipc::MemoryHandle;
//! use cuscope::{Context, ContextStack, Device, Result};
//! # fn send(_: &[u8]) {}
//! # fn receive() -> [u8; MemoryHandle::SIZE] { todo!() }
//! # fn wait_for_the_other_process() {}
//!
//! fn exports() -> Result {
//!     let context = Context::primary(Device::get(0)?)?;
//!     let mut stack = ContextStack::current_thread()?;
//!     let gpu = stack.push(&context)?;
//!     let mut x = gpu.alloc::<f32>(1024)?;
//!     gpu.on(&gpu.stream()?).fill(&mut x, 1.0)?; // complete when it returns
//!     send(&gpu.export_buffer(&x)?.to_bytes());
//!     wait_for_the_other_process();
//!     Ok(()) // the buffer lives until here
//! }
//!
//! fn imports() -> Result {
//!     let context = Context::primary(Device::get(0)?)?;
//!     let mut stack = ContextStack::current_thread()?;
//!     let gpu = stack.push(&context)?;
//!     let handle = MemoryHandle::from_bytes(receive());
//!     // SAFETY: the other process waits until this one has dropped the buffer, and the handle is imported once.
//!     let x = unsafe { gpu.import_buffer::<f32>(&handle) }?;
//!     println!("{:?}", gpu.on(&gpu.stream()?).to_vec(&x)?);
//!     Ok(())
//! }
//! ```
#![allow(unsafe_code, reason = "calls the driver")]

use crate::brand::Brand;
use crate::call::{answer, later, name};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::event::{Event, EventInner};
use crate::memory::object::release_in;
use crate::memory::{BufferKind, DeviceBuffer, Element};
use crate::stack::PushedGuard;
use ffi::{CUdeviceptr, CUipcEventHandle, CUipcMemHandle};
use std::sync::Arc;
use std::{fmt, ptr};

#[cfg(unix)]
mod pool;
mod refusals;
#[cfg(unix)]
pub use pool::{ImportedPool, PooledHandle};

/// A handle by which another process imports a buffer: [`PushedGuard::export_buffer`].
///
/// It is plain bytes and keeps nothing alive.
#[derive(Clone, Copy)]
pub struct MemoryHandle {
    raw: CUipcMemHandle,
    /// The bytes of the buffer.
    bytes: u64,
}

/// The bytes of the driver's handle.
const RAW: usize = size_of::<CUipcMemHandle>();

impl MemoryHandle {
    /// The number of bytes of a handle.
    pub const SIZE: usize = RAW + size_of::<u64>();

    /// Returns the handle as bytes, which another process of this machine understands.
    #[must_use]
    #[inline]
    pub fn to_bytes(&self) -> [u8; Self::SIZE] {
        let size = self.bytes.to_le_bytes();
        std::array::from_fn(|i| if i < RAW { self.raw.reserved[i] as u8 } else { size[i - RAW] })
    }

    /// Creates the handle that another process sent.
    #[must_use]
    #[inline]
    pub fn from_bytes(bytes: [u8; Self::SIZE]) -> MemoryHandle {
        let raw = CUipcMemHandle { reserved: std::array::from_fn(|i| bytes[i] as _) };
        let bytes = u64::from_le_bytes(std::array::from_fn(|i| bytes[RAW + i]));
        MemoryHandle { raw, bytes }
    }

    /// Returns the size of the buffer in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.bytes
    }
}

impl fmt::Debug for MemoryHandle {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryHandle({} bytes)", self.bytes)
    }
}

/// A handle by which another process imports an event: [`PushedGuard::export_event`].
///
/// It is plain bytes and keeps nothing alive.
#[derive(Clone, Copy)]
pub struct EventHandle(CUipcEventHandle);

impl EventHandle {
    /// The number of bytes of a handle.
    pub const SIZE: usize = size_of::<CUipcEventHandle>();

    /// Returns the handle as bytes, which another process of this machine understands.
    #[must_use]
    #[inline]
    pub fn to_bytes(&self) -> [u8; Self::SIZE] {
        self.0.reserved.map(|byte| byte as u8)
    }

    /// Creates the handle that another process sent.
    #[must_use]
    #[inline]
    pub fn from_bytes(bytes: [u8; Self::SIZE]) -> EventHandle {
        EventHandle(CUipcEventHandle { reserved: bytes.map(|byte| byte as _) })
    }
}

impl fmt::Debug for EventHandle {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventHandle")
    }
}

/// Memory of another process that is open. The drop closes it.
struct Opened {
    address: CUdeviceptr,
    context: Context,
}

impl Drop for Opened {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the address is one that the driver returned, closed once for each time. Nothing of this process uses
        // the memory any more (`idle-outside`). Some context has to be current (F402).
        release_in(&self.context, unsafe { later!(cuIpcCloseMemHandle(self.address)) }, || {
            Opened { address: self.address, context: self.context.clone() }
        });
    }
}

/// # Memory of other processes
impl<'ctx> PushedGuard<'ctx> {
    /// Exports a buffer, so that another process of this machine can [import](Self::import_buffer) it.
    ///
    /// The buffer is one of [`alloc`](Self::alloc), and stays this process's. Keep it until every other process has
    /// dropped what it imported.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for an empty buffer, and for memory of another
    /// [kind](DeviceBuffer::kind); [`OtherContext`](Error::OtherContext); [`NotCurrent`](Error::NotCurrent);
    /// `CUDA_ERROR_NOT_SUPPORTED` where no memory goes to other processes.
    #[doc(alias = "cuIpcGetMemHandle")]
    #[doc(alias = "cudaIpcGetMemHandle")]
    pub fn export_buffer<T: Element>(
        &self,
        buffer: &DeviceBuffer<'ctx, T>,
    ) -> Result<MemoryHandle> {
        const CALL: &str = name!(cuIpcGetMemHandle);
        self.enter(CALL)?;
        if buffer.context() != self.context() {
            return Err(Error::OtherContext { call: CALL });
        }
        if buffer.kind() != BufferKind::Plain || buffer.size_bytes() == 0 {
            let reason =
                "only a buffer of `PushedGuard::alloc` that is not empty goes to other processes";
            return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
        }
        let mut raw = CUipcMemHandle { reserved: [0; RAW] };
        // SAFETY: writes a handle to `raw`, which is valid for it; the address is the start of an allocation of
        // `cuMemAlloc`, which is alive, or of managed memory, which the driver refuses. Acts on the current context, which `enter` found to be the guard's.
        unsafe { answer!(cuIpcGetMemHandle(&raw mut raw, buffer.address())) }
            .explain(|code| refusals::export(buffer.address(), code))?;
        Ok(MemoryHandle { raw, bytes: buffer.size_bytes() as u64 })
    }

    /// Imports a buffer of another process. The drop closes it.
    ///
    /// Elements that the buffer does not hold whole are left out. Only one context of a device imports memory of a
    /// process.
    ///
    /// # Errors
    /// A driver error for what is no handle, and for a handle of this process; [`InvalidArgument`](Error::InvalidArgument)
    /// for elements of 0 bytes; [`NotCurrent`](Error::NotCurrent).
    ///
    /// # Safety
    /// 1. The handle is one that [`export_buffer`](Self::export_buffer) returned in another process, unchanged.
    /// 2. The other process does not drop the buffer before this one has dropped what it imported.
    /// 3. While an operation of this process uses the memory, no other process writes it, nor reads it if the operation
    ///    writes it. Both sides order their work, such as by a message after a wait.
    /// 4. This process has nothing else that it imported by this handle.
    #[doc(alias = "cuIpcOpenMemHandle")]
    #[doc(alias = "cuIpcCloseMemHandle")]
    #[doc(alias = "cudaIpcOpenMemHandle")]
    pub unsafe fn import_buffer<T: Element>(
        &self,
        handle: &MemoryHandle,
    ) -> Result<DeviceBuffer<'ctx, T>> {
        const CALL: &str = name!(cuIpcOpenMemHandle_v2);
        self.enter(CALL)?;
        let Some(len) = handle.bytes.checked_div(size_of::<T>() as u64) else {
            let reason = "the elements have no bytes: import another type";
            return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
        };
        let mut address = 0;
        let lazy = ffi::CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.bits();
        // SAFETY: writes an address to `address`, which is valid for it; a handle of `cuIpcGetMemHandle` (1), and this
        // flag, as the manual requires. Acts on the current context, which `enter` found to be the guard's.
        unsafe { answer!(cuIpcOpenMemHandle_v2(&raw mut address, handle.raw, lazy)) }
            .explain(refusals::import)?;
        let keep = Opened { address, context: self.context().clone() };
        // SAFETY: 1. open until `keep` is dropped, as large as the handle says (1), and not freed meanwhile (2). 2. as
        // the caller promises (3, 4). 3. It is closed on any thread, with its context current, or the driver refuses, which
        // the hook receives.
        unsafe { self.buffer_from_raw(address, len as usize, keep) }
    }
}

/// # Events of other processes
impl<'ctx> PushedGuard<'ctx> {
    /// Exports an event, so that another process of this machine can [import](Self::import_event) it.
    ///
    /// Keep the event until every other process has dropped what it imported.
    ///
    /// # Errors
    /// A driver error for an event without [`EventFlags::INTERPROCESS`](crate::EventFlags::INTERPROCESS);
    /// [`OtherContext`](Error::OtherContext); [`NotCurrent`](Error::NotCurrent).
    #[doc(alias = "cuIpcGetEventHandle")]
    #[inline]
    pub fn export_event(&self, event: &Event<'ctx>) -> Result<EventHandle> {
        const CALL: &str = name!(cuIpcGetEventHandle);
        self.enter(CALL)?;
        if event.context() != self.context() {
            return Err(Error::OtherContext { call: CALL });
        }
        let mut raw = CUipcEventHandle { reserved: [0; EventHandle::SIZE] };
        // SAFETY: writes a handle to `raw`, which is valid for it; the event is alive. Acts on the current context, which
        // `enter` found to be the guard's.
        unsafe { answer!(cuIpcGetEventHandle(&raw mut raw, event.raw())) }
            .explain(refusals::export_event)?;
        Ok(EventHandle(raw))
    }

    /// Imports an event of another process. Both processes record it, wait for it and query it.
    ///
    /// A wait is for the record that came last, of whichever process, when the wait was enqueued.
    ///
    /// If the other process dies, the event stays as it was ([F626](crate::driver_facts#F626)). Where it was not complete,
    /// waits for it [never end](crate::external#waits-that-never-end), on the host and on the device. So find out by other
    /// means whether the process lives, and wait with [a limit](Event::synchronize_timeout).
    ///
    /// # Errors
    /// A driver error for what is no handle, and for a handle of this process; [`NotCurrent`](Error::NotCurrent).
    ///
    /// # Safety
    /// 1. The handle is one that [`export_event`](Self::export_event) returned in another process, unchanged.
    /// 2. The other process does not drop the event before this one has dropped what it imported.
    #[doc(alias = "cuIpcOpenEventHandle")]
    #[inline]
    pub unsafe fn import_event(&self, handle: &EventHandle) -> Result<Event<'ctx>> {
        self.enter(name!(cuIpcOpenEventHandle))?;
        let mut raw = ptr::null_mut();
        // SAFETY: writes a handle to `raw`, which is valid for it; a handle of `cuIpcGetEventHandle` (1), whose event
        // lives (2). Acts on the current context, which `enter` found to be the guard's.
        unsafe { answer!(cuIpcOpenEventHandle(&raw mut raw, handle.0)) }
            .explain(refusals::import_event)?;
        let inner = Arc::new(EventInner::own(raw, self.context().clone()));
        Ok(Event { inner, _brand: Brand::new() })
    }
}
