//! Batches of copies on the device.
#![allow(unsafe_code, reason = "calls the driver")]

use super::enqueue::same_extent;
use super::rows::End;
use super::{Operation, Owned, zeros};
use crate::args::sealed::Operands;
use crate::call::{Answer, answer, name};
use crate::error::{Error, Result};
use crate::memory::CopyFlags;
use crate::memory::access::Access;
use crate::memory::grid::{Extent, Grid};
use ffi::{
    CUDA_MEMCPY3D_BATCH_OP, CUdeviceptr, CUmemcpy3DOperand, CUmemcpyAttributes, CUresult, CUstream,
};
use std::ffi::c_void;
use std::ops::Deref;

/// The function that enqueues copies of bytes.
type OfBytes = unsafe extern "C" fn(
    *mut CUdeviceptr,
    *mut CUdeviceptr,
    *mut usize,
    usize,
    *mut CUmemcpyAttributes,
    *mut usize,
    usize,
    *mut usize,
    CUstream,
) -> CUresult;

/// The function that enqueues copies of rows and planes.
type OfBoxes =
    unsafe extern "C" fn(usize, *mut CUDA_MEMCPY3D_BATCH_OP, *mut usize, u64, CUstream) -> CUresult;

/// The function that enqueues one copy of bytes with attributes.
type OneOfBytes = unsafe extern "C" fn(
    CUdeviceptr,
    CUdeviceptr,
    usize,
    *mut CUmemcpyAttributes,
    CUstream,
) -> CUresult;

/// The function that enqueues one copy of rows and planes with attributes.
type OneOfBoxes = unsafe extern "C" fn(*mut CUDA_MEMCPY3D_BATCH_OP, u64, CUstream) -> CUresult;

/// The function that enqueues a batch: the second form if memory of it has rows.
#[derive(Clone, Copy)]
enum Function<B, R> {
    Bytes(B),
    Boxes(R),
}

/// Copies of device memory to other memory of the device, in no order among each other.
#[derive(Clone)]
pub(crate) struct CopyBatch<'a> {
    /// Each source behind its destination.
    uses: All<'a>,
    function: Function<OfBytes, OfBoxes>,
}

/// The accesses of a batch.
#[derive(Clone)]
pub(crate) struct All<'a>(Vec<Access<'a>>);

impl<'a> CopyBatch<'a> {
    /// Creates a batch of sources and destinations. All of them are borrowed at the same time, and destinations
    /// exclusively, so no copy touches what another one writes.
    ///
    /// # Errors
    /// [`NeedsDriver`](Error::NeedsDriver).
    #[inline]
    pub(crate) fn new(copies: impl Iterator<Item = (Access<'a>, Access<'a>)>) -> Result<Self> {
        let uses = All(copies.flat_map(|(from, to)| [to, from]).collect());
        let function = if uses.0.iter().any(|end| end.grid.is_some()) {
            Function::Boxes(ffi::cuMemcpy3DBatchAsync()?)
        } else {
            Function::Bytes(ffi::cuMemcpyBatchAsync()?)
        };
        Ok(CopyBatch { uses, function })
    }

    /// Returns the destinations with their sources, where there is something to copy: the driver refuses copies of 0
    /// bytes ([F426](crate::driver_facts#F426), [F491](crate::driver_facts#F491)).
    #[inline]
    fn copies(&self) -> impl Iterator<Item = (&Access<'a>, &Access<'a>)> {
        let pairs = self.uses.0.chunks_exact(2).map(|ends| (&ends[0], &ends[1]));
        pairs.filter(|(to, _)| to.bytes() > 0)
    }
}

/// Returns how the bytes of copies are read: in the order of the stream.
#[inline]
fn attributes(flags: CopyFlags) -> CUmemcpyAttributes {
    let mut attributes: CUmemcpyAttributes = zeros();
    attributes.srcAccessOrder = ffi::CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    attributes.flags = flags.bits();
    attributes
}

/// Checks that two ends have the same extent, and that the driver can count the bytes between rows: in elements, if one
/// of the ends is an array.
#[inline]
fn check_ends(call: &'static str, from: &Access<'_>, to: &Access<'_>) -> Result {
    same_extent(call, from, to)?;
    let element = unit(from, to);
    let pitch = |end: &Access<'_>| end.grid.map(|grid| grid.pitch);
    match [pitch(from), pitch(to)].into_iter().flatten().find(|pitch| pitch % element != 0) {
        None => Ok(()),
        Some(pitch) => Err(uncounted(call, pitch, element)),
    }
}

#[cold]
fn uncounted(call: &'static str, pitch: usize, element: usize) -> Error {
    let reason = format!(
        "the {pitch} bytes from row to row are no multiple of an element of the array, {element} bytes: copy it by a \
         `copy` of its own"
    );
    Error::InvalidArgument { call, reason: reason.into() }
}

/// Returns the bytes that a box counts in: an element of the array, if an end is one.
#[inline]
fn unit(from: &Access<'_>, to: &Access<'_>) -> usize {
    let array = [to, from].into_iter().find(|end| end.is_array());
    array.map_or(1, |end| end.element().max(1))
}

/// Returns the copy of a box.
#[inline]
fn box_of(from: &Access<'_>, to: &Access<'_>, flags: CopyFlags) -> CUDA_MEMCPY3D_BATCH_OP {
    let unit = unit(from, to);
    let grid = if to.is_array() { to.grid } else { from.grid.or(to.grid) };
    let mut one: CUDA_MEMCPY3D_BATCH_OP = zeros();
    one.src = End::device(from).operand(unit);
    one.dst = End::device(to).operand(unit);
    (one.extent.width, one.extent.height, one.extent.depth) = match grid {
        Some(&Grid { extent: Extent { width, height, depth }, .. }) => {
            (width * to.element() / unit, height, depth)
        }
        // An array has a grid, so the unit is a byte.
        None => (to.bytes(), 1, 1),
    };
    one.srcAccessOrder = ffi::CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    one.flags = flags.bits();
    one
}

impl End<'_> {
    /// Returns the end as a batch takes it, which counts elements of so many bytes.
    #[inline]
    fn operand(&self, unit: usize) -> CUmemcpy3DOperand {
        let mut operand: CUmemcpy3DOperand = zeros();
        if let Some((array, [x, y, z])) = self.array() {
            operand.r#type = ffi::CU_MEMCPY_OPERAND_TYPE_ARRAY;
            let offset = ffi::CUoffset3D { x: x / unit, y, z };
            operand.op.array = ffi::CUmemcpy3DOperand_v1_op_array { array, offset };
            return operand;
        }
        let (pitch, rows) = self.layout();
        operand.r#type = ffi::CU_MEMCPY_OPERAND_TYPE_POINTER;
        operand.op.ptr = ffi::CUmemcpy3DOperand_v1_op_ptr {
            ptr: self.address(),
            rowLength: pitch / unit,
            layerHeight: rows,
            locHint: zeros(),
        };
        operand
    }
}

impl Operation for CopyBatch<'_> {
    #[inline]
    fn call(&self) -> &'static str {
        match self.function {
            Function::Bytes(_) => name!(cuMemcpyBatchAsync),
            Function::Boxes(_) => name!(cuMemcpy3DBatchAsync),
        }
    }

    #[inline]
    fn check(&self, call: &'static str) -> Result {
        self.uses.0.chunks_exact(2).try_for_each(|ends| check_ends(call, &ends[1], &ends[0]))
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.uses.0.iter().all(|end| end.len == 0)
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        &self.uses
    }

    /// The driver may have enqueued the first copies when it refuses another one.
    #[inline]
    fn is_one_call(&self) -> bool {
        false
    }

    #[inline]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        let mut failed = 0;
        let failed = &raw mut failed;
        match self.function {
            Function::Bytes(copy) => {
                let (mut to, mut from, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
                for (target, source) in self.copies() {
                    to.push(target.address);
                    from.push(source.address);
                    sizes.push(target.bytes());
                }
                let (mut attributes, count, mut first) =
                    (attributes(CopyFlags::empty()), to.len(), 0);
                let (to, from, sizes) = (to.as_mut_ptr(), from.as_mut_ptr(), sizes.as_mut_ptr());
                let (attributes, first) = (&raw mut attributes, &raw mut first);
                // SAFETY: the first three lists have `count` entries, which is not 0: the operation is not empty. The
                // lists of attributes have one, which is for all copies from the first on. Both ends of a copy have as
                // many bytes (obligation 1), and no copy touches what another one writes. Sources are read in the order
                // of the stream. The rest is the caller's obligation 2.
                unsafe {
                    answer!(
                        cuMemcpyBatchAsync =
                            copy(to, from, sizes, count, attributes, first, 1, failed, stream)
                    )
                }
            }
            Function::Boxes(copy) => {
                let boxes = self.copies().map(|(to, from)| box_of(from, to, CopyFlags::empty()));
                let mut boxes: Vec<_> = boxes.collect();
                let (count, boxes) = (boxes.len(), boxes.as_mut_ptr());
                // SAFETY: the list has `count` entries, which is not 0. Both ends of a copy have its extent (obligation
                // 1); the rest is as above. The flags must be 0.
                unsafe { answer!(cuMemcpy3DBatchAsync = copy(count, boxes, failed, 0, stream)) }
            }
        }
    }
}

/// A copy with flags: a batch of one.
#[derive(Clone, Copy)]
pub(crate) struct CopyWith<'a> {
    from: Access<'a>,
    to: Access<'a>,
    flags: CopyFlags,
    function: Function<OneOfBytes, OneOfBoxes>,
}

impl<'a> CopyWith<'a> {
    /// Creates a copy. The two are distinct, since `to` is borrowed exclusively.
    ///
    /// # Errors
    /// [`NeedsDriver`](Error::NeedsDriver).
    #[inline]
    pub(crate) fn new(from: Access<'a>, to: Access<'a>, flags: CopyFlags) -> Result<Self> {
        let function = if from.grid.is_some() || to.grid.is_some() {
            Function::Boxes(ffi::cuMemcpy3DWithAttributesAsync()?)
        } else {
            Function::Bytes(ffi::cuMemcpyWithAttributesAsync()?)
        };
        Ok(CopyWith { from, to, flags, function })
    }
}

impl Operation for CopyWith<'_> {
    #[inline]
    fn call(&self) -> &'static str {
        match self.function {
            Function::Bytes(_) => name!(cuMemcpyWithAttributesAsync),
            Function::Boxes(_) => name!(cuMemcpy3DWithAttributesAsync),
        }
    }

    #[inline]
    fn check(&self, call: &'static str) -> Result {
        check_ends(call, &self.from, &self.to)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.to.bytes() == 0
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        Owned((self.to, self.from))
    }

    #[inline]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        match self.function {
            Function::Bytes(copy) => {
                let (to, from, bytes) = (self.to.address, self.from.address, self.to.bytes());
                let mut attributes = attributes(self.flags);
                let attributes = &raw mut attributes;
                // SAFETY: reads the attributes. Both ends have as many bytes (obligation 1), and they are distinct. The
                // rest is the caller's obligation 2.
                unsafe {
                    answer!(cuMemcpyWithAttributesAsync = copy(to, from, bytes, attributes, stream))
                }
            }
            Function::Boxes(copy) => {
                let mut one = box_of(&self.from, &self.to, self.flags);
                let one = &raw mut one;
                // SAFETY: reads the copy, whose ends have its extent (obligation 1) and are distinct. The flags of the
                // call must be 0. The rest is the caller's obligation 2.
                unsafe { answer!(cuMemcpy3DWithAttributesAsync = copy(one, 0, stream)) }
            }
        }
    }
}

impl Operands for All<'_> {
    #[inline]
    fn all(&self, is: impl Fn(&Access<'_>) -> bool) -> bool {
        self.0.iter().all(is)
    }

    #[inline]
    fn with_accesses<R>(&self, f: impl FnOnce(&[Access<'_>]) -> R) -> R {
        f(&self.0)
    }

    fn count(&self) -> usize {
        0
    }

    #[inline]
    fn with_pointers<R>(&self, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
        // No kernel takes them.
        f(&mut [])
    }
}
