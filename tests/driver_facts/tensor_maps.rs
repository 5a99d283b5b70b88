//! Tensor maps, what is copied with them, and where a kernel has them: F427, F428, F600 to F602.

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

/// Loads a box at a place, and copies so many of its bytes to `out`.
const FETCH: &CStr = c"
.version 8.3
.target sm_90
.address_size 64
.visible .entry fetch(.param .u64 map, .param .u64 out, .param .u64 x, .param .u64 y, .param .u64 z, .param .u64 bytes)
{
    .reg .b64 %map, %out, %long, %state, %to; .reg .b32 %x, %y, %z, %bytes, %tile, %bar, %tries, %at, %word; .reg .pred %p;
    .shared .align 1024 .b8 tile[4096];
    .shared .align 8 .b64 bar;
    ld.param.u64 %map, [map];
    ld.param.u64 %out, [out]; cvta.to.global.u64 %out, %out;
    ld.param.u64 %long, [x]; cvt.u32.u64 %x, %long;
    ld.param.u64 %long, [y]; cvt.u32.u64 %y, %long;
    ld.param.u64 %long, [z]; cvt.u32.u64 %z, %long;
    ld.param.u64 %long, [bytes]; cvt.u32.u64 %bytes, %long;
    mov.u32 %tile, tile; mov.u32 %bar, bar;
    mbarrier.init.shared.b64 [%bar], 1;
    fence.proxy.async;
    fence.proxy.tensormap::generic.acquire.sys [%map], 128;
    mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], %bytes;
    cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%tile], [%map, {%x, %y, %z}], [%bar];
    mov.u32 %tries, 0;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p, [%bar], 0;
    @%p bra ARRIVED;
    add.u32 %tries, %tries, 1; setp.lt.u32 %p, %tries, 1000000;
    @%p bra WAIT;
    ret;
ARRIVED:
    mov.u32 %at, 0;
COPY:
    setp.ge.u32 %p, %at, %bytes;
    @%p bra COPIED;
    add.u32 %word, %tile, %at; ld.shared.u32 %word, [%word];
    cvt.u64.u32 %to, %at; add.u64 %to, %to, %out; st.global.u32 [%to], %word;
    add.u32 %at, %at, 4;
    bra COPY;
COPIED:
    ret;
}
";

/// F601
#[test]
fn interleaved_tensors_count_slices() {
    let a = place();
    needs_accelerator!();
    let module: CUmodule = made!(cuModuleLoadData(FETCH.as_ptr().cast()));
    let fetch: CUfunction = made!(cuModuleGetFunction(module, c"fetch".as_ptr()));
    let (memory, out): (CUdeviceptr, CUdeviceptr) =
        (made!(cuMemAlloc_v2(8192)), made!(cuMemAlloc_v2(4096)));
    let map_at: CUdeviceptr = made!(cuMemAlloc_v2(128));
    let numbers: Vec<u16> = (0..4096).collect();
    ok!(cuMemcpyHtoD_v2(memory, numbers.as_ptr().cast(), 8192));
    let (none, eight, sixteen) =
        (CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_INTERLEAVE_32B);
    let (no, within) = (CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B);
    // The first extent, the strides, the box, the modes and the place; the numbers that arrive, and the first one.
    type Case = (
        (u64, [u64; 2]),
        [u32; 3],
        (CUtensorMapInterleave, CUtensorMapSwizzle),
        [u64; 3],
        (usize, u16),
    );
    let cases: [Case; 12] = [
        ((16, [32, 128]), [8, 2, 1], (none, no), [0, 0, 0], (16, 0)),
        ((16, [32, 128]), [8, 2, 1], (none, no), [8, 0, 0], (16, 8)),
        ((16, [16, 128]), [8, 2, 1], (eight, no), [0, 0, 0], (64, 0)),
        ((16, [16, 128]), [8, 2, 1], (eight, no), [8, 0, 0], (64, 64)),
        ((16, [16, 128]), [8, 2, 1], (eight, no), [1, 0, 0], (64, 8)),
        ((16, [16, 128]), [8, 2, 1], (eight, no), [8, 2, 1], (64, 144)),
        ((16, [16, 128]), [16, 2, 1], (eight, no), [0, 0, 0], (128, 0)),
        ((16, [32, 128]), [8, 2, 1], (eight, no), [8, 0, 0], (64, 64)),
        ((16, [32, 128]), [8, 2, 1], (eight, no), [8, 2, 1], (64, 160)),
        ((32, [32, 256]), [16, 2, 1], (sixteen, no), [16, 0, 0], (256, 256)),
        ((32, [32, 256]), [16, 2, 1], (sixteen, within), [16, 0, 0], (256, 256)),
        ((32, [64, 256]), [16, 2, 1], (sixteen, within), [16, 0, 1], (256, 384)),
    ];
    for (number, (tensor, pieces, modes, at, (count, first))) in cases.into_iter().enumerate() {
        let (extent, strides) = tensor;
        let mut map: CUtensorMap = all_zeros();
        ok!(cuTensorMapEncodeTiled(
            &raw mut map,
            CU_TENSOR_MAP_DATA_TYPE_UINT16,
            3,
            std::ptr::without_provenance_mut(memory as usize),
            [extent, 4, 2].as_ptr(),
            strides.as_ptr(),
            pieces.as_ptr(),
            [1; 3].as_ptr(),
            modes.0,
            modes.1,
            CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        ));
        ok!(cuMemcpyHtoD_v2(map_at, (&raw const map).cast(), 128));
        ok!(cuMemsetD8_v2(out, 0xff, 4096));
        let bytes = 2 * count as u64;
        assert_eq!(launch(fetch, null_mut(), &[map_at, out, at[0], at[1], at[2], bytes]), SUCCESS);
        ok!(cuCtxSynchronize());
        let mut got = vec![0_u16; count];
        ok!(cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), out, 2 * count));
        // The two rows of a box that is not interleaved are 16 numbers apart.
        let wanted = (0..count as u16).map(|place| match modes {
            (CU_TENSOR_MAP_INTERLEAVE_NONE, _) => first + place % 8 + place / 8 * 16,
            (_, CU_TENSOR_MAP_SWIZZLE_NONE) => first + place,
            _ => first + (place ^ (place >> 3 & 8)),
        });
        assert_eq!(got, wanted.collect::<Vec<_>>(), "{number}");
    }
    ok!(cuMemFree_v2(memory));
    ok!(cuMemFree_v2(out));
    ok!(cuMemFree_v2(map_at));
    ok!(cuModuleUnload(module));
    pop();
    a.destroy();
}

/// F602
#[test]
fn strides_may_be_anything_and_large_boxes_are_refused() {
    let a = place();
    needs_accelerator!();
    type Change = fn(&mut Tiled);
    let plain: Change = |tensor| {
        tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
        tensor.extents[0] = 256;
        tensor.stride[0] = 1024;
    };
    let cases: [(Change, CUresult); 14] = [
        (|tensor| tensor.extents[1] = 1 << 31, SUCCESS),
        (|tensor| tensor.extents[1] = (1 << 31) + 1, SUCCESS),
        (|tensor| tensor.extents[1] = 1 << 32, SUCCESS),
        (|tensor| tensor.extents[1] = (1 << 32) + 1, INVALID_VALUE),
        (|tensor| tensor.stride[0] = 0, SUCCESS),
        (|tensor| tensor.stride[0] = 16, SUCCESS),
        (|tensor| tensor.extents[1] = 4, SUCCESS),
        (|tensor| tensor.steps[0] = 0, INVALID_VALUE),
        (|tensor| tensor.steps[0] = 2, SUCCESS),
        (|tensor| tensor.steps[0] = 9, INVALID_VALUE),
        (|tensor| (tensor.pieces[0], tensor.pieces[1]) = (256, 256), INVALID_VALUE),
        (|tensor| (tensor.rank, tensor.pieces) = (3, [256, 256, 64, 1, 1, 1]), INVALID_VALUE),
        (
            |tensor| {
                tensor.pieces[0] = 64;
                tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
            },
            INVALID_VALUE,
        ),
        (|tensor| (tensor.extents[0], tensor.pieces[0]) = (4, 8), SUCCESS),
    ];
    for (number, (change, code)) in cases.into_iter().enumerate() {
        assert_eq!(encode_all(a.memory, &[plain, change]).0, code, "{number}");
    }
    let three: Change = |tensor| {
        tensor.rank = 3;
        tensor.extents = [4, 4, 4, 1, 1, 1];
        tensor.pieces = [4, 4, 4, 1, 1, 1];
    };
    let strides: [Change; 2] =
        [|tensor| tensor.stride = [64, 16, 0, 0, 0], |tensor| tensor.stride = [48, 64, 0, 0, 0]];
    for (number, strides) in strides.into_iter().enumerate() {
        assert_eq!(encode_all(a.memory, &[plain, three, strides]).0, SUCCESS, "{number}");
    }
    let interleaved: Change = |tensor| {
        tensor.rank = 3;
        tensor.kind = CU_TENSOR_MAP_DATA_TYPE_UINT16;
        tensor.interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
        tensor.extents = [32, 4, 2, 1, 1, 1];
        tensor.stride = [64, 256, 0, 0, 0];
        tensor.pieces = [16, 2, 1, 1, 1, 1];
    };
    let of_32: Change = |tensor| tensor.interleave = CU_TENSOR_MAP_INTERLEAVE_32B;
    let swizzles: [Change; 4] = [
        |tensor| tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE,
        |tensor| tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_32B,
        |tensor| tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_64B,
        |tensor| tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_128B,
    ];
    for (number, swizzle) in swizzles.into_iter().enumerate() {
        assert_eq!(encode_all(a.memory, &[plain, interleaved, swizzle]).0, SUCCESS, "{number}");
        let wide = [plain, interleaved, of_32, swizzle];
        assert_eq!(encode_all(a.memory, &wide).0, SUCCESS, "{number}");
    }
    let short: Change = |tensor| tensor.pieces[0] = 4;
    assert_eq!(encode_all(a.memory, &[plain, interleaved, short]).0, INVALID_VALUE);
    let narrow: Change = |tensor| tensor.stride[0] = 16;
    assert_eq!(encode_all(a.memory, &[plain, interleaved, narrow]).0, SUCCESS);
    pop();
    a.destroy();
}

/// Stores a box of 16 bytes 7 to a place.
const STORE: &CStr = c"
.version 8.3
.target sm_90
.address_size 64
.visible .entry put(.param .u64 map, .param .u64 x)
{
    .reg .b64 %map, %long; .reg .b32 %x, %tile;
    .shared .align 128 .b8 tile[128];
    ld.param.u64 %map, [map];
    ld.param.u64 %long, [x]; cvt.u32.u64 %x, %long;
    mov.u32 %tile, tile;
    st.shared.v4.u32 [%tile], {0x07070707, 0x07070707, 0x07070707, 0x07070707};
    fence.proxy.async;
    fence.proxy.tensormap::generic.acquire.sys [%map], 128;
    cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%map, {%x}], [%tile];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
}
";

/// F604
#[test]
fn a_store_writes_whole_pieces_of_16_bytes() {
    let a = place();
    needs_accelerator!();
    let module: CUmodule = made!(cuModuleLoadData(STORE.as_ptr().cast()));
    let put: CUfunction = made!(cuModuleGetFunction(module, c"put".as_ptr()));
    let (memory, map_at): (CUdeviceptr, CUdeviceptr) =
        (made!(cuMemAlloc_v2(64)), made!(cuMemAlloc_v2(128)));
    // The extent in bytes, the first step, and where the box goes; the bytes that are written.
    for ((extent, step, x), written) in [
        ((13, 1, 0), 0..16),
        ((16, 1, 0), 0..16),
        ((17, 1, 16), 16..32),
        ((43, 1, 32), 32..48),
        ((43, 1, 48), 0..0),
        ((43, 4, 32), 32..48),
    ] {
        let mut map: CUtensorMap = all_zeros();
        ok!(cuTensorMapEncodeTiled(
            &raw mut map,
            CU_TENSOR_MAP_DATA_TYPE_UINT8,
            1,
            std::ptr::without_provenance_mut(memory as usize),
            [extent].as_ptr(),
            [0; 1].as_ptr(),
            [16].as_ptr(),
            [step].as_ptr(),
            CU_TENSOR_MAP_INTERLEAVE_NONE,
            CU_TENSOR_MAP_SWIZZLE_NONE,
            CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        ));
        ok!(cuMemcpyHtoD_v2(map_at, (&raw const map).cast(), 128));
        ok!(cuMemsetD8_v2(memory, 0, 64));
        assert_eq!(launch(put, null_mut(), &[map_at, x]), SUCCESS);
        ok!(cuCtxSynchronize());
        let mut got = [0_u8; 64];
        ok!(cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), memory, 64));
        let wanted: Vec<u8> = (0..64).map(|at| if written.contains(&at) { 7 } else { 0 }).collect();
        assert_eq!(got[..], wanted, "{extent}, {step}, {x}");
    }
    ok!(cuMemFree_v2(memory));
    ok!(cuMemFree_v2(map_at));
    ok!(cuModuleUnload(module));
    a.destroy();
}
