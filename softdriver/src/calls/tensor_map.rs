//! Tensor maps: what is asked for is checked as the manual says, and encoded in a form of this crate.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::{self, Answer};
use crate::model::function::MAX_OPT_IN;
use crate::model::stack;
use core::ffi::{c_int, c_void};
use cuscope_ptx::tensor::{Map, Pieces};
use cuscope_sys::*;

const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;
/// The tensor that all three forms ask for.
struct Tensor {
    kind: CUtensorMapDataType,
    address: u64,
    rank: usize,
    extents: Vec<u64>,
    strides: Vec<u64>,
    steps: Vec<u32>,
    interleave: CUtensorMapInterleave,
    swizzle: CUtensorMapSwizzle,
    promotion: CUtensorMapL2promotion,
    fill: CUtensorMapFloatOOBfill,
}

fn valid(condition: bool) -> Answer {
    if condition { Ok(()) } else { Err(INVALID) }
}

fn list<T: Copy>(from: *const T, len: usize) -> Answer<Vec<T>> {
    if len > 0 {
        entry::wanted(from)?;
    }
    (0..len).map(|index| entry::element(from, index)).collect()
}

fn is_float(kind: CUtensorMapDataType) -> bool {
    kind.0 >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16.0
}

/// Bytes of an element.
fn bytes(kind: CUtensorMapDataType) -> u64 {
    match kind {
        CU_TENSOR_MAP_DATA_TYPE_UINT8 => 1,
        CU_TENSOR_MAP_DATA_TYPE_UINT16
        | CU_TENSOR_MAP_DATA_TYPE_FLOAT16
        | CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 => 2,
        CU_TENSOR_MAP_DATA_TYPE_UINT64
        | CU_TENSOR_MAP_DATA_TYPE_INT64
        | CU_TENSOR_MAP_DATA_TYPE_FLOAT64 => 8,
        _ => 4,
    }
}

/// Bytes that a swizzle shuffles.
fn swizzled(swizzle: CUtensorMapSwizzle) -> Option<u64> {
    match swizzle {
        CU_TENSOR_MAP_SWIZZLE_NONE => None,
        CU_TENSOR_MAP_SWIZZLE_32B => Some(32),
        CU_TENSOR_MAP_SWIZZLE_64B => Some(64),
        _ => Some(128),
    }
}

impl Tensor {
    /// Checks what the forms have in common.
    fn check(&self, inner: u64) -> Answer {
        let Self { kind, interleave, swizzle, .. } = *self;
        // Packed numbers, and swizzles of more than 16 bytes, are those of later devices.
        valid(kind.0 <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ.0)?;
        valid(interleave.0 <= CU_TENSOR_MAP_INTERLEAVE_32B.0)?;
        valid(swizzle.0 <= CU_TENSOR_MAP_SWIZZLE_128B.0)?;
        valid(self.promotion.0 <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B.0)?;
        valid(self.fill.0 <= CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA.0)?;
        let plain = interleave == CU_TENSOR_MAP_INTERLEAVE_NONE;
        let unit = if interleave == CU_TENSOR_MAP_INTERLEAVE_32B { 32 } else { 16 };
        valid(self.address != 0 && self.address.is_multiple_of(unit))?;
        valid(self.extents.iter().all(|extent| (1..=1 << 32).contains(extent)))?;
        valid(self.strides.iter().all(|stride| stride.is_multiple_of(unit) && *stride < 1 << 40))?;
        valid(self.steps.iter().all(|step| (1..=8).contains(step)))?;
        valid(self.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE || is_float(kind))?;
        let row = inner * bytes(kind);
        valid(row > 0 && row.is_multiple_of(16))?;
        valid(!plain || swizzled(swizzle).is_none_or(|bytes| row <= bytes))
    }

    /// The bytes of a box in shared memory. Of slices of channels, which the last dimension but one counts, it has one.
    fn box_bytes(&self, pieces: &[u32]) -> u64 {
        let unit = match self.interleave {
            CU_TENSOR_MAP_INTERLEAVE_NONE => bytes(self.kind),
            CU_TENSOR_MAP_INTERLEAVE_16B => 16,
            _ => 32,
        };
        let slices = match self.interleave {
            CU_TENSOR_MAP_INTERLEAVE_NONE => None,
            _ => self.rank.checked_sub(2),
        };
        let outer = pieces.iter().zip(&self.steps).enumerate().skip(1);
        let counts = outer.filter(|&(dimension, _)| Some(dimension) != slices);
        let counts = counts.map(|(_, (&extent, &step))| u64::from(extent.div_ceil(step.max(1))));
        // 256 five times and 32 bytes are less than a number.
        unit * u64::from(pieces[0]) * counts.product::<u64>()
    }

    /// Writes the map of pieces with so many elements in the innermost dimension.
    fn encode(self, to: *mut CUtensorMap, pieces: Pieces, inner: u64) -> Answer {
        valid(!to.is_null() && to.addr().is_multiple_of(64))?;
        stack::current()?;
        self.check(inner)?;
        let map = Map {
            address: self.address,
            kind: self.kind.0,
            interleave: self.interleave.0,
            swizzle: self.swizzle.0,
            promotion: self.promotion.0,
            fill: self.fill.0,
            extents: self.extents,
            strides: self.strides,
            steps: self.steps,
            pieces,
        };
        entry::write(to, CUtensorMap { opaque: map.encode() })
    }
}

/// Reads the lists of a tensor with as many dimensions.
#[allow(clippy::too_many_arguments, reason = "as many as the exported functions have")]
fn tensor(
    kind: CUtensorMapDataType,
    rank: cuuint32_t,
    ranks: std::ops::RangeInclusive<usize>,
    address: *mut c_void,
    extents: *const cuuint64_t,
    strides: *const cuuint64_t,
    steps: *const cuuint32_t,
    modes: (
        CUtensorMapInterleave,
        CUtensorMapSwizzle,
        CUtensorMapL2promotion,
        CUtensorMapFloatOOBfill,
    ),
) -> Answer<Tensor> {
    let rank = rank as usize;
    valid(ranks.contains(&rank))?;
    let (interleave, swizzle, promotion, fill) = modes;
    valid(interleave == CU_TENSOR_MAP_INTERLEAVE_NONE || rank >= 3)?;
    Ok(Tensor {
        kind,
        rank,
        address: address.addr() as u64,
        extents: list(extents, rank)?,
        strides: list(strides, rank - 1)?,
        steps: list(steps, rank)?,
        interleave,
        swizzle,
        promotion,
        fill,
    })
}

/// The offsets of a corner, each in as many bits as the rank lets it have.
fn corner(from: *const c_int, rank: usize) -> Answer<Vec<c_int>> {
    let most = match rank {
        3 => 1 << 15,
        4 => 1 << 7,
        _ => 1 << 4,
    };
    let corner = list(from, rank - 2)?;
    valid(corner.iter().all(|offset| (-most..most).contains(offset)))?;
    Ok(corner)
}

driver! {
    /// Encodes a tensor of which boxes are copied.
    fn cuTensorMapEncodeTiled(
        tensorMap: *mut CUtensorMap,
        tensorDataType: CUtensorMapDataType,
        tensorRank: cuuint32_t,
        globalAddress: *mut c_void,
        globalDim: *const cuuint64_t,
        globalStrides: *const cuuint64_t,
        boxDim: *const cuuint32_t,
        elementStrides: *const cuuint32_t,
        interleave: CUtensorMapInterleave,
        swizzle: CUtensorMapSwizzle,
        l2Promotion: CUtensorMapL2promotion,
        oobFill: CUtensorMapFloatOOBfill,
    ) {
        let modes = (interleave, swizzle, l2Promotion, oobFill);
        let tensor = tensor(
            tensorDataType, tensorRank, 1..=5, globalAddress, globalDim, globalStrides, elementStrides, modes,
        )?;
        let pieces = list(boxDim, tensor.rank)?;
        valid(pieces.iter().all(|extent| (1..=256).contains(extent)))?;
        // It is copied to the shared memory of a block.
        valid(tensor.box_bytes(&pieces) <= MAX_OPT_IN as u64)?;
        let inner = u64::from(pieces[0]);
        tensor.encode(tensorMap, Pieces::Box(pieces), inner)
    }
    /// Encodes images of which columns of pixels are copied.
    fn cuTensorMapEncodeIm2col(
        tensorMap: *mut CUtensorMap,
        tensorDataType: CUtensorMapDataType,
        tensorRank: cuuint32_t,
        globalAddress: *mut c_void,
        globalDim: *const cuuint64_t,
        globalStrides: *const cuuint64_t,
        pixelBoxLowerCorner: *const c_int,
        pixelBoxUpperCorner: *const c_int,
        channelsPerPixel: cuuint32_t,
        pixelsPerColumn: cuuint32_t,
        elementStrides: *const cuuint32_t,
        interleave: CUtensorMapInterleave,
        swizzle: CUtensorMapSwizzle,
        l2Promotion: CUtensorMapL2promotion,
        oobFill: CUtensorMapFloatOOBfill,
    ) {
        let modes = (interleave, swizzle, l2Promotion, oobFill);
        let tensor = tensor(
            tensorDataType, tensorRank, 3..=5, globalAddress, globalDim, globalStrides, elementStrides, modes,
        )?;
        let (lower, upper) =
            (corner(pixelBoxLowerCorner, tensor.rank)?, corner(pixelBoxUpperCorner, tensor.rank)?);
        valid(channelsPerPixel <= 256 && (1..=1024).contains(&pixelsPerColumn))?;
        // The area is that of the image between the corners, whose offsets have the order of the extents.
        let extents = tensor.extents[1..tensor.rank - 1].iter();
        let area = extents.zip(lower.iter().zip(&upper)).all(|(&extent, (&lower, &upper))| {
            extent as i64 + i64::from(upper) - i64::from(lower) > 0
        });
        valid(area)?;
        let inner = u64::from(channelsPerPixel);
        // They are in range.
        let small = |corner: Vec<c_int>| corner.into_iter().map(|offset| offset as i16).collect();
        let (lower, upper) = (small(lower), small(upper));
        let pieces =
            Pieces::Pixels { lower, upper, channels: channelsPerPixel, pixels: pixelsPerColumn };
        tensor.encode(tensorMap, pieces, inner)
    }
    /// The same for pixels that run along the width, which takes compute capability 10.0.
    fn cuTensorMapEncodeIm2colWide(
        tensorMap: *mut CUtensorMap,
        tensorDataType: CUtensorMapDataType,
        tensorRank: cuuint32_t,
        globalAddress: *mut c_void,
        globalDim: *const cuuint64_t,
        globalStrides: *const cuuint64_t,
        pixelBoxLowerCornerWidth: c_int,
        pixelBoxUpperCornerWidth: c_int,
        channelsPerPixel: cuuint32_t,
        pixelsPerColumn: cuuint32_t,
        elementStrides: *const cuuint32_t,
        interleave: CUtensorMapInterleave,
        mode: CUtensorMapIm2ColWideMode,
        swizzle: CUtensorMapSwizzle,
        l2Promotion: CUtensorMapL2promotion,
        oobFill: CUtensorMapFloatOOBfill,
    ) {
        let modes = (interleave, swizzle, l2Promotion, oobFill);
        let tensor = tensor(
            tensorDataType, tensorRank, 3..=5, globalAddress, globalDim, globalStrides, elementStrides, modes,
        )?;
        let corners = [pixelBoxLowerCornerWidth, pixelBoxUpperCornerWidth];
        valid(corners.iter().all(|offset| (-(1 << 15)..1 << 15).contains(offset)))?;
        valid(mode.0 <= CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128.0)?;
        valid(channelsPerPixel <= 256 && pixelsPerColumn <= 1024)?;
        valid(matches!(swizzled(swizzle), Some(64 | 128)))?;
        tensor.check(channelsPerPixel.into())?;
        valid(!tensorMap.is_null())?;
        // The device is one of compute capability 9.0.
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
    /// Sets the address of a tensor.
    fn cuTensorMapReplaceAddress(tensorMap: *mut CUtensorMap, globalAddress: *mut c_void) {
        valid(!tensorMap.is_null() && tensorMap.addr().is_multiple_of(64))?;
        stack::current()?;
        let map = Map::decode(&entry::read(tensorMap.cast_const())?.opaque);
        let address = globalAddress.addr() as u64;
        valid(address != 0 && address.is_multiple_of(16))?;
        let map = Map { address, ..map.ok_or(INVALID)? };
        entry::write(tensorMap, CUtensorMap { opaque: map.encode() })
    }
}
