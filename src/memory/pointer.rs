//! Attributes of an address.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::context::Context;
use crate::device::Device;
use crate::error::Result;
use crate::stack::PushedGuard;
use ffi::{
    CU_MEMORYTYPE_HOST, CU_POINTER_ATTRIBUTE_BUFFER_ID, CU_POINTER_ATTRIBUTE_CONTEXT,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
    CU_POINTER_ATTRIBUTE_HOST_POINTER, CU_POINTER_ATTRIBUTE_IS_MANAGED,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
    CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CUcontext, CUdeviceptr,
    CUpointer_attribute,
};
use std::ffi::c_void;
use std::ops::Range;

/// The attributes of an address: [`PushedGuard::pointer_info`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PointerInfo {
    /// Where the memory is.
    pub kind: PointerKind,
    /// The device that the memory belongs to. Page-locked host memory belongs to that of the context that made it so.
    pub device: Device,
    /// The addresses of the whole allocation.
    pub range: Range<CUdeviceptr>,
    /// The number of the allocation. No other allocation of the process ever has it.
    pub buffer_id: u64,
    /// The address at which the host uses the memory, if it can.
    pub host_address: Option<usize>,
    /// The address at which the device of the guard uses the memory, if it can.
    pub device_address: Option<CUdeviceptr>,
    /// Whether the memory comes from a [pool](crate::MemoryPool).
    pub is_pooled: bool,
    context: usize,
}

/// Where memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PointerKind {
    /// On a device.
    Device,
    /// On the host, page-locked: allocated so, or registered.
    Host,
    /// Managed: on the host or a device, whichever used it last.
    Managed,
}

impl PointerInfo {
    /// Returns whether the memory belongs to a context. `None` if it belongs to no context, as memory of a pool does
    /// ([F172](crate::driver_facts#F172)).
    #[must_use]
    #[inline]
    pub fn is_of(&self, context: &Context) -> Option<bool> {
        (self.context != 0).then(|| self.context == context.raw().addr())
    }

    /// Returns whether `bytes` bytes from an address lie in the allocation.
    #[must_use]
    #[inline]
    pub fn contains(&self, address: CUdeviceptr, bytes: usize) -> bool {
        let end = address.checked_add(bytes as CUdeviceptr);
        self.range.start <= address && end.is_some_and(|end| end <= self.range.end)
    }
}

/// # Memory information
impl PushedGuard<'_> {
    /// Asks the driver what an address is. Returns `None` for an address that is in no memory of CUDA: ordinary host
    /// memory, or memory that was freed ([F260](crate::driver_facts#F260)).
    ///
    /// Check an address that other code passes, before [`buffer_from_raw`](Self::buffer_from_raw) takes it. Another
    /// thread may free the memory at any time, so this proves nothing about later.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a driver error.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device};
    /// use cuscope::memory::PointerKind;
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let x = gpu.alloc::<f32>(64)?;
    /// let info = gpu.pointer_info(x.address() + 8)?.expect("memory of CUDA");
    /// assert_eq!((info.kind, info.range.start), (PointerKind::Device, x.address()));
    /// assert!(info.contains(x.address(), 64 * 4) && info.is_of(gpu.context()) == Some(true));
    ///
    /// let on_the_host = 7;
    /// assert!(gpu.pointer_info((&raw const on_the_host).addr() as u64)?.is_none());
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuPointerGetAttributes")]
    #[doc(alias = "cuPointerGetAttribute")]
    #[doc(alias = "cuMemGetAddressRange")]
    #[doc(alias = "cudaPointerGetAttributes")]
    #[inline]
    pub fn pointer_info(&self, address: CUdeviceptr) -> Result<Option<PointerInfo>> {
        self.enter(name!(cuPointerGetAttributes))?;
        pointer_info(address)
    }
}

/// Asks the driver what an address is, for the device of the current context.
#[inline]
pub(crate) fn pointer_info(address: CUdeviceptr) -> Result<Option<PointerInfo>> {
    let (mut kind, mut managed, mut ordinal) = (0_u32, 0_u32, -1_i32);
    let mut context: CUcontext = std::ptr::null_mut();
    let (mut start, mut size, mut id, mut host, mut device, mut pool) =
        (0_u64, 0_usize, 0_u64, 0_usize, 0_u64, 0_u64);
    let asked: [(_, *mut c_void); 10] = [
        (CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (&raw mut kind).cast()),
        (CU_POINTER_ATTRIBUTE_IS_MANAGED, (&raw mut managed).cast()),
        (CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, (&raw mut ordinal).cast()),
        (CU_POINTER_ATTRIBUTE_CONTEXT, (&raw mut context).cast()),
        (CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, (&raw mut start).cast()),
        (CU_POINTER_ATTRIBUTE_RANGE_SIZE, (&raw mut size).cast()),
        (CU_POINTER_ATTRIBUTE_BUFFER_ID, (&raw mut id).cast()),
        (CU_POINTER_ATTRIBUTE_HOST_POINTER, (&raw mut host).cast()),
        (CU_POINTER_ATTRIBUTE_DEVICE_POINTER, (&raw mut device).cast()),
        (CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, (&raw mut pool).cast()),
    ];
    let count = asked.len() as u32;
    let (mut attributes, mut to) = (asked.map(|(one, _)| one), asked.map(|(_, to)| to));
    let (attributes, to) = (attributes.as_mut_ptr(), to.as_mut_ptr());
    // SAFETY: both lists have `count` entries, and each place is valid for a value of its attribute: an `int` or
    // `unsigned int`, or a pointer, size or number of 8 bytes. The driver checks the address.
    unsafe { answer!(cuPointerGetAttributes(count, attributes, to, address)) }.check()?;
    let kind = match (kind, managed) {
        (0, _) => return Ok(None),
        (_, 1..) => PointerKind::Managed,
        (kind, 0) if kind == CU_MEMORYTYPE_HOST.0 => PointerKind::Host,
        _ => PointerKind::Device,
    };
    Ok(Some(PointerInfo {
        kind,
        device: Device::get(ordinal.unsigned_abs())?,
        range: start..start + size as CUdeviceptr,
        buffer_id: id,
        host_address: Some(host).filter(|&host| host != 0),
        device_address: Some(device).filter(|&device| device != 0),
        is_pooled: pool != 0,
        context: context.addr(),
    }))
}

/// Returns whether a device may use the bytes from an address on, as far as the first and the last one tell: both are in
/// memory of CUDA, or the device uses all memory of the host.
#[inline]
pub(crate) fn may_be_used(device: Device, address: CUdeviceptr, bytes: usize) -> Result<bool> {
    let last = address + (bytes as CUdeviceptr).saturating_sub(1);
    let known = is_known(address)? && is_known(last)?;
    Ok(known || device.attribute(ffi::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)? != 0)
}

/// Returns whether an address is in memory of CUDA.
#[inline]
fn is_known(address: CUdeviceptr) -> Result<bool> {
    Ok(number(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)?.is_some())
}

/// Returns whether an address is in managed memory. No context need be current
/// ([F38](crate::driver_facts#F38)).
#[cfg(feature = "dlpack")]
#[inline]
pub(crate) fn is_managed(address: CUdeviceptr) -> Result<bool> {
    Ok(number(CU_POINTER_ATTRIBUTE_IS_MANAGED, address)?.is_some_and(|managed| managed != 0))
}

/// Asks the driver for an attribute of an address that is a number of 4 bytes, or of 1. Returns `None` if the address is in
/// no memory of CUDA.
#[inline]
fn number(attribute: CUpointer_attribute, address: CUdeviceptr) -> Result<Option<u32>> {
    let mut number = 0_u32;
    let to = (&raw mut number).cast();
    // SAFETY: writes one number to `number`, which is valid for it. The driver checks the address.
    let answer = unsafe { answer!(cuPointerGetAttribute(to, attribute, address)) };
    if answer.code == ffi::CUDA_ERROR_INVALID_VALUE {
        return Ok(None);
    }
    answer.check()?;
    Ok(Some(number))
}
