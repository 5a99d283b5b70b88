//! Tensors that go to other code and come from it, as DLPack describes them.
//!
//! DLPack is the structure of C by which PyTorch, CuPy, JAX and others pass tensors without copies. This module has its
//! declarations, of versions 0 and 1, and an owner for them, [`Tensor`]:
//!
//! - [`PushedGuard::buffer_from_dlpack`] takes a tensor of other code as a [`DeviceBuffer`]. The tensor's deleter runs
//!   when nothing of this crate uses the memory any more.
//! - [`DeviceBuffer::into_dlpack`] and [`PinnedBuffer::into_dlpack`] make tensors for other code. Their deleter drops the
//!   buffer, on any thread.
//!
//! In Python a tensor travels in a capsule: the pointer of [`Tensor::into_raw`] in one with the name `dltensor`, or
//! `dltensor_versioned` for [`DLManagedTensorVersioned`]. Who takes the pointer out renames the capsule to
//! `used_dltensor…`, and owns the tensor from then on.
//!
//! # Order of work
//!
//! A tensor does not say which work on it is in flight. The two sides agree on it by streams:
//!
//! | direction | what to do |
//! |---|---|
//! | out, from a buffer of blocking operations and scopes | nothing: no work is in flight on such a buffer. Any stream of the other side may use it at once |
//! | out, from an ordered stream | [`into_idle`](crate::OrderedBuffer::into_idle) first, which waits |
//! | in, by `x.__dlpack__(stream=s)` | pass the number of [`Stream::raw`](crate::Stream::raw) as `s`. The producer lets that stream wait for its work, so use the buffer in that stream first; other streams wait for it by an event |
//! | in, by `x.__dlpack__(stream=-1)`, or from C | the producer orders nothing: wait for its stream before, or [take its event](PushedGuard::event_from_raw) and wait for that |
//! | the end, of what came in | nothing: operations and scopes have waited when the buffer is dropped, and an ordered stream waits for its work then |
//! | the end, of what went out | the other side calls the deleter when its own work is done, or in an order that it knows. The memory is free from then on |
//!
//! Other code often works in the primary context of the device: use [`Context::primary`](crate::Context::primary).
#![allow(unsafe_code, reason = "follows pointers of other code, and calls its deleters")]
#![allow(missing_docs, reason = "the fields are those of `dlpack.h`")]

use crate::call::{answer, fault, name};
use crate::error::{Error, Reason, Result};
use crate::memory::{DeviceBuffer, Element, PinnedBuffer, is_managed};
use crate::ordered::NotTaken;
use crate::stack::PushedGuard;
use ffi::CUdeviceptr;
use std::ffi::c_void;
use std::mem::{self, ManuallyDrop};
use std::ptr::{self, NonNull};
use std::{fmt, slice};

/// `kDLCUDA`: memory of a device.
pub const CUDA: i32 = 2;
/// `kDLCUDAHost`: page-locked host memory.
pub const CUDA_HOST: i32 = 3;
/// `kDLCUDAManaged`: [managed memory](PushedGuard::managed).
pub const CUDA_MANAGED: i32 = 13;
/// `DLPACK_FLAG_BITMASK_READ_ONLY`: the consumer may only read the tensor.
pub const READ_ONLY: u64 = 1;
/// The version of the structures here. Another major version has other structures.
pub const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 1 };

/// Where a tensor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLDevice {
    pub device_type: i32,
    pub device_id: i32,
}

/// The type of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLDataType {
    /// 0 for signed and 1 for unsigned integers, 2 for numbers with a fraction, 4 for `bfloat16`, 5 for complex ones.
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

/// A tensor that somebody else owns.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DLTensor {
    pub data: *mut c_void,
    pub device: DLDevice,
    pub ndim: i32,
    pub dtype: DLDataType,
    pub shape: *mut i64,
    pub strides: *mut i64,
    pub byte_offset: u64,
}

/// A tensor with its owner, without a version.
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensor {
    pub dl_tensor: DLTensor,
    pub manager_ctx: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// The version of DLPack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLPackVersion {
    pub major: u32,
    pub minor: u32,
}

/// A tensor with its owner and its version.
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensorVersioned {
    pub version: DLPackVersion,
    pub manager_ctx: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    pub flags: u64,
    pub dl_tensor: DLTensor,
}

/// An element that DLPack has a type for. Implement it for a type of your own, such as one for `bfloat16`. With the
/// feature `half`, the types of the crate `half` implement it.
///
/// # Examples
/// ```
/// use cuscope::foreign::dlpack::{DLDataType, DLElement};
///
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(transparent)]
/// struct Bf16(u16);
///
/// impl DLElement for Bf16 {
///     const TYPE: DLDataType = DLDataType { code: 4, bits: 16, lanes: 1 };
/// }
/// ```
pub trait DLElement: Element {
    /// The type. It has as many bytes as the element, or no tensor is taken or made.
    const TYPE: DLDataType;
}

macro_rules! elements {
    ($($element:ty: $code:literal;)*) => { $(
        impl DLElement for $element {
            const TYPE: DLDataType =
                DLDataType { code: $code, bits: size_of::<$element>() as u8 * 8, lanes: 1 };
        }
    )* };
}
elements! {
    i8: 0; i16: 0; i32: 0; i64: 0;
    u8: 1; u16: 1; u32: 1; u64: 1;
    f32: 2; f64: 2;
    [f32; 2]: 5; [f64; 2]: 5;
}
#[cfg(feature = "half")]
elements! {
    half::f16: 2; half::bf16: 4;
}

/// Returns whether the type of `T` has the size of `T`.
fn fits<T: DLElement>() -> bool {
    let DLDataType { bits, lanes, .. } = T::TYPE;
    usize::from(bits) * usize::from(lanes) == size_of::<T>() * 8
}

/// The two forms of a tensor with its owner: [`DLManagedTensor`] and [`DLManagedTensorVersioned`]. Sealed.
pub trait Managed: sealed::Sealed {}
impl Managed for DLManagedTensor {}
impl Managed for DLManagedTensorVersioned {}

mod sealed {
    use super::*;

    type Deleter<M> = Option<unsafe extern "C" fn(*mut M)>;

    pub trait Sealed: Sized + 'static {
        fn new(dl_tensor: DLTensor, owner: *mut c_void, deleter: Deleter<Self>) -> Self;
        /// Returns whether it has the structure that is declared here.
        fn is_known(&self) -> bool;
        fn flags(&self) -> u64;
        fn tensor(&self) -> &DLTensor;
        fn deleter(&self) -> Deleter<Self>;
        fn owner(&self) -> *mut c_void;
    }

    impl Sealed for DLManagedTensor {
        fn new(dl_tensor: DLTensor, manager_ctx: *mut c_void, deleter: Deleter<Self>) -> Self {
            DLManagedTensor { dl_tensor, manager_ctx, deleter }
        }
        fn is_known(&self) -> bool {
            true
        }
        fn flags(&self) -> u64 {
            0
        }
        fn tensor(&self) -> &DLTensor {
            &self.dl_tensor
        }
        fn deleter(&self) -> Deleter<Self> {
            self.deleter
        }
        fn owner(&self) -> *mut c_void {
            self.manager_ctx
        }
    }

    impl Sealed for DLManagedTensorVersioned {
        fn new(dl_tensor: DLTensor, manager_ctx: *mut c_void, deleter: Deleter<Self>) -> Self {
            DLManagedTensorVersioned { version: VERSION, manager_ctx, deleter, flags: 0, dl_tensor }
        }
        fn is_known(&self) -> bool {
            self.version.major == VERSION.major
        }
        fn flags(&self) -> u64 {
            self.flags
        }
        fn tensor(&self) -> &DLTensor {
            &self.dl_tensor
        }
        fn deleter(&self) -> Deleter<Self> {
            self.deleter
        }
        fn owner(&self) -> *mut c_void {
            self.manager_ctx
        }
    }
}

/// An owned tensor. Its drop calls the deleter.
pub struct Tensor<M: Managed = DLManagedTensorVersioned>(NonNull<M>);

// SAFETY: it is owned, and its deleter may be called on any thread (obligation 2 of `from_raw`; the deleter of
// `export` drops a `Send` value).
unsafe impl<M: Managed> Send for Tensor<M> {}

impl<M: Managed> Tensor<M> {
    /// Takes a tensor of other code.
    ///
    /// # Safety
    /// 1. The pointer leads to a tensor as DLPack describes it, with as many extents and strides as it has dimensions, or
    ///    null for the strides. The caller owns it: nobody else changes it or calls its deleter.
    /// 2. The deleter may be called on any thread, under any context.
    #[must_use]
    pub unsafe fn from_raw(tensor: NonNull<M>) -> Tensor<M> {
        Tensor(tensor)
    }

    /// Gives the tensor to other code, which calls the deleter when it needs it no more.
    #[must_use = "the tensor leaks unless its deleter is called"]
    pub fn into_raw(self) -> NonNull<M> {
        ManuallyDrop::new(self).0
    }

    fn managed(&self) -> &M {
        // SAFETY: it leads to a tensor, which this owns.
        unsafe { self.0.as_ref() }
    }

    /// Returns the description, or `None` if it has another major version.
    #[must_use]
    pub fn description(&self) -> Option<&DLTensor> {
        self.managed().is_known().then(|| self.managed().tensor())
    }

    /// Returns the extents. There are none if the tensor has no dimensions, or another major version.
    #[must_use]
    pub fn shape(&self) -> &[i64] {
        self.description().map_or(&[], |tensor| extents(tensor, tensor.shape).unwrap_or_default())
    }
}

/// Returns as many numbers as a tensor has dimensions, or `None` for null.
#[inline]
fn extents(tensor: &DLTensor, numbers: *mut i64) -> Option<&[i64]> {
    let count = usize::try_from(tensor.ndim).ok().filter(|_| !numbers.is_null())?;
    // SAFETY: as many as there are dimensions, which live as long as the tensor (`Tensor::from_raw`).
    Some(unsafe { slice::from_raw_parts(numbers, count) })
}

impl<M: Managed> Drop for Tensor<M> {
    fn drop(&mut self) {
        if let Some(delete) = self.managed().deleter() {
            // SAFETY: the tensor is owned, and not used again.
            unsafe { delete(self.0.as_ptr()) };
        }
    }
}

impl<M: Managed> fmt::Debug for Tensor<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.description() {
            Some(&DLTensor { device, dtype, .. }) => {
                write!(f, "Tensor({:?} of {dtype:?}, {device:?})", self.shape())
            }
            None => f.write_str("Tensor(of another version)"),
        }
    }
}

/// A tensor of memory that the host uses too: page-locked or managed. After a fault the device may go on to use the memory,
/// and nothing tells when it stops ([F326](crate::driver_facts#F326)): it is leaked then.
struct OnHost<M: Managed>(Option<Tensor<M>>);

impl<M: Managed> Drop for OnHost<M> {
    fn drop(&mut self) {
        if fault::is_seen() {
            mem::forget(self.0.take());
        }
    }
}

const CALL: &str = "PushedGuard::buffer_from_dlpack";

/// Returns the number of elements of a dense tensor with these extents, and its strides. Returns `None` if an extent is
/// negative, or the product of those that are not 0 is no `i64`: so every stride is one, in whatever way it is computed.
#[inline]
fn dense_strides(
    extents: impl DoubleEndedIterator<Item = i64> + ExactSizeIterator,
) -> Option<(i64, Vec<i64>)> {
    let (mut product, mut empty) = (1_i64, false);
    let mut strides = vec![0; extents.len()];
    for (stride, extent) in strides.iter_mut().rev().zip(extents.rev()) {
        *stride = if empty { 0 } else { product };
        match extent {
            ..0 => return None,
            0 => empty = true,
            _ => product = product.checked_mul(extent)?,
        }
    }
    Some((if empty { 0 } else { product }, strides))
}

/// # Tensors of other code
impl<'ctx> PushedGuard<'ctx> {
    /// Takes the memory of a tensor, of all its dimensions in their order. The buffer owns the tensor.
    ///
    /// The tensor lies in memory of this guard's device, in managed memory that is said to be there, or in page-locked host
    /// memory. The last is used at its address for the device, over the bus.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for another device, other elements, a tensor with gaps, extents that are
    /// negative or have a product that is no `i64`, even if another extent is 0,
    /// one that is only to be read, one of another major version, and memory that is said to be managed and is not; the errors of
    /// [`buffer_from_raw`](Self::buffer_from_raw). `CUDA_ERROR_INVALID_VALUE` for host memory that is not page-locked;
    /// [`NotCurrent`](Error::NotCurrent). The tensor's deleter is called then.
    ///
    /// # Safety
    /// 1. The memory is what the tensor says, until its deleter is called.
    /// 2. The producer's work on it comes before the operations of this crate: see [the order of
    ///    work](self#order-of-work). Until the deleter is called, other code uses the memory only where its work is
    ///    ordered apart from them, and no other buffer of this crate has any part of it; both sides may read it at the
    ///    same time.
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub unsafe fn buffer_from_dlpack<T: DLElement, M: Managed>(
        &self,
        tensor: Tensor<M>,
    ) -> Result<DeviceBuffer<'ctx, T>> {
        let len = self.check::<T, M>(&tensor).map_err(refused)?;
        let DLTensor { data, device, byte_offset, .. } = *tensor.managed().tensor();
        if data.is_null() && len > 0 {
            return Err(refused("the address is null: nothing was allocated"));
        }
        let on_host = device.device_type == CUDA_HOST;
        let start =
            if on_host && len > 0 { self.mapped(data)? } else { data.addr() as CUdeviceptr };
        let Some(address) = start.checked_add(byte_offset) else {
            return Err(refused(
                "the memory passes the end of the address space: check its offset",
            ));
        };
        let managed = device.device_type == CUDA_MANAGED;
        if managed && len > 0 && !is_managed(address)? {
            return Err(refused("the tensor is said to be in managed memory, and is not"));
        }
        if on_host || managed {
            // SAFETY: 1. to 3. The caller's obligations 1 and 2, and obligation 2 of `Tensor::from_raw`.
            unsafe { self.buffer_from_raw(address, len, OnHost(Some(tensor))) }
        } else {
            // SAFETY: as above.
            unsafe { self.buffer_from_raw(address, len, tensor) }
        }
    }

    /// Returns the number of elements, if it is a tensor that can be taken, or why it is not.
    fn check<T: DLElement, M: Managed>(&self, tensor: &Tensor<M>) -> Result<usize, Reason> {
        let of_type = tensor.description();
        let description =
            of_type.ok_or("the tensor has another major version of DLPack: ask for version 1")?;
        let DLTensor { device: DLDevice { device_type, device_id }, dtype, .. } = *description;
        if tensor.managed().flags() & READ_ONLY != 0 {
            return Err(
                "the tensor is only to be read, and a buffer can be written: ask for a copy".into(),
            );
        }
        match device_type {
            CUDA | CUDA_MANAGED if device_id != self.device().raw() => {
                let reason = format!(
                    "the tensor is on another device, {device_id}, than the context, {}: push a context of that",
                    self.device().ordinal()
                );
                return Err(reason.into());
            }
            CUDA | CUDA_MANAGED | CUDA_HOST => {}
            _ => {
                return Err(
                    "the tensor is not in memory of a CUDA device, nor page-locked: copy it".into(),
                );
            }
        }
        if dtype != T::TYPE || !fits::<T>() {
            return Err(
                "the tensor has elements of another type: take it with its own, or convert it"
                    .into(),
            );
        }
        let shape = tensor.shape();
        if description.ndim < 0 || shape.len() != description.ndim as usize {
            return Err("the tensor has no extents: it is not valid".into());
        }
        let dense = dense_strides(shape.iter().copied());
        let (len, dense) = dense
            .ok_or("the extents are no sizes: none is negative, and their product fits `i64`")?;
        if let Some(strides) = extents(description, description.strides).filter(|_| len > 0) {
            let mut all = shape.iter().zip(strides.iter().zip(&dense));
            if !all.all(|(&extent, (stride, dense))| stride == dense || extent == 1) {
                return Err("the tensor has gaps or another order: make it contiguous".into());
            }
        }
        usize::try_from(len).map_err(|_| "the extents are no sizes".into())
    }

    /// Returns the address at which the device uses page-locked memory.
    #[inline]
    fn mapped(&self, data: *mut c_void) -> Result<CUdeviceptr> {
        self.enter(name!(cuMemHostGetDevicePointer_v2))?;
        let mut address = 0;
        // SAFETY: writes one address to `address`, which is valid for it; the driver refuses what is not page-locked
        // (F163).
        unsafe { answer!(cuMemHostGetDevicePointer_v2(&raw mut address, data, 0)) }.explain(|code| {
            (code == ffi::CUDA_ERROR_INVALID_VALUE).then(|| {
                "the memory of the tensor is host memory that is not page-locked: upload it, or have the \
                 exporter allocate it page-locked"
                    .to_owned()
            })
        })?;
        Ok(address)
    }
}

#[cold]
#[inline]
fn refused(reason: impl Into<Reason>) -> Error {
    Error::InvalidArgument { call: CALL, reason: reason.into() }
}

/// The values that the deleter of a tensor ends.
#[repr(C)]
struct Exported<M, O> {
    managed: M,
    /// Of each dimension: the extents, then the strides.
    numbers: Vec<i64>,
    _owner: O,
}

/// The deleter.
///
/// # Safety
/// 1. The tensor is of [`export`] with these types, and not used again.
unsafe extern "C" fn delete<M: Managed, O>(managed: *mut M) {
    // SAFETY: the tensor is alive (1).
    let owner = unsafe { (*managed).owner() };
    // SAFETY: the box of `export`, once (1). No destructor of this crate panics.
    drop(unsafe { Box::from_raw(owner.cast::<Exported<M, O>>()) });
}

/// Makes a tensor of memory that `owner` owns, which lies densely at `data`. Its extents and strides are those that
/// [`numbers_of`] returned.
fn export<T: DLElement, M: Managed, O: Send + 'static>(
    (data, device): (*mut c_void, DLDevice),
    mut numbers: Vec<i64>,
    owner: O,
) -> Tensor<M> {
    let rank = numbers.len() / 2;
    let (shape, strides) = numbers.split_at_mut(rank);
    let ndim = rank as i32;
    let (shape, strides) = (shape.as_mut_ptr(), strides.as_mut_ptr());
    let tensor = DLTensor { data, device, ndim, dtype: T::TYPE, shape, strides, byte_offset: 0 };
    let exported =
        Exported::<M, O> { managed: M::new(tensor, ptr::null_mut(), None), numbers, _owner: owner };
    let exported = NonNull::from(Box::leak(Box::new(exported)));
    let managed = M::new(tensor, exported.as_ptr().cast(), Some(delete::<M, O>));
    // SAFETY: the box that was just made, which nothing else has.
    unsafe { (*exported.as_ptr()).managed = managed };
    // SAFETY: 1. A box of a structure that begins with the tensor, of which this is the only owner; what the tensor leads
    // to is in it. 2. `delete` drops `owner`, which is `Send` and `'static`.
    unsafe { Tensor::from_raw(exported.cast()) }
}

/// Returns the extents of a tensor of so many elements, then its strides, or why there is none of this shape.
fn numbers_of<T: DLElement>(len: usize, shape: &[usize]) -> Result<Vec<i64>, Reason> {
    let of_c = |&extent: &usize| i64::try_from(extent).ok();
    let extents: Option<Vec<i64>> = shape.iter().map(of_c).collect();
    let numbers = extents.filter(|_| i32::try_from(shape.len()).is_ok()).and_then(|mut numbers| {
        let (elements, strides) = dense_strides(numbers.iter().copied())?;
        numbers.extend(strides);
        Some((elements, numbers))
    });
    let (elements, numbers) =
        numbers.ok_or("an extent, or the product of those that are not 0, does not fit `i64`")?;
    if i64::try_from(len) != Ok(elements) {
        let reason = format!(
            "the extents have another number of elements, {elements}, than the buffer, {len}"
        );
        return Err(reason.into());
    }
    if fits::<T>() {
        Ok(numbers)
    } else {
        Err("the type of DLPack has another size than the element".into())
    }
}

impl<T: DLElement> DeviceBuffer<'_, T> {
    /// Makes the buffer a tensor of these extents, for other code. The tensor owns the buffer.
    ///
    /// No work is in flight on it, so the other side may use it at once, in any stream. The tensor of
    /// [managed memory](PushedGuard::managed) says so: its type of device is [`CUDA_MANAGED`].
    ///
    /// # Errors
    /// [`NotTaken`], which contains the buffer, if the extents have another number of elements, or one of them, or the
    /// product of those that are not 0, does not fit `i64`; a driver error.
    ///
    /// # Examples
    /// ```
    /// use cuscope::foreign::dlpack::{DLManagedTensorVersioned, Tensor};
    /// # use cuscope::{Context, ContextStack, Device};
    ///
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let stream = gpu.stream()?;
    /// let x = gpu.on(&stream).from_slice(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// let tensor: Tensor<DLManagedTensorVersioned> = x.into_dlpack(&[2, 3])?;
    /// let raw = tensor.into_raw(); // for other code, which calls the deleter
    ///
    /// // As other code takes it in.
    /// // SAFETY: 1. and 2. It is the tensor above, which has one owner.
    /// let tensor = unsafe { Tensor::from_raw(raw) };
    /// assert_eq!(tensor.shape(), [2, 3]);
    /// // SAFETY: 1. and 2. It is memory of this device, and no work is in flight on it.
    /// let x = unsafe { gpu.buffer_from_dlpack::<f32, _>(tensor) }?;
    /// assert_eq!(gpu.on(&stream).to_vec(&x)?[5], 6.0);
    /// # Ok(()) }
    /// ```
    pub fn into_dlpack<M: Managed>(self, shape: &[usize]) -> Result<Tensor<M>, NotTaken<Self>> {
        let refused = |reason| Error::InvalidArgument { call: "DeviceBuffer::into_dlpack", reason };
        let checked = numbers_of::<T>(self.len(), shape).map_err(refused).and_then(|numbers| {
            Ok((numbers, self.size_bytes() > 0 && is_managed(self.address())?))
        });
        let (numbers, managed) = match checked {
            Ok(checked) => checked,
            Err(error) => return Err(NotTaken { error, value: Some(self) }),
        };
        let device_type = if managed { CUDA_MANAGED } else { CUDA };
        let device = DLDevice { device_type, device_id: self.context().device().raw() };
        let data = ptr::without_provenance_mut(self.address() as usize);
        Ok(export::<T, M, _>((data, device), numbers, self.detach()))
    }
}

impl<T: DLElement> PinnedBuffer<T> {
    /// Makes the buffer a tensor of these extents, for other code on the host, such as NumPy. The tensor owns the buffer.
    ///
    /// # Errors
    /// [`NotTaken`], which contains the buffer, if the extents have another number of elements, or one of them, or the
    /// product of those that are not 0, does not fit `i64`.
    pub fn into_dlpack<M: Managed>(mut self, shape: &[usize]) -> Result<Tensor<M>, NotTaken<Self>> {
        let numbers = match numbers_of::<T>(self.len(), shape) {
            Ok(numbers) => numbers,
            Err(reason) => {
                let error = Error::InvalidArgument { call: "PinnedBuffer::into_dlpack", reason };
                return Err(NotTaken { error, value: Some(self) });
            }
        };
        let device = DLDevice { device_type: CUDA_HOST, device_id: 0 };
        let data = self.as_mut_ptr().cast();
        Ok(export::<T, M, _>((data, device), numbers, self))
    }
}
