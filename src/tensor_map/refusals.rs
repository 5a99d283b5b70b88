//! The reasons for which the driver refuses a tensor map.

use super::{FloatFormat, Interleave, MAX_RANK, Pieces, Swizzle, TensorLayout};
use crate::device::Device;
use crate::error::Reason;
use ffi::{CUresult, CUtensorMapDataType};

impl Swizzle {
    /// Returns the bytes within which a row of a box is shuffled.
    #[inline]
    fn bytes(self) -> Option<u64> {
        match self {
            Swizzle::None => None,
            Swizzle::Bytes32 => Some(32),
            Swizzle::Bytes64 => Some(64),
            _ => Some(128),
        }
    }
}

/// Returns what is wrong with a number of dimensions that is less than `least` or more than 5.
#[cold]
pub(super) fn rank(rank: usize, least: usize) -> Reason {
    format!("such a tensor has {least} to {MAX_RANK} dimensions, and this one has {rank}").into()
}

/// Returns what is wrong with an address.
#[cold]
pub(super) fn address(address: u64, alignment: u64) -> Reason {
    format!("the tensor begins at {address:#x}, which is no multiple of {alignment} bytes: pass memory that is aligned so")
        .into()
}

/// Returns what is wrong with the stride of a dimension.
#[cold]
pub(super) fn stride(dimension: usize, stride: u64, alignment: u64) -> Reason {
    format!(
        "the stride of dimension {dimension} is {stride} bytes, and no multiple of {alignment}: pad the rows, and pass \
         `TensorLayout::strides`"
    )
    .into()
}

/// Returns the first of some numbers that is not in a range, with its dimension.
fn beyond<T: Copy + PartialOrd + std::fmt::Display>(
    what: &str,
    numbers: &[T],
    range: std::ops::RangeInclusive<T>,
) -> Option<String> {
    let (dimension, number) =
        numbers.iter().enumerate().find(|(_, number)| !range.contains(number))?;
    let (least, most) = (range.start(), range.end());
    Some(format!("{what} of dimension {dimension} is {number}, and must be from {least} to {most}"))
}

impl TensorLayout {
    /// Returns which lists have other lengths than the dimensions want.
    #[cold]
    pub(super) fn lists(&self, strides: usize) -> Reason {
        let rank = self.rank();
        let mut text = format!("the tensor has {rank} dimensions");
        let mut compare = |what: &str, found: usize, wanted: usize| {
            if found != wanted {
                text += &format!(", and {found} {what} were passed: pass {wanted}");
            }
        };
        compare("steps", self.steps.len(), rank);
        compare("strides", strides, rank - 1);
        match &self.pieces {
            Pieces::Boxes(pieces) => compare("edges of the box", pieces.len(), rank),
            Pieces::Columns { lower, upper, .. } => {
                compare("offsets of the lower corner", lower.len(), rank - 2);
                compare("offsets of the upper corner", upper.len(), rank - 2);
            }
            Pieces::WideColumns { .. } => {}
        }
        text.into()
    }

    /// Returns that the tensor, of so many bytes, is empty or does not lie in its memory.
    #[cold]
    pub(super) fn too_large(&self, span: Option<u64>, bytes: u64, writes: bool) -> Reason {
        if let Some(dimension) = self.extents.iter().position(|&extent| extent == 0) {
            return format!("the extent of dimension {dimension} is 0: a tensor has elements")
                .into();
        }
        let Some(span) = span else {
            return "the tensor is larger than its memory, and than any: check its extents and strides".into();
        };
        let mut text = format!(
            "the tensor is larger than its memory: it has {span} bytes, and the memory {bytes}; check its extents and strides"
        );
        if writes {
            text += "; a store writes a row in whole pieces of 16 bytes";
        }
        text.into()
    }

    /// Returns why the driver refused the tensor, with elements of this type and size, in the context of a device.
    #[cold]
    #[inline]
    pub(super) fn refusal(
        &self,
        device: Device,
        kind: CUtensorMapDataType,
        element: usize,
        strides: &[u64],
        code: CUresult,
    ) -> Option<String> {
        let capability = device.compute_capability().ok()?;
        self.device(capability, code)
            .or_else(|| self.dimensions(strides))
            .or_else(|| self.modes(capability, kind))
            .or_else(|| self.pieces(device, element as u64))
    }

    /// Returns that a device has no such tensor maps, if it has none.
    #[inline]
    fn device(&self, (major, minor): (i32, i32), code: CUresult) -> Option<String> {
        let needed = if matches!(self.pieces, Pieces::WideColumns { .. }) { "10.0" } else { "9.0" };
        (code == ffi::CUDA_ERROR_NOT_SUPPORTED || major < 9).then(|| {
            format!(
                "such tensor maps need a device of compute capability {needed} or higher, and this one \
                 has {major}.{minor}"
            )
        })
    }

    #[inline]
    fn dimensions(&self, strides: &[u64]) -> Option<String> {
        beyond("the extent", &self.extents, 1..=1 << 32)
            .or_else(|| beyond("the step", &self.steps, 1..=8))
            .or_else(|| {
                let (dimension, stride) =
                    strides.iter().enumerate().find(|(_, bytes)| **bytes >= 1 << 40)?;
                Some(format!(
                    "the stride of dimension {} is {stride} bytes, and must be less than 2^40",
                    dimension + 1
                ))
            })
    }

    #[inline]
    fn modes(&self, (major, minor): (i32, i32), kind: CUtensorMapDataType) -> Option<String> {
        let rank = self.rank();
        if self.interleave != Interleave::None && rank < 3 {
            return Some(format!(
                "the tensor is interleaved and has {rank} dimensions: pass 3 to 5, or `Interleave::None`"
            ));
        }
        let wide = [Swizzle::Bytes128Atom32, Swizzle::Bytes128Atom32Flip8, Swizzle::Bytes128Atom64];
        if wide.contains(&self.swizzle) && major < 10 {
            return Some(format!(
                "`Swizzle::{:?}` needs a device of compute capability 10.0 or higher, and this one has \
                 {major}.{minor}: pass `Swizzle::Bytes128`",
                self.swizzle
            ));
        }
        let packed = [
            ffi::CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B,
            ffi::CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B,
            ffi::CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B,
        ];
        if packed.contains(&kind) && major < 10 {
            return Some(format!(
                "packed numbers need a device of compute capability 10.0 or higher, and this one has \
                 {major}.{minor}: unpack them to `TensorKind::U8`"
            ));
        }
        let float = kind.0 >= ffi::CU_TENSOR_MAP_DATA_TYPE_FLOAT16.0;
        (self.nan_beyond && !float && self.number == FloatFormat::Keep).then(|| {
            "integers have no NaN: leave `nan_beyond` out, or pass floating-point elements"
                .to_owned()
        })
    }

    #[inline]
    fn pieces(&self, device: Device, element: u64) -> Option<String> {
        let unit = self.interleave.unit(element as usize);
        match &self.pieces {
            Pieces::Boxes(pieces) => beyond("the edge of the box", pieces, 1..=256)
                .or_else(|| self.row("the innermost edge of the box", *pieces.first()?, element))
                .or_else(|| self.large(device, pieces, unit)),
            Pieces::Columns { lower, upper, channels, pixels } => {
                beyond("the offset of the lower corner", lower, self.corner())
                    .or_else(|| beyond("the offset of the upper corner", upper, self.corner()))
                    .or_else(|| self.columns(*channels, Some(*pixels), element))
                    .or_else(|| self.area(lower, upper))
            }
            Pieces::WideColumns { lower, upper, channels, pixels } => {
                let corners = [*lower, *upper];
                beyond("the offset of the corner", &corners, -(1 << 15)..=(1 << 15) - 1)
                    .or_else(|| self.columns(*channels, *pixels, element))
                    .or_else(|| {
                        (!matches!(self.swizzle, Swizzle::Bytes64 | Swizzle::Bytes128)).then(|| {
                            "the wide form of im2col swizzles: pass `Swizzle::Bytes64` or `Bytes128`".to_owned()
                        })
                    })
            }
        }
    }

    /// Returns the offsets that a corner may have: fewer bits for each, the more there are.
    #[inline]
    fn corner(&self) -> std::ops::RangeInclusive<i32> {
        let most = match self.rank() {
            3 => 1 << 15,
            4 => 1 << 7,
            _ => 1 << 4,
        };
        -most..=most - 1
    }

    #[inline]
    fn columns(&self, channels: u32, pixels: Option<u32>, element: u64) -> Option<String> {
        if channels > 256 {
            return Some(format!("{channels} channels are copied at once, and at most 256 can be"));
        }
        if let Some(pixels) = pixels.filter(|pixels| !(1..=1024).contains(pixels)) {
            return Some(format!("{pixels} pixels are copied at once: pass from 1 to 1024"));
        }
        self.row("the number of channels", channels, element)
    }

    /// Returns what is wrong with the innermost rows of so many elements.
    #[inline]
    fn row(&self, what: &str, count: u32, element: u64) -> Option<String> {
        let row = u64::from(count) * element;
        if row == 0 || row % 16 != 0 {
            return Some(format!(
                "{what} is {count}, which is {row} bytes for elements of {element}: it must be a multiple \
                 of 16 bytes"
            ));
        }
        let within = self.swizzle.bytes().filter(|_| self.interleave == Interleave::None)?;
        (row > within).then(|| {
            format!(
                "{what} is {count}, which is {row} bytes, and `Swizzle::{:?}` shuffles rows of at most \
                 {within}: copy narrower boxes, or choose another swizzle",
                self.swizzle
            )
        })
    }

    /// Returns whether a box is too large for shared memory. Of slices of channels, it has one.
    #[inline]
    fn large(&self, device: Device, pieces: &[u32], unit: u64) -> Option<String> {
        let slices = (self.interleave != Interleave::None).then(|| self.rank() - 2);
        let outer = pieces.iter().zip(&self.steps).enumerate().skip(1);
        let outer = outer.filter(|&(dimension, _)| Some(dimension) != slices);
        let counts = outer.map(|(_, (&edge, &step))| u64::from(edge.div_ceil(step.max(1))));
        let bytes = unit * u64::from(*pieces.first()?) * counts.product::<u64>();
        let most =
            device.attribute(ffi::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN).ok()?;
        (bytes > u64::from(most.unsigned_abs())).then(|| {
            format!(
                "a box has {bytes} bytes, and a block at most {most} bytes of shared memory on this device: \
                 copy smaller boxes"
            )
        })
    }

    #[inline]
    fn area(&self, lower: &[i32], upper: &[i32]) -> Option<String> {
        let between = self.extents.iter().skip(1).zip(lower.iter().zip(upper)).enumerate();
        between.into_iter().find_map(|(dimension, (&extent, (&lower, &upper)))| {
            let left = i128::from(extent) + i128::from(upper) - i128::from(lower);
            (left <= 0).then(|| {
                format!(
                    "between the corners {lower} and {upper} of dimension {} no pixel of the {extent} is left: \
                     the box begins at the lower offset, and ends at the extent plus the upper one",
                    dimension + 1
                )
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor_map::TensorKind;

    #[test]
    fn devices_without_tensor_maps_are_named() {
        let (boxes, columns) = (
            TensorLayout::tiled(&[64, 64], &[32, 32]),
            TensorLayout::im2col_wide(&[32, 4, 8], 0, 0, 32, None),
        );
        let (invalid, unsupported) = (ffi::CUDA_ERROR_INVALID_VALUE, ffi::CUDA_ERROR_NOT_SUPPORTED);
        for (layout, capability, code, ends) in [
            (&boxes, (8, 6), invalid, Some("9.0 or higher, and this one has 8.6")),
            (&boxes, (9, 0), invalid, None),
            (&boxes, (10, 3), invalid, None),
            (&boxes, (9, 0), unsupported, Some("9.0 or higher, and this one has 9.0")),
            (&columns, (8, 9), invalid, Some("10.0 or higher, and this one has 8.9")),
            (&columns, (9, 0), unsupported, Some("10.0 or higher, and this one has 9.0")),
        ] {
            let said = layout.device(capability, code);
            assert_eq!(said.is_some(), ends.is_some(), "{capability:?}");
            assert!(said.is_none_or(|text| text.ends_with(ends.unwrap())), "{capability:?}");
        }
    }

    /// What needs a device of compute capability 10.0 is refused before, and not there.
    #[test]
    fn modes_of_later_devices_are_refused_before_them() {
        let number = ffi::CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
        let layout = TensorLayout::tiled(&[64, 64], &[32, 32]);
        for (swizzle, later) in [
            (Swizzle::None, false),
            (Swizzle::Bytes128, false),
            (Swizzle::Bytes128Atom32, true),
            (Swizzle::Bytes128Atom32Flip8, true),
            (Swizzle::Bytes128Atom64, true),
        ] {
            let layout = layout.clone().swizzle(swizzle);
            let said = layout.modes((9, 0), number);
            let needs = format!(
                "`Swizzle::{swizzle:?}` needs a device of compute capability 10.0 or higher, and this one has 9.0"
            );
            assert_eq!(said.is_some_and(|text| text.starts_with(&needs)), later, "{swizzle:?}");
            assert_eq!(layout.modes((10, 0), number), None, "{swizzle:?}");
        }
        for kind in [TensorKind::U4Packed8, TensorKind::U4Packed16, TensorKind::U6Packed16] {
            let said = layout.modes((9, 0), kind.raw()).unwrap();
            assert!(said.starts_with("packed numbers need a device"), "{kind:?}: {said}");
            assert_eq!(layout.modes((10, 0), kind.raw()), None, "{kind:?}");
        }
    }
}
