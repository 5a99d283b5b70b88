//! Tensor maps at the limits of the accelerator, and beyond them: a number that is too large, or too small, is named with its
//! limit, and none at its limit is.

use crate::common::gpu::with_gpu;
use crate::{common, skip};
use cuscope::tensor_map::{Interleave, Swizzle, TensorKind, TensorLayout};
use cuscope::{Error, PushedGuard, ffi};
use cuscope_softdriver::faults::{Fault, Which, with_fault};

const TILED: &str = "cuTensorMapEncodeTiled";
const COLUMNS: &str = "cuTensorMapEncodeIm2col";
const WIDE: &str = "cuTensorMapEncodeIm2colWide";

/// Encodes a layout where the driver refuses every one with this code, and returns the message.
fn message(
    gpu: &PushedGuard<'_>,
    call: &'static str,
    (layout, kind): (&TensorLayout, TensorKind),
    code: ffi::CUresult,
) -> String {
    let fault = Fault { which: Which::Named(call), code, performed: false };
    let (encoded, failed) = with_fault(fault, || layout.encode(gpu, kind, 1 << 20).map(drop));
    assert_eq!(failed, [call], "{layout:?}");
    encoded.unwrap_err().to_string()
}

/// A box of a plain tensor of two dimensions, and a column of images.
fn tiled(pieces: [u32; 2]) -> TensorLayout {
    TensorLayout::tiled(&[1024, 1024], &pieces)
}

fn columns(channels: u32, pixels: u32) -> TensorLayout {
    TensorLayout::im2col(&[256, 32, 32, 2], &[0, 0], &[0, 0], channels, pixels)
}

fn wide(corners: [i32; 2], channels: u32, pixels: u32) -> TensorLayout {
    let [lower, upper] = corners;
    TensorLayout::im2col_wide(&[256, 4, 8, 2], lower, upper, channels, Some(pixels))
        .swizzle(Swizzle::Bytes128)
}

/// Images with these corners, of one, two or three dimensions.
fn corners(extent: u64, lower: &[i32], upper: &[i32]) -> TensorLayout {
    let between = vec![extent; lower.len()];
    TensorLayout::im2col(&[&[16][..], &between, &[2]].concat(), lower, upper, 16, 64)
}

#[test]
fn each_limit_of_the_accelerator_is_named_beyond_it_and_not_at_it() {
    if !common::software() {
        skip!("needs the software driver, which refuses what it is told to");
    }
    use Interleave::Bytes16;
    let slices = |pieces: &[u32]| TensorLayout::tiled(&[64; 5], pieces).interleave(Bytes16);
    let packed = TensorLayout::tiled(&[128, 8], &[128, 8]).strides(&[64]);
    let steps = |step: u32| tiled([32, 32]).element_steps(&[1, step]);
    let flat = |interleave| TensorLayout::tiled(&[64, 64], &[4, 4]).interleave(interleave);
    let nan = || tiled([32, 32]).nan_beyond();
    let f32 = TensorKind::F32;
    let good = |call| (call, f32, "");
    let rows = [
        // The extents, steps and strides.
        (
            (
                TILED,
                f32,
                "the extent of dimension 1 is 4294967297, and must be from 1 to 4294967296",
            ),
            TensorLayout::tiled(&[64, (1 << 32) + 1], &[32, 32]),
        ),
        (good(TILED), TensorLayout::tiled(&[64, 1 << 32], &[32, 32])),
        ((TILED, f32, "the step of dimension 1 is 0, and must be from 1 to 8"), steps(0)),
        ((TILED, f32, "the step of dimension 1 is 9, and must be from 1 to 8"), steps(9)),
        (good(TILED), steps(8)),
        (
            (
                TILED,
                f32,
                "the stride of dimension 1 is 1099511627776 bytes, and must be less than 2^40",
            ),
            tiled([32, 32]).strides(&[1 << 40]),
        ),
        (good(TILED), tiled([32, 32]).strides(&[(1 << 40) - 16])),
        // The modes.
        (
            (
                TILED,
                f32,
                "the tensor is interleaved and has 2 dimensions: pass 3 to 5, or `Interleave::None`",
            ),
            flat(Bytes16),
        ),
        (good(TILED), flat(Interleave::None)),
        (good(TILED), TensorLayout::tiled(&[64; 3], &[4, 4, 4]).interleave(Bytes16)),
        (
            (
                TILED,
                TensorKind::U4Packed8,
                "packed numbers need a device of compute capability 10.0 or higher",
            ),
            packed.clone(),
        ),
        (
            (
                TILED,
                TensorKind::U4Packed16,
                "packed numbers need a device of compute capability 10.0 or higher",
            ),
            packed.clone(),
        ),
        (
            (
                TILED,
                TensorKind::U6Packed16,
                "packed numbers need a device of compute capability 10.0 or higher",
            ),
            packed,
        ),
        // One row, whose strides nobody needs.
        (
            (TILED, TensorKind::U4Packed8, "packed numbers need a device"),
            TensorLayout::tiled(&[128], &[128]),
        ),
        ((TILED, TensorKind::I64, "integers have no NaN: leave `nan_beyond` out"), nan()),
        ((TILED, TensorKind::U8, "integers have no NaN"), nan()),
        (good(TILED), nan()),
        ((TILED, TensorKind::F16, ""), nan()),
        ((TILED, TensorKind::Bf16, ""), nan()),
        ((TILED, TensorKind::I32, ""), tiled([32, 32])),
        // Boxes.
        (
            (TILED, f32, "the edge of the box of dimension 1 is 0, and must be from 1 to 256"),
            tiled([32, 0]),
        ),
        (
            (TILED, f32, "the edge of the box of dimension 1 is 257, and must be from 1 to 256"),
            tiled([32, 257]),
        ),
        (good(TILED), tiled([32, 256])),
        (
            (
                TILED,
                f32,
                "the innermost edge of the box is 2, which is 8 bytes for elements of 4: it must be a multiple of 16 bytes",
            ),
            tiled([2, 32]),
        ),
        (
            (
                TILED,
                f32,
                "the innermost edge of the box is 36, which is 144 bytes, and `Swizzle::Bytes128` shuffles rows of at most 128",
            ),
            tiled([36, 32]).swizzle(Swizzle::Bytes128),
        ),
        (good(TILED), tiled([32, 32]).swizzle(Swizzle::Bytes128)),
        (good(TILED), tiled([16, 32]).swizzle(Swizzle::Bytes64)),
        (good(TILED), tiled([8, 32]).swizzle(Swizzle::Bytes32)),
        (
            (
                TILED,
                f32,
                "a box has 233472 bytes, and a block at most 232448 bytes of shared memory on this device",
            ),
            tiled([256, 228]),
        ),
        (good(TILED), tiled([256, 227])),
        // Of the slices, which the last dimension but one counts, a box has one.
        (
            (TILED, f32, "a box has 262144 bytes, and a block at most 232448"),
            slices(&[4, 256, 16, 9, 1]),
        ),
        (good(TILED), slices(&[4, 256, 2, 200, 2])),
        // Columns.
        (
            (COLUMNS, f32, "260 channels are copied at once, and at most 256 can be"),
            columns(260, 64),
        ),
        (good(COLUMNS), columns(256, 64)),
        (
            (COLUMNS, f32, "the number of channels is 0, which is 0 bytes for elements of 4"),
            columns(0, 64),
        ),
        (
            (COLUMNS, f32, "the number of channels is 6, which is 24 bytes for elements of 4"),
            columns(6, 64),
        ),
        ((COLUMNS, f32, "0 pixels are copied at once: pass from 1 to 1024"), columns(16, 0)),
        ((COLUMNS, f32, "1025 pixels are copied at once: pass from 1 to 1024"), columns(16, 1025)),
        (good(COLUMNS), columns(16, 1)),
        (good(COLUMNS), columns(16, 1024)),
        (
            (
                COLUMNS,
                f32,
                "the offset of the lower corner of dimension 0 is 32768, and must be from -32768 to 32767",
            ),
            corners(1 << 20, &[32_768], &[0]),
        ),
        (good(COLUMNS), corners(1 << 20, &[32_767], &[-32_768])),
        (
            (
                COLUMNS,
                f32,
                "the offset of the upper corner of dimension 1 is -129, and must be from -128 to 127",
            ),
            corners(512, &[0, 0], &[0, -129]),
        ),
        (good(COLUMNS), corners(512, &[127, 127], &[-128, -128])),
        (
            (
                COLUMNS,
                f32,
                "the offset of the lower corner of dimension 2 is 16, and must be from -16 to 15",
            ),
            corners(64, &[0, 0, 16], &[0; 3]),
        ),
        (good(COLUMNS), corners(64, &[15, 15, 15], &[-16, -16, -16])),
        (
            (COLUMNS, f32, "between the corners 4 and 0 of dimension 2 no pixel of the 4 is left"),
            corners(4, &[0, 4], &[0, 0]),
        ),
        (
            (COLUMNS, f32, "between the corners 0 and -4 of dimension 1 no pixel of the 4 is left"),
            corners(4, &[0, 0], &[-4, 0]),
        ),
        (good(COLUMNS), corners(4, &[3, 0], &[0, -3])),
        (
            (
                WIDE,
                f32,
                "the offset of the corner of dimension 0 is 32768, and must be from -32768 to 32767",
            ),
            wide([32_768, 0], 32, 64),
        ),
        (
            (
                WIDE,
                f32,
                "the offset of the corner of dimension 1 is -32769, and must be from -32768 to 32767",
            ),
            wide([0, -32_769], 32, 64),
        ),
        (good(WIDE), wide([-32_768, 32_767], 32, 64)),
        ((WIDE, f32, "1025 pixels are copied at once"), wide([0, 0], 32, 1025)),
        (good(WIDE), wide([0, 0], 32, 1024)),
    ];
    with_gpu(|gpu| {
        let said = |call, layout: &TensorLayout, kind| {
            message(gpu, call, (layout, kind), ffi::CUDA_ERROR_INVALID_VALUE)
        };
        let without = [
            (TILED, said(TILED, &tiled([32, 32]), f32)),
            (COLUMNS, said(COLUMNS, &columns(16, 64), f32)),
            (WIDE, said(WIDE, &wide([0, 0], 32, 64), f32)),
        ];
        for ((call, kind, reason), layout) in &rows {
            let text = said(call, layout, *kind);
            let (_, plain) = without.iter().find(|(of, _)| of == call).unwrap();
            if reason.is_empty() {
                assert_eq!(text, *plain, "{layout:?}");
            } else {
                assert!(text.contains(reason) && !plain.contains(reason), "{reason}: {text}");
            }
        }
        // A device that has no tensor maps, or none of a form.
        for (call, layout, needed) in [
            (TILED, tiled([32, 32]), "9.0"),
            (COLUMNS, columns(16, 64), "9.0"),
            (WIDE, wide([0, 0], 32, 64), "10.0"),
        ] {
            let text = message(gpu, call, (&layout, f32), ffi::CUDA_ERROR_NOT_SUPPORTED);
            let needs = format!(
                "such tensor maps need a device of compute capability {needed} or higher, and this one has 9.0"
            );
            assert!(text.contains(&needs), "{text}");
        }
    });
}

#[test]
fn lists_of_other_lengths_and_memory_that_is_too_small_are_told_with_the_call() {
    with_gpu(|gpu| {
        let refused = |layout: TensorLayout, of: &str, words: &str| match layout
            .encode(gpu, TensorKind::F32, 1 << 20)
            .unwrap_err()
        {
            Error::InvalidArgument { call, reason } => {
                assert_eq!((call, &*reason.to_string()), (of, words), "{layout:?}");
            }
            other => panic!("{other}"),
        };
        let volumes = TensorLayout::im2col(&[16, 8, 8, 8, 2], &[0], &[], 16, 64);
        refused(
            volumes,
            COLUMNS,
            "the tensor has 5 dimensions, and 1 offsets of the lower corner were passed: pass 3, and 0 offsets of the \
             upper corner were passed: pass 3",
        );
        let two = "such a tensor has 3 to 5 dimensions, and this one has 2";
        refused(TensorLayout::im2col_wide(&[16, 8], 0, 0, 16, None), WIDE, two);
        refused(
            tiled([32, 32]).element_steps(&[1]),
            TILED,
            "the tensor has 2 dimensions, and 1 steps were passed: pass 2",
        );
        let mut x = gpu.alloc::<f32>(64).unwrap();
        let layout = TensorLayout::tiled(&[68], &[4]);
        let text = gpu.tensor_map(&layout, &x).unwrap_err().to_string();
        let stored = "; a store writes a row in whole pieces of 16 bytes";
        assert!(text.contains("it has 272 bytes, and the memory 256") && !text.contains(stored));
        let text = gpu.tensor_map(&layout, &mut x).unwrap_err().to_string();
        assert!(text.contains("it has 272 bytes, and the memory 256") && text.contains(stored));
    });
}
