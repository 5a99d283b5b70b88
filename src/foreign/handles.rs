//! Streams, events and memory of other code, with what keeps them alive.
#![allow(unsafe_code, reason = "calls the driver, with handles that the caller vouches for")]

use crate::brand::Brand;
use crate::call::{answer, name};
use crate::error::{Error, Reason, Result};
use crate::event::{Event, EventInner};
use crate::memory::{Allocation, DeviceBuffer, Element, may_be_used, size_for};
use crate::owned::{Keep, StreamInner};
use crate::stack::PushedGuard;
use crate::stream::{Stream, StreamFlags};
use crate::sync::Arc;
use ffi::{CUdeviceptr, CUevent, CUstream};
use std::marker::PhantomData;
use std::ptr;

/// The largest handle that stands for a default stream.
const DEFAULT_STREAMS: usize = 2;

/// # Handles of other code
impl<'ctx> PushedGuard<'ctx> {
    /// Takes a stream of other code, together with a value that keeps it alive.
    ///
    /// The stream is used as any other one. It is never destroyed here: `keep` is dropped when the [`Stream`] and
    /// everything that owns it is gone. Work may still be in flight in the stream then. A
    /// [capture](Self::capture) uses a stream alike in its place.
    ///
    /// Other code may go on to use the stream. Waits of this crate then wait for its work too.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for null and the handles 1 and 2, which stand for default streams;
    /// [`OtherContext`](Error::OtherContext); [`NotCurrent`](Error::NotCurrent); a driver error. `keep` is dropped
    /// then.
    ///
    /// # Safety
    /// 1. `raw` is null, 1, 2, or a stream of this process that is alive, and stays so until `keep` is dropped.
    /// 2. Until then nobody captures it.
    /// 3. `keep` may be dropped on any thread, under any context.
    ///
    /// # Examples
    /// ```
    /// use cuscope::{Context, ContextStack, Device, Result, ffi};
    ///
    /// /// A stream as other code owns it.
    /// struct Theirs(usize);
    /// impl Drop for Theirs {
    ///     fn drop(&mut self) {
    ///         // SAFETY: the only owner of a stream that is alive.
    ///         unsafe { ffi::cuStreamDestroy_v2(self.0 as ffi::CUstream) };
    ///     }
    /// }
    ///
    /// # fn main() -> Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// let gpu = stack.push(&context)?;
    /// let mut raw = std::ptr::null_mut();
    /// // SAFETY: `raw` is valid for one handle, and a context is current.
    /// assert_eq!(unsafe { ffi::cuStreamCreate(&raw mut raw, 1) }, ffi::CUDA_SUCCESS);
    /// // SAFETY: 1. `Theirs` destroys it. 2. and 3. Nothing captures it, and it is destroyed anywhere.
    /// let stream = unsafe { gpu.stream_from_raw(raw, Theirs(raw as usize)) }?;
    /// let mut x = gpu.alloc::<u32>(4)?;
    /// gpu.on(&stream).fill(&mut x, 7)?;
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuStreamGetCtx")]
    #[doc(alias = "cuStreamGetFlags")]
    pub unsafe fn stream_from_raw(
        &self,
        raw: CUstream,
        keep: impl Send + 'static,
    ) -> Result<Stream<'ctx>> {
        const CALL: &str = name!(cuStreamGetCtx);
        let keep = Keep::new(keep);
        if raw.addr() <= DEFAULT_STREAMS {
            let reason = "the handle stands for a default stream, which is no handle here: use `on_legacy_default` or \
                          `on_per_thread_default`, or give this crate a stream of its own";
            return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
        }
        self.enter(CALL)?;
        let mut context = ptr::null_mut();
        // SAFETY: the stream is alive (1); writes one handle to `context`, which is valid for it.
        unsafe { answer!(cuStreamGetCtx(raw, &raw mut context)) }.result()?;
        if context != self.context().raw() {
            return Err(Error::OtherContext { call: CALL });
        }
        let mut flags = 0;
        // SAFETY: the stream is alive (1) and not under capture (2), which this would spoil (F142); writes one
        // `c_uint` to `flags`, which is valid for it.
        unsafe { answer!(cuStreamGetFlags(raw, &raw mut flags)) }.result()?;
        let flags = StreamFlags::from_bits_retain(flags);
        let inner = StreamInner::new(raw, self.context().clone(), flags, Some(keep));
        Ok(Stream { inner: Arc::new(inner), _brand: Brand::new() })
    }

    /// Takes an event of other code, together with a value that keeps it alive.
    ///
    /// It is never destroyed here: `keep` is dropped when the [`Event`] and everything that owns it is gone.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for null. `keep` is dropped then.
    ///
    /// # Safety
    /// 1. `raw` is null, or an event of this process that is alive, and stays so until `keep` is dropped.
    /// 2. It belongs to the context of this guard. The driver cannot be asked for it.
    /// 3. `keep` may be dropped on any thread, under any context.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device, Result, ffi};
    /// # fn main() -> Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// # let stream = gpu.stream()?;
    /// # let theirs = gpu.event()?; // plays other code
    /// # let raw = theirs.raw();
    /// # let keep = theirs.detach();
    /// // Other code recorded `raw` behind its work, and `keep` owns it.
    /// // SAFETY: 1. to 3. `keep` destroys the event, which is of this context, anywhere.
    /// let theirs = unsafe { gpu.event_from_raw(raw, keep) }?;
    /// gpu.on(&stream).wait(&theirs)?; // later work of this stream comes behind
    /// # Ok(()) }
    /// ```
    pub unsafe fn event_from_raw(
        &self,
        raw: CUevent,
        keep: impl Send + 'static,
    ) -> Result<Event<'ctx>> {
        let keep = Keep::new(keep);
        if raw.is_null() {
            let (call, reason) =
                ("PushedGuard::event_from_raw", "the handle is null: no event was created");
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        }
        let inner = EventInner::foreign(raw, self.context().clone(), keep);
        Ok(Event { inner: std::sync::Arc::new(inner), _brand: Brand::new() })
    }

    /// Takes device memory of other code, `len` elements from an address, together with a value that keeps it alive.
    ///
    /// The memory is used as any other buffer, of the [kind](DeviceBuffer::kind)
    /// [`Foreign`](crate::memory::BufferKind::Foreign). It is never freed here: `keep` is dropped when the buffer and
    /// everything that owns its memory is gone, such as a graph, and no safe work on it is in flight. An ordered stream
    /// that [adopted](crate::OrderedStream::adopt) the buffer waits for its work first. If that cannot be waited for,
    /// `keep` is leaked.
    ///
    /// A buffer of 0 bytes has the address 0, whatever is passed.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for null, for an address that is not aligned for `T`, for
    /// memory that passes the end of the address space, and if the driver knows no memory at the first or the last
    /// byte ([F260](crate::driver_facts#F260)); a driver error. `keep` is dropped then.
    ///
    /// # Safety
    /// 1. The memory is device memory that the context of this guard can use, and stays so until `keep` is dropped. Its
    ///    allocation is complete for every stream of this crate.
    /// 2. Until then no other buffer of this crate has any part of it. Other code uses it only where its work is
    ///    ordered apart from the operations of this crate on it, by events or waits; both may read it at the same
    ///    time.
    /// 3. `keep` may be dropped on any thread, under any context.
    ///
    /// # Examples
    /// ```
    /// use cuscope::{Context, ContextStack, Device, Result, ffi};
    ///
    /// /// Memory as other code owns it.
    /// struct Theirs(ffi::CUdeviceptr);
    /// impl Drop for Theirs {
    ///     fn drop(&mut self) {
    ///         // SAFETY: the only owner of memory that is not freed.
    ///         unsafe { ffi::cuMemFree_v2(self.0) };
    ///     }
    /// }
    ///
    /// # fn main() -> Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// let gpu = stack.push(&context)?;
    /// let mut address = 0;
    /// // SAFETY: `address` is valid for one address, and a context is current.
    /// assert_eq!(unsafe { ffi::cuMemAlloc_v2(&raw mut address, 64) }, ffi::CUDA_SUCCESS);
    /// // SAFETY: 1. to 3. `Theirs` frees it, and nothing else uses it.
    /// let mut x = unsafe { gpu.buffer_from_raw::<f32>(address, 16, Theirs(address)) }?;
    /// gpu.on(&gpu.stream()?).fill(&mut x, 1.0)?;
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuPointerGetAttribute")]
    pub unsafe fn buffer_from_raw<T: Element>(
        &self,
        address: CUdeviceptr,
        len: usize,
        keep: impl Send + 'static,
    ) -> Result<DeviceBuffer<'ctx, T>> {
        const CALL: &str = "PushedGuard::buffer_from_raw";
        let keep = Keep::new(keep);
        let refused = |reason: Reason| Err(Error::InvalidArgument { call: CALL, reason });
        let bytes = size_for::<T>(CALL, len)?;
        if bytes == 0 {
            let inner = Allocation::foreign(0, self.context().clone(), keep);
            return Ok(DeviceBuffer { inner, len, _brand: Brand::new(), data: PhantomData });
        }
        if address == 0 {
            return refused("the address is null: nothing was allocated".into());
        }
        if address % align_of::<T>() as CUdeviceptr != 0 {
            let reason = format!(
                "the address {address:#x} is not aligned for the elements, to {} bytes: take the memory as bytes, or from \
                 an aligned address",
                align_of::<T>()
            );
            return refused(reason.into());
        }
        if address.checked_add(bytes as CUdeviceptr).is_none() {
            let reason = format!(
                "{bytes} bytes from address {address:#x} on pass the end of the address space: check the address and the \
                 length"
            );
            return refused(reason.into());
        }
        if !may_be_used(self.device(), address, bytes)? {
            let reason = format!(
                "the driver knows no memory there, {bytes} bytes from address {address:#x} on: it was freed, or is \
                 ordinary memory of the host, or is shorter"
            );
            return refused(reason.into());
        }
        let inner = Allocation::foreign(address, self.context().clone(), keep);
        Ok(DeviceBuffer { inner, len, _brand: Brand::new(), data: PhantomData })
    }
}
