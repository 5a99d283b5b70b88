//! Tensor maps, and where a kernel has them: F427, F428, F600.

use crate::dangling;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

/// A tensor of 32 rows of 32 numbers, and boxes of 16 rows of 32. There is room for the dimensions of every rank that the
/// driver is asked about.
struct Tiled {
    kind: CUtensorMapDataType,
    rank: u32,
    address: u64,
    extents: [u64; 6],
    stride: [u64; 5],
    pieces: [u32; 6],
    steps: [u32; 6],
    interleave: CUtensorMapInterleave,
    swizzle: CUtensorMapSwizzle,
    promotion: CUtensorMapL2promotion,
    fill: CUtensorMapFloatOOBfill,
}

fn encode(memory: CUdeviceptr, change: fn(&mut Tiled)) -> (CUresult, CUtensorMap) {
    encode_all(memory, &[change])
}

/// Of several changes.
fn encode_all(memory: CUdeviceptr, changes: &[fn(&mut Tiled)]) -> (CUresult, CUtensorMap) {
    let mut tensor = Tiled {
        kind: CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        rank: 2,
        address: memory,
        extents: [32, 32, 1, 1, 1, 1],
        stride: [128; 5],
        pieces: [32, 16, 1, 1, 1, 1],
        steps: [1; 6],
        interleave: CU_TENSOR_MAP_INTERLEAVE_NONE,
        swizzle: CU_TENSOR_MAP_SWIZZLE_128B,
        promotion: CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
        fill: CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    };
    changes.iter().for_each(|change| change(&mut tensor));
    let mut map: CUtensorMap = all_zeros();
    let address: *mut c_void = std::ptr::without_provenance_mut(tensor.address as usize);
    let code = code!(cuTensorMapEncodeTiled(
        &raw mut map,
        tensor.kind,
        tensor.rank,
        address,
        tensor.extents.as_ptr(),
        tensor.stride.as_ptr(),
        tensor.pieces.as_ptr(),
        tensor.steps.as_ptr(),
        tensor.interleave,
        tensor.swizzle,
        tensor.promotion,
        tensor.fill,
    ));
    (code, map)
}

/// F427
#[test]
fn a_tensor_is_encoded_if_the_accelerator_can_copy_it() {
    let a = place();
    needs_accelerator!();
    type Change = fn(&mut Tiled);
    let fine: [Change; 6] = [
        |_| {},
        |tensor| tensor.rank = 1,
        |tensor| tensor.kind = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
        |tensor| tensor.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
        |tensor| tensor.steps[1] = 8,
        |tensor| tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE,
    ];
    for (number, change) in fine.into_iter().enumerate() {
        let (code, map) = encode(a.memory, change);
        assert_eq!(code, SUCCESS, "{number}");
        assert_eq!(map.opaque, encode(a.memory, change).1.opaque, "{number}");
    }
    let bad: [Change; 17] = [
        |tensor| tensor.rank = 0,
        |tensor| tensor.rank = 6,
        |tensor| tensor.address += 8,
        |tensor| tensor.extents[0] = 0,
        |tensor| tensor.extents[1] = (1 << 32) + 1,
        |tensor| tensor.stride[0] = 120,
        |tensor| tensor.stride[0] = 1 << 40,
        |tensor| tensor.pieces[0] = 0,
        |tensor| tensor.pieces[1] = 257,
        |tensor| tensor.pieces[0] = 3,
        |tensor| tensor.steps[1] = 0,
        |tensor| tensor.steps[1] = 9,
        |tensor| tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_64B,
        |tensor| tensor.interleave = CU_TENSOR_MAP_INTERLEAVE_16B,
        |tensor| tensor.kind = CUtensorMapDataType(99),
        |tensor| tensor.promotion = CUtensorMapL2promotion(99),
        |tensor| {
            tensor.kind = CU_TENSOR_MAP_DATA_TYPE_INT32;
            tensor.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
        },
    ];
    for (number, change) in bad.into_iter().enumerate() {
        assert_eq!(encode(a.memory, change).0, INVALID_VALUE, "{number}");
    }
    let interleaved: [(Change, CUresult); 3] = [
        (|_| {}, SUCCESS),
        (|tensor| tensor.interleave = CU_TENSOR_MAP_INTERLEAVE_32B, SUCCESS),
        // Rows of 8 bytes, although a box counts slices of 16.
        (|tensor| tensor.pieces[0] = 2, INVALID_VALUE),
    ];
    for (number, (change, code)) in interleaved.into_iter().enumerate() {
        let interleave: Change = |tensor| {
            tensor.rank = 4;
            tensor.interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
            tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
        };
        assert_eq!(encode_all(a.memory, &[interleave, change]).0, code, "{number}");
    }
    let (_, mut map) = encode(a.memory, |_| {});
    let (_, moved) = encode(a.memory + 1024, |_| {});
    let address = |at: u64| std::ptr::without_provenance_mut(at as usize);
    ok!(cuTensorMapReplaceAddress(&raw mut map, address(a.memory + 1024)));
    assert_eq!(map.opaque, moved.opaque);
    let code = code!(cuTensorMapReplaceAddress(&raw mut map, address(a.memory + 8)));
    assert_eq!(code, INVALID_VALUE);
    pop();
    a.destroy();
}

/// F427
#[test]
fn packed_numbers_and_wide_swizzles_are_of_later_devices() {
    let a = place();
    needs_accelerator!();
    let mut major = 0;
    let asked = CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
    ok!(cuDeviceGetAttribute(&raw mut major, asked, device()));
    if major > 9 {
        crate::skip!("the device has them");
    }
    let changes: [fn(&mut Tiled); 6] = [
        |tensor| tensor.kind = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B,
        |tensor| tensor.kind = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B,
        |tensor| tensor.kind = CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B,
        |tensor| tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B,
        |tensor| tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
        |tensor| tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let fitting: fn(&mut Tiled) = |tensor| {
            (tensor.extents[0], tensor.pieces[0]) = (128, 128);
            tensor.kind = CU_TENSOR_MAP_DATA_TYPE_UINT8;
        };
        assert_eq!(encode_all(a.memory, &[fitting]).0, SUCCESS);
        assert_eq!(encode_all(a.memory, &[fitting, change]).0, INVALID_VALUE, "{number}");
    }
    pop();
    a.destroy();
}

/// Images of 8 channels, of a width of 8 and a height of 2, and pixels between corners.
fn encode_images(
    memory: CUdeviceptr,
    (lower, upper): ([i32; 2], [i32; 2]),
    (channels, pixels): (u32, u32),
) -> CUresult {
    let mut map: CUtensorMap = all_zeros();
    let address: *mut c_void = std::ptr::without_provenance_mut(memory as usize);
    code!(cuTensorMapEncodeIm2col(
        &raw mut map,
        CU_TENSOR_MAP_DATA_TYPE_UINT32,
        4,
        address,
        [8, 8, 2, 2].as_ptr(),
        [32, 256, 512].as_ptr(),
        lower.as_ptr(),
        upper.as_ptr(),
        channels,
        pixels,
        [1; 4].as_ptr(),
        CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE,
        CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    ))
}

/// F600
#[test]
fn pixels_are_between_corners_of_which_the_width_is_first() {
    let a = place();
    needs_accelerator!();
    for (corners, code) in [
        (([0, 0], [-7, 0]), SUCCESS),
        (([5, 0], [0, 0]), SUCCESS),
        (([0, 0], [-8, 0]), INVALID_VALUE),
        (([0, 0], [0, -4]), INVALID_VALUE),
        (([0, 5], [0, 0]), INVALID_VALUE),
    ] {
        assert_eq!(encode_images(a.memory, corners, (8, 8)), code, "{corners:?}");
    }
    for sizes in [(8, 0), (0, 8), (3, 8), (8, 1025)] {
        assert_eq!(encode_images(a.memory, ([0; 2], [0; 2]), sizes), INVALID_VALUE, "{sizes:?}");
    }
    pop();
    a.destroy();
}

/// F427
#[test]
fn no_map_is_no_map_or_kills_the_process() {
    dangling!(no_map_is_no_map_or_kills_the_process, {
        die_quietly(60);
        let a = place();
        needs_accelerator!();
        let address = std::ptr::without_provenance_mut(a.memory as usize);
        assert_eq!(code!(cuTensorMapReplaceAddress(null_mut(), address)), INVALID_VALUE);
    });
}

/// F428
#[test]
fn large_alignments_are_those_of_the_device() {
    const KERNEL: &CStr = c".version 8.0\n.target sm_90\n.address_size 64\n\
        .visible .entry first(.param .u64 out, .param .align 64 .b8 map[128]) { ret; }";
    let a = Place::new();
    needs_accelerator!();
    within(a.context, || {
        let module: CUmodule = made!(cuModuleLoadData(KERNEL.as_ptr().cast()));
        let kernel: CUfunction = made!(cuModuleGetFunction(module, c"first".as_ptr()));
        let places: Vec<(usize, usize)> = (0..2)
            .map(|index| {
                let (mut offset, mut size) = (0, 0);
                let (offset_to, size_to) = (&raw mut offset, &raw mut size);
                assert_eq!(newer!(cuFuncGetParamInfo(kernel, index, offset_to, size_to)), SUCCESS);
                (offset, size)
            })
            .collect();
        assert_eq!(places, [(0, 8), (48, 128)]);
        ok!(cuModuleUnload(module));
    });
    a.destroy();
}
