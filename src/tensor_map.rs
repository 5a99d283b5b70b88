//! Tensor maps, for the tensor memory accelerator.
//!
//! A kernel on a device of compute capability 9.0 or higher copies boxes of a tensor between device memory and shared
//! memory with one instruction. A [`TensorMap`] tells it the tensor's address, extents and strides. A [`TensorLayout`]
//! describes these, and [`PushedGuard::tensor_map`] encodes them for memory that the map borrows.
//!
//! The software driver encodes maps for boxes and pixels, and copies with them as an H100 does.
//!
//! # Examples
//! ```
//! use cuscope::tensor_map::{Swizzle, TensorLayout};
//! # use cuscope::{Context, ContextStack, Device};
//!
//! # fn main() -> cuscope::Result {
//! # let context = Context::primary(Device::get(0)?)?;
//! # if Device::get(0)?.compute_capability()?.0 < 9 { return Ok(()); }
//! # let mut stack = ContextStack::current_thread()?;
//! # let gpu = stack.push(&context)?;
//! // 128 rows of 256 numbers, copied in boxes of 64 rows of 32 numbers.
//! let (x, mut y) = (gpu.alloc::<f32>(128 * 256)?, gpu.alloc::<f32>(128 * 256)?);
//! let layout = TensorLayout::tiled(&[256, 128], &[32, 64]).swizzle(Swizzle::Bytes128);
//! let (from, to) = (gpu.tensor_map(&layout, &x)?, gpu.tensor_map(&layout, &mut y)?);
//! // `gpu.on(&stream).launch_unchecked(&kernel, config, (from, to))`: the kernel has two parameters
//! // `const __grid_constant__ CUtensorMap`.
//! # drop((from, to));
//! # Ok(()) }
//! ```
#![allow(unsafe_code, reason = "calls the driver")]

mod refusals;
mod settings;

use crate::args::KernelArg;
use crate::args::sealed::Operand;
use crate::args::sealed::Reads;
use crate::call::{Answer, answer, name};
use crate::error::{Error, Reason, Result};
use crate::memory::access::Access;
use crate::stack::PushedGuard;
use ffi::{CUdeviceptr, CUtensorMap, CUtensorMapDataType};
use settings::wide;
use std::ffi::{c_int, c_void};
use std::fmt;

pub use settings::{FloatFormat, Interleave, L2Promotion, Swizzle, TensorElement, TensorKind};

/// The maximum number of dimensions.
const MAX_RANK: usize = 5;

/// The extents and strides of a tensor, and how boxes of it are copied.
///
/// Dimensions come in C's order for tensor maps: the innermost first, whose elements are adjacent. Extents and boxes are
/// in elements, strides in bytes. In an [interleaved](Interleave) tensor, the innermost extent and the innermost edge of a
/// box are in slices of 16 or 32 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct TensorLayout {
    extents: Vec<u64>,
    /// The strides of the dimensions behind the first. `None`: the tensor is packed.
    strides: Option<Vec<u64>>,
    /// The steps in which elements of a box are read.
    steps: Vec<u32>,
    pieces: Pieces,
    interleave: Interleave,
    swizzle: Swizzle,
    promotion: L2Promotion,
    nan_beyond: bool,
    number: FloatFormat,
}

/// The pieces that one instruction copies.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pieces {
    Boxes(Vec<u32>),
    Columns { lower: Vec<i32>, upper: Vec<i32>, channels: u32, pixels: u32 },
    WideColumns { lower: i32, upper: i32, channels: u32, pixels: Option<u32> },
}

/// A tensor map that was [encoded](TensorLayout::encode) for an address: 128 bytes, an argument of a launch. It borrows no
/// memory, so that the obligations of the launch alone say that the tensor is there.
#[derive(Clone, Copy)]
pub struct EncodedMap(CUtensorMap);

impl EncodedMap {
    /// Returns the map as C represents it.
    #[must_use]
    pub fn raw(&self) -> &CUtensorMap {
        &self.0
    }
}

impl fmt::Debug for EncodedMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EncodedMap")
    }
}

/// For a [`Function`](crate::Function), not for a typed kernel.
impl<Lent> KernelArg<'_, Lent> for EncodedMap {}

#[diagnostic::do_not_recommend]
impl Operand for EncodedMap {
    type Parameter = CUtensorMap;
    fn parameter(&self) -> CUtensorMap {
        self.0
    }
    fn access(&self) -> Access<'_> {
        Access::NONE
    }
}

impl TensorLayout {
    /// Encodes the tensor for elements of a type that is known at run time, at an address. Uses no memory there, now or
    /// later: a launch of a kernel with the map does, and the address may be any.
    ///
    /// Packed numbers have no bytes of their own, so their [strides](Self::strides) must be set.
    ///
    /// # Errors
    /// The errors of [`PushedGuard::tensor_map`], but for the size of the memory, which is not known here;
    /// `CUDA_ERROR_INVALID_VALUE` for packed numbers on a device that has none ([F427](crate::driver_facts#F427)).
    ///
    /// # Examples
    /// ```
    /// # use cuscope::tensor_map::{TensorKind, TensorLayout};
    /// # use cuscope::{Context, ContextStack, Device};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # if Device::get(0)?.compute_capability()?.0 < 9 { return Ok(()); }
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let page = gpu.alloc::<u8>(1 << 20)?; // a pool's, of which a part is a tensor
    /// let layout = TensorLayout::tiled(&[256, 128], &[32, 64]);
    /// let map = layout.encode(&gpu, TensorKind::Bf16, page.address() + 4096)?;
    /// // `launch(&kernel, config, (map, …))`: the kernel has the parameter `const __grid_constant__ CUtensorMap`.
    /// # let _ = map;
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuTensorMapEncodeTiled")]
    #[doc(alias = "cuTensorMapEncodeIm2col")]
    #[doc(alias = "cuTensorMapEncodeIm2colWide")]
    #[inline]
    pub fn encode(
        &self,
        gpu: &PushedGuard<'_>,
        kind: TensorKind,
        address: CUdeviceptr,
    ) -> Result<EncodedMap> {
        let call = self.call();
        gpu.enter(call)?;
        let refused = |reason: &'static str| Error::InvalidArgument { call, reason: reason.into() };
        let strides = match kind.bytes() {
            Some(element) => self.all_strides(element),
            None if self.strides.is_none() && self.rank() > 1 => {
                return Err(refused(
                    "packed numbers have no bytes of their own: set the strides of the rows",
                ));
            }
            None => Some(self.strides.clone().unwrap_or_default()),
        };
        if self.number != FloatFormat::Keep && kind != TensorKind::F32 {
            return Err(refused("only elements of type `f32` have another format"));
        }
        // Whatever lies there: the end of the address space is the end of the memory.
        let (bytes, element) = (u64::MAX - address, kind.bytes().unwrap_or(1));
        if let Some(reason) = self.problem(address, bytes, false, strides.as_deref(), element) {
            return Err(Error::InvalidArgument { call, reason });
        }
        let kind = self.number.raw(kind.raw());
        let strides = strides.unwrap_or_default();
        let (answer, raw) = encode(self, kind, address, &strides)?;
        answer.explain(|code| {
            let reason = self.refusal(gpu.device(), kind, element, &strides, code);
            reason.or_else(|| {
                (address == 0).then(|| "the address is 0: pass one of device memory".to_owned())
            })
        })?;
        Ok(EncodedMap(raw))
    }

    /// Describes a tensor of which boxes are copied: its extents, and those of a box.
    ///
    /// A tensor has 1 to 5 dimensions, or 3 to 5 if it is [interleaved](Self::interleave). A box has at most 256 elements
    /// in each. Its innermost edge, times the bytes of an element, is a multiple of 16, also if that edge is in slices.
    /// Elements of a box beyond the tensor are read as zero, and not written.
    #[inline]
    pub fn tiled(extents: &[u64], pieces: &[u32]) -> TensorLayout {
        TensorLayout::new(extents, Pieces::Boxes(pieces.to_vec()))
    }

    /// Describes images, of which columns of pixels are copied as rows of a matrix.
    ///
    /// The extents are channels, width, then height and depth if the images have them, and the number of images. `lower`
    /// and `upper` are the offsets of the first and the last corner of the box over which pixels run, of each dimension
    /// between, the width first. An instruction copies so many `channels`, at most 256, of so many `pixels`, at most 1024.
    #[inline]
    pub fn im2col(
        extents: &[u64],
        lower: &[i32],
        upper: &[i32],
        channels: u32,
        pixels: u32,
    ) -> TensorLayout {
        let (lower, upper) = (lower.to_vec(), upper.to_vec());
        TensorLayout::new(extents, Pieces::Columns { lower, upper, channels, pixels })
    }

    /// Describes images as [`im2col`](Self::im2col) does, for pixels that run along the width alone. Without a number of
    /// `pixels`, an instruction copies 128.
    ///
    /// Needs a device of compute capability 10.0 or higher, and a driver of CUDA 12.8 or later.
    #[inline]
    pub fn im2col_wide(
        extents: &[u64],
        lower: i32,
        upper: i32,
        channels: u32,
        pixels: Option<u32>,
    ) -> TensorLayout {
        TensorLayout::new(extents, Pieces::WideColumns { lower, upper, channels, pixels })
    }

    #[inline]
    fn new(extents: &[u64], pieces: Pieces) -> TensorLayout {
        TensorLayout {
            extents: extents.to_vec(),
            strides: None,
            steps: vec![1; extents.len()],
            pieces,
            interleave: Interleave::None,
            swizzle: Swizzle::None,
            promotion: L2Promotion::None,
            nan_beyond: false,
            number: FloatFormat::Keep,
        }
    }

    /// Sets the strides in bytes of all dimensions but the first: multiples of 16, or of 32 for
    /// [`Interleave::Bytes32`]. They may have any order, and may be 0. A tensor is packed at first: each dimension begins
    /// where the one before it ends.
    #[inline]
    pub fn strides(self, bytes: &[u64]) -> TensorLayout {
        TensorLayout { strides: Some(bytes.to_vec()), ..self }
    }

    /// Sets the steps in which elements are read, from 1 to 8 for each dimension. A box of `n` elements with step `s` has
    /// `n / s` elements in shared memory, rounded up. The first step has to be 1: the innermost dimension has no step.
    #[inline]
    pub fn element_steps(self, steps: &[u32]) -> TensorLayout {
        TensorLayout { steps: steps.to_vec(), ..self }
    }

    /// Sets how channels are interleaved in memory, and with it what the innermost extent and the innermost edge of a box
    /// count: see [`Interleave`].
    pub fn interleave(self, interleave: Interleave) -> TensorLayout {
        TensorLayout { interleave, ..self }
    }

    /// Sets how a box is shuffled in shared memory. Its innermost rows must not be longer than what is shuffled.
    pub fn swizzle(self, swizzle: Swizzle) -> TensorLayout {
        TensorLayout { swizzle, ..self }
    }

    /// Sets how much the L2 cache fetches at once.
    pub fn l2_promotion(self, promotion: L2Promotion) -> TensorLayout {
        TensorLayout { promotion, ..self }
    }

    /// Reads floating-point elements beyond the tensor as a NaN that multiplications with addition take for zero.
    #[doc(alias = "CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA")]
    pub fn nan_beyond(self) -> TensorLayout {
        TensorLayout { nan_beyond: true, ..self }
    }

    /// Sets how `f32` elements are changed on the way.
    pub fn float_format(self, number: FloatFormat) -> TensorLayout {
        TensorLayout { number, ..self }
    }

    /// Returns the number of dimensions.
    #[must_use]
    #[inline]
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// Returns the strides of all dimensions but the first, or `None` if one is larger than a number.
    #[inline]
    fn all_strides(&self, element: usize) -> Option<Vec<u64>> {
        if let Some(strides) = &self.strides {
            return Some(strides.clone());
        }
        let mut stride = self.interleave.unit(element);
        let inner = self.extents.iter().take(self.rank().saturating_sub(1));
        inner
            .map(|&extent| {
                stride = stride.checked_mul(extent)?;
                Some(stride)
            })
            .collect()
    }

    /// Returns the bytes from the first one that copies reach to the end of the last one, or `None` if they are more than
    /// a number. Copies reach what lies at `c[0] * unit + c[1] * strides[0] + …`, for all coordinates `c` within the
    /// extents, and nothing else, but that stores write the whole 16 bytes of which some are within
    /// ([F604](crate::driver_facts#F604)).
    #[inline]
    fn span(&self, strides: &[u64], element: usize, writes: bool) -> Option<u64> {
        let (inner, outer) = self.extents.split_first()?;
        let row = inner.checked_mul(self.interleave.unit(element))?;
        let row = if writes { row.checked_next_multiple_of(16)? } else { row };
        outer.iter().zip(strides).try_fold(row, |bytes, (&extent, &stride)| {
            bytes.checked_add(extent.checked_sub(1)?.checked_mul(stride)?)
        })
    }

    #[inline]
    fn call(&self) -> &'static str {
        match self.pieces {
            Pieces::Boxes(_) => name!(cuTensorMapEncodeTiled),
            Pieces::Columns { .. } => name!(cuTensorMapEncodeIm2col),
            Pieces::WideColumns { .. } => name!(cuTensorMapEncodeIm2colWide),
        }
    }

    /// Returns why the tensor cannot be encoded at this address, in so many bytes of memory, as far as that is not left to
    /// the driver.
    #[inline]
    fn problem(
        &self,
        address: u64,
        bytes: u64,
        writes: bool,
        strides: Option<&[u64]>,
        element: usize,
    ) -> Option<Reason> {
        let rank = self.rank();
        let corners = rank.saturating_sub(2);
        let lists = match &self.pieces {
            Pieces::Boxes(pieces) => pieces.len() == rank,
            Pieces::Columns { lower, upper, .. } => {
                lower.len() == corners && upper.len() == corners
            }
            Pieces::WideColumns { .. } => true,
        };
        let least = if matches!(self.pieces, Pieces::Boxes(_)) { 1 } else { 3 };
        if !(least..=MAX_RANK).contains(&rank) {
            return Some(refusals::rank(rank, least));
        }
        let Some(strides) = strides else {
            return Some("the tensor is larger than the address space: check its extents".into());
        };
        if !lists || self.steps.len() != rank || strides.len() != rank - 1 {
            return Some(self.lists(strides.len()));
        }
        if self.steps.first() != Some(&1) {
            return Some("the first step is not 1: the innermost dimension has no step".into());
        }
        let alignment = self.interleave.unit(16);
        if address % alignment != 0 {
            return Some(refusals::address(address, alignment));
        }
        if let Some(at) = strides.iter().position(|stride| stride % alignment != 0) {
            return Some(refusals::stride(at + 1, strides[at], alignment));
        }
        if self.number != FloatFormat::Keep && element != size_of::<f32>() {
            return Some("only elements of type `f32` have another format".into());
        }
        match self.span(strides, element, writes) {
            Some(span) if span <= bytes => None,
            span => Some(self.too_large(span, bytes, writes)),
        }
    }
}

/// A tensor in memory that kernels use: `&buffer`, `&mut buffer`, a part, or what a scope holds. An argument of a launch,
/// which passes it by value, as 128 bytes. The kernel declares `const __grid_constant__ CUtensorMap`.
///
/// It borrows the memory as that argument does: a kernel that only reads the tensor takes a map of `&buffer`, and one
/// that writes it a map of `&mut buffer`. A launch takes the map, and a map of memory to read can be copied.
#[derive(Clone, Copy)]
pub struct TensorMap<M> {
    raw: CUtensorMap,
    memory: M,
}

impl<M> TensorMap<M> {
    /// Returns the map as C represents it. It is valid as long as the memory is.
    pub fn raw(&self) -> &CUtensorMap {
        &self.raw
    }

    /// Returns the memory, for a map with another layout.
    pub fn into_memory(self) -> M {
        self.memory
    }
}

impl<M> fmt::Debug for TensorMap<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TensorMap")
    }
}

impl<'ctx, Lent, M: KernelArg<'ctx, Lent>> KernelArg<'ctx, Lent> for TensorMap<M> {}

#[diagnostic::do_not_recommend]
impl<M: Operand> Operand for TensorMap<M> {
    type Parameter = CUtensorMap;
    const COMPARES: bool = M::COMPARES;
    fn parameter(&self) -> CUtensorMap {
        self.raw
    }
    fn access(&self) -> Access<'_> {
        self.memory.access()
    }
}

/// # Tensor maps
impl PushedGuard<'_> {
    /// Encodes a tensor in memory: `&buffer` or a part of it to read, `&mut buffer` to write, or memory that a scope holds
    /// or that belongs to an ordered stream. See [`tensor_map`](crate::tensor_map).
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for a tensor that is larger than its memory, for an address or strides
    /// that are no multiples of 16, and for lists of different lengths; `CUDA_ERROR_INVALID_VALUE` for boxes and steps
    /// that the accelerator does not have; [`NotCurrent`](Error::NotCurrent);
    /// [`NeedsDriver`](Error::NeedsDriver) for the wide form of im2col.
    #[doc(alias = "cuTensorMapEncodeTiled")]
    #[doc(alias = "cuTensorMapEncodeIm2col")]
    #[doc(alias = "cuTensorMapEncodeIm2colWide")]
    pub fn tensor_map<T: TensorElement, M: Reads<T>>(
        &self,
        layout: &TensorLayout,
        memory: M,
    ) -> Result<TensorMap<M>> {
        let call = layout.call();
        self.enter(call)?;
        let (range, writes) = (memory.access().range(), memory.access().writes);
        let strides = layout.all_strides(size_of::<T>());
        let bytes = range.end - range.start;
        let element = size_of::<T>();
        let problem = layout.problem(range.start, bytes, writes, strides.as_deref(), element);
        if let Some(reason) = problem {
            return Err(Error::InvalidArgument { call, reason });
        }
        let kind = layout.number.raw(T::KIND);
        let strides = strides.unwrap_or_default();
        let (answer, raw) = encode(layout, kind, range.start, &strides)?;
        answer.explain(|code| layout.refusal(self.device(), kind, element, &strides, code))?;
        Ok(TensorMap { raw, memory })
    }
}

/// Encodes a tensor that has no [problem](TensorLayout::problem). The map is one if the answer is success.
#[inline]
fn encode(
    layout: &TensorLayout,
    kind: CUtensorMapDataType,
    address: u64,
    strides: &[u64],
) -> Result<(Answer, CUtensorMap)> {
    let mut map = CUtensorMap { opaque: [0; 16] };
    let (to, rank) = (&raw mut map, layout.rank() as u32);
    let address: *mut c_void = std::ptr::without_provenance_mut(address as usize);
    let (extents, strides) = (layout.extents.as_ptr(), strides.as_ptr());
    let steps = layout.steps.as_ptr();
    let (interleave, swizzle) = (layout.interleave.raw(), layout.swizzle.raw());
    let promotion = layout.promotion.raw();
    let fill = if layout.nan_beyond {
        ffi::CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
    } else {
        ffi::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE
    };
    // SAFETY, of each: the map is aligned to 64 bytes and valid for writes. The lists have as many entries as the manual
    // of the function says for this rank: `problem` compared them. The driver does not use the memory, and checks the rest.
    let answer: Answer = match &layout.pieces {
        // SAFETY: as above.
        Pieces::Boxes(pieces) => unsafe {
            let pieces = pieces.as_ptr();
            answer!(cuTensorMapEncodeTiled(
                to, kind, rank, address, extents, strides, pieces, steps, interleave, swizzle,
                promotion, fill
            ))
        },
        &Pieces::Columns { ref lower, ref upper, channels, pixels } => {
            let (lower, upper): (*const c_int, *const c_int) = (lower.as_ptr(), upper.as_ptr());
            // SAFETY: as above.
            unsafe {
                answer!(cuTensorMapEncodeIm2col(
                    to, kind, rank, address, extents, strides, lower, upper, channels, pixels,
                    steps, interleave, swizzle, promotion, fill
                ))
            }
        }
        &Pieces::WideColumns { lower, upper, channels, pixels } => {
            let encode = ffi::cuTensorMapEncodeIm2colWide()?;
            let (mode, pixels) = wide(pixels);
            // SAFETY: as above.
            unsafe {
                answer!(
                    cuTensorMapEncodeIm2colWide = encode(
                        to, kind, rank, address, extents, strides, lower, upper, channels, pixels,
                        steps, interleave, mode, swizzle, promotion, fill
                    )
                )
            }
        }
    };
    Ok((answer, map))
}
