//! Arrays and mipmapped arrays, and copies of their texels: F360 to F365, F375.
#![allow(non_snake_case, reason = "the names are those of cuda.h")]

use crate::raw::captures::{RELAXED, begin, end, nodes, replay};
use crate::raw::texels::*;
use crate::raw::*;
use crate::{dangling, fresh};
use cuscope::ffi::*;
use std::ptr::{null, null_mut};

const LAYERED: u32 = CUDA_ARRAY3D_LAYERED;
const SURFACE: u32 = CUDA_ARRAY3D_SURFACE_LDST;
const CUBE: u32 = CUDA_ARRAY3D_CUBEMAP;
const GATHER: u32 = CUDA_ARRAY3D_TEXTURE_GATHER;

/// F360
#[test]
fn arrays_have_shapes() {
    let a = Place::new();
    within(a.context, || {
        for (extent, flags) in [
            ([8, 0, 0], 0),
            ([8, 4, 0], 0),
            ([8, 4, 2], 0),
            ([8, 0, 3], LAYERED),
            ([8, 4, 3], LAYERED),
            ([8, 8, 6], CUBE),
            ([8, 8, 12], CUBE | LAYERED),
            ([8, 4, 0], SURFACE),
            ([8, 4, 0], GATHER),
            ([1, 1, 16_384], 0),
            ([1, 1, 32_768], 0),
            ([1, 1, 2048], LAYERED),
        ] {
            let asked = floats(extent, flags);
            let array = array(asked);
            let told: CUDA_ARRAY3D_DESCRIPTOR = made!(cuArray3DGetDescriptor_v2(array));
            assert_eq!([told.Width, told.Height, told.Depth], extent);
            assert_eq!((told.Format, told.NumChannels), (asked.Format, 1));
            ok!(cuArrayDestroy(array));
        }
        for (extent, flags) in [
            ([0, 0, 0], 0),
            ([8, 0, 4], 0),
            ([8, 0, 0], LAYERED),
            ([8, 4, 0], LAYERED),
            ([8, 4, 6], CUBE),
            ([8, 8, 5], CUBE),
            ([8, 8, 7], CUBE | LAYERED),
            ([8, 0, 0], GATHER),
            ([131_073, 0, 0], 0),
            ([1, 65_537, 0], 0),
            ([16_385, 1, 1], 0),
            ([1, 16_385, 1], 0),
            ([1, 1, 32_769], 0),
            ([1, 1, 2049], LAYERED),
        ] {
            assert_eq!(created(floats(extent, flags)).0, INVALID_VALUE, "{extent:?} {flags}");
        }
        for (format, _) in FORMATS {
            for NumChannels in [1, 2, 4] {
                let one =
                    CUDA_ARRAY_DESCRIPTOR { Width: 4, Height: 4, Format: format, NumChannels };
                let array: CUarray = made!(cuArrayCreate_v2(&raw const one));
                let told: CUDA_ARRAY_DESCRIPTOR = made!(cuArrayGetDescriptor_v2(array));
                assert_eq!((told.Width, told.Height), (4, 4));
                assert_eq!((told.Format, told.NumChannels), (format, NumChannels));
                ok!(cuArrayDestroy(array));
            }
            for NumChannels in [0, 5] {
                let one =
                    CUDA_ARRAY_DESCRIPTOR { Width: 4, Height: 4, Format: format, NumChannels };
                let mut array = null_mut();
                assert_eq!(code!(cuArrayCreate_v2(&raw mut array, &raw const one)), INVALID_VALUE);
            }
        }
        let one = floats([8, 0, 0], 0);
        let mut array = null_mut();
        each_gives!(INVALID_VALUE; {
            cuArray3DCreate_v2(null_mut(), &raw const one);
            cuArray3DCreate_v2(&raw mut array, null());
        });
        // Calls that take only arrays whose memory is mapped later.
        let array = self::array(one);
        let mut needs = all_zeros();
        let needed = code!(cuArrayGetMemoryRequirements(&raw mut needs, array, device()));
        assert_eq!(needed, INVALID_VALUE);
        ok!(cuArrayDestroy(array));
    });
    assert_eq!(created(floats([8, 0, 0], 0)).0, INVALID_CONTEXT);
    a.destroy();
}

/// F375
#[test]
fn plain_arrays_have_no_tiles_or_planes() {
    let a = Place::new();
    within(a.context, || {
        let array = array(floats([8, 0, 0], 0));
        let (mut tiles, mut plane) = (all_zeros(), null_mut());
        each_gives!(INVALID_VALUE; {
            cuArrayGetSparseProperties(&raw mut tiles, array);
            cuArrayGetPlane(&raw mut plane, array, 1);
        });
        ok!(cuArrayDestroy(array));
    });
    a.destroy();
}

/// F361
#[test]
fn levels_are_halves() {
    let a = Place::new();
    within(a.context, || {
        let one = floats([16, 6, 0], 0);
        let levels: CUmipmappedArray = made!(cuMipmappedArrayCreate(&raw const one, 4));
        for (level, extent) in [[16, 6, 0], [8, 3, 0], [4, 1, 0], [2, 1, 0]].into_iter().enumerate()
        {
            let array: CUarray = made!(cuMipmappedArrayGetLevel(levels, level as u32));
            let told: CUDA_ARRAY3D_DESCRIPTOR = made!(cuArray3DGetDescriptor_v2(array));
            assert_eq!([told.Width, told.Height, told.Depth], extent);
        }
        let mut array = null_mut();
        assert_eq!(code!(cuMipmappedArrayGetLevel(&raw mut array, levels, 4)), INVALID_VALUE);
        ok!(cuMipmappedArrayDestroy(levels));
        // More levels than there can be are as many as there can be.
        let levels: CUmipmappedArray = made!(cuMipmappedArrayCreate(&raw const one, 99));
        let _last: CUarray = made!(cuMipmappedArrayGetLevel(levels, 4));
        assert_eq!(code!(cuMipmappedArrayGetLevel(&raw mut array, levels, 5)), INVALID_VALUE);
        ok!(cuMipmappedArrayDestroy(levels));
    });
    a.destroy();
}

/// F362
#[test]
fn null_is_no_array() {
    let a = Place::new();
    within(a.context, || {
        let mut told = all_zeros();
        each_gives!(INVALID_HANDLE; {
            cuArrayDestroy(null_mut());
            cuMipmappedArrayDestroy(null_mut());
            cuArray3DGetDescriptor_v2(&raw mut told, null_mut());
        });
    });
    a.destroy();
}

/// F362
#[test]
fn a_destroyed_array_is_no_handle() {
    dangling!(a_destroyed_array_is_no_handle, {
        die_quietly(60);
        let _a = place();
        let array = array(floats([8, 0, 0], 0));
        ok!(cuArrayDestroy(array));
        assert_eq!(code!(cuArrayDestroy(array)), INVALID_HANDLE);
    });
}

/// F363
#[test]
fn boxes_of_texels_are_copied() {
    let a = Place::new();
    within(a.context, || {
        let to = array(floats([16, 8, 4], 0));
        let from = counting([16, 8, 4], 0);
        let mut copy = CUDA_MEMCPY3D {
            srcXInBytes: 8,
            srcY: 1,
            srcZ: 2,
            srcMemoryType: CU_MEMORYTYPE_ARRAY,
            srcArray: from,
            dstXInBytes: 4,
            dstY: 3,
            dstZ: 1,
            dstMemoryType: CU_MEMORYTYPE_ARRAY,
            dstArray: to,
            WidthInBytes: 12,
            Height: 2,
            Depth: 2,
            ..all_zeros()
        };
        ok!(cuMemcpy3D_v2(&raw const copy));
        let back = vec![0_f32; 3 * 2 * 2].leak();
        copy = CUDA_MEMCPY3D {
            srcXInBytes: 4,
            srcY: 3,
            srcZ: 1,
            srcMemoryType: CU_MEMORYTYPE_ARRAY,
            srcArray: to,
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstMemoryType: CU_MEMORYTYPE_HOST,
            dstHost: back.as_mut_ptr().cast(),
            ..copy
        };
        ok!(cuMemcpy3D_v2(&raw const copy));
        let at = |z: usize, y: usize, x: usize| ((z * 8 + y) * 16 + x) as f32;
        let expected: Vec<_> = [2, 3]
            .into_iter()
            .flat_map(|z| [1, 2].into_iter().flat_map(move |y| [2, 3, 4].map(|x| at(z, y, x))))
            .collect();
        assert_eq!(back, expected);
        type Change = fn(&mut CUDA_MEMCPY3D);
        let bad: [Change; 4] = [
            |copy| copy.srcXInBytes = 56,
            |copy| copy.srcY = 7,
            |copy| copy.srcZ = 3,
            |copy| copy.Height = 9,
        ];
        for (i, change) in bad.into_iter().enumerate() {
            let mut copy = copy;
            change(&mut copy);
            assert_eq!(code!(cuMemcpy3D_v2(&raw const copy)), INVALID_VALUE, "{i}");
            assert_eq!(code!(cuMemcpy3DAsync_v2(&raw const copy, a.stream)), INVALID_VALUE, "{i}");
        }
        // Texels may be cut.
        let uneven = CUDA_MEMCPY3D { srcXInBytes: 2, WidthInBytes: 3, ..copy };
        ok!(cuMemcpy3D_v2(&raw const uneven));
        // Of nothing, of rows, and with memory of the device, whose rows have a pitch.
        let nothing = CUDA_MEMCPY3D { Height: 0, ..copy };
        ok!(cuMemcpy3D_v2(&raw const nothing));
        let rows = CUDA_MEMCPY2D {
            srcMemoryType: CU_MEMORYTYPE_DEVICE,
            srcDevice: a.memory,
            srcPitch: 256,
            dstMemoryType: CU_MEMORYTYPE_ARRAY,
            dstArray: counting([16, 8, 0], 0),
            dstY: 4,
            WidthInBytes: 64,
            Height: 4,
            ..all_zeros()
        };
        ok!(cuMemcpy2D_v2(&raw const rows));
        ok!(cuMemcpy2DUnaligned_v2(&raw const rows));
        ok!(cuCtxSynchronize()); // F633
        ok!(cuMemcpy2DAsync_v2(&raw const rows, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        ok!(cuArrayDestroy(from));
        ok!(cuArrayDestroy(to));
    });
    a.destroy();
}

/// F364
#[test]
fn bytes_are_copied_to_arrays_of_one_dimension() {
    let a = Place::new();
    within(a.context, || {
        let (array, other) = (counting([16, 0, 0], 0), counting([16, 0, 0], 0));
        let values = [9_f32, 8.0];
        let back = vec![0_f32; 16].leak();
        ok!(cuMemcpyHtoA_v2(array, 8, values.as_ptr().cast(), 8));
        ok!(cuMemcpyAtoA_v2(other, 16, array, 8, 8));
        ok!(cuMemcpyAtoD_v2(a.memory, other, 0, 64));
        ok!(cuMemcpyDtoA_v2(array, 0, a.memory, 64));
        ok!(cuMemcpyAtoH_v2(back.as_mut_ptr().cast(), array, 0, 64));
        let mut expected: Vec<f32> = (0..16).map(|i| i as f32).collect();
        (expected[4], expected[5]) = (9.0, 8.0);
        assert_eq!(back, expected);
        ok!(cuMemcpyHtoAAsync_v2(array, 0, a.host, 64, a.stream));
        ok!(cuMemcpyAtoHAsync_v2(a.host, array, 0, 64, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        each_gives!(INVALID_VALUE; {
            cuMemcpyHtoA_v2(array, 60, values.as_ptr().cast(), 8);
            cuMemcpyAtoD_v2(a.memory, array, 64, 4);
            cuMemcpyHtoAAsync_v2(array, 60, a.host, 8, a.stream);
        });
        // Of an array of more dimensions, these are copies of the first row.
        let plane = counting([16, 8, 0], 0);
        ok!(cuMemcpyAtoH_v2(back.as_mut_ptr().cast(), plane, 0, 64));
        assert_eq!(code!(cuMemcpyAtoH_v2(back.as_mut_ptr().cast(), plane, 0, 65)), INVALID_VALUE);
        ok!(cuArrayDestroy(plane));
        // Texels may be cut, and beyond the end is room for nothing.
        ok!(cuMemcpyAtoD_v2(a.memory, array, 2, 3));
        ok!(cuMemcpyAtoD_v2(a.memory, array, 65, 0));
        ok!(cuArrayDestroy(array));
        ok!(cuArrayDestroy(other));
    });
    a.destroy();
}

/// F365
#[test]
fn graphs_copy_texels() {
    fresh!(graphs_copy_texels, {
        let a = place();
        let array = counting([16, 8, 0], 0);
        let mut copy = CUDA_MEMCPY3D {
            srcMemoryType: CU_MEMORYTYPE_ARRAY,
            srcArray: array,
            srcXInBytes: 4,
            srcY: 1,
            dstMemoryType: CU_MEMORYTYPE_DEVICE,
            dstDevice: a.memory,
            dstPitch: 64,
            WidthInBytes: 16,
            Height: 2,
            Depth: 1,
            ..all_zeros()
        };
        begin(a.stream, RELAXED);
        ok!(cuMemcpy3DAsync_v2(&raw const copy, a.stream));
        let graph = end(a.stream);
        assert_eq!(nodes(graph).len(), 1);
        let told: CUDA_MEMCPY3D = {
            let mut told = all_zeros();
            ok!(cuGraphMemcpyNodeGetParams(nodes(graph)[0], &raw mut told));
            told
        };
        assert_eq!((told.srcMemoryType, told.srcArray), (CU_MEMORYTYPE_ARRAY, array));
        let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
        replay(exec, a.stream);
        assert_eq!(a.value(), 17_f32.to_bits());
        let graph: CUgraph = made!(cuGraphCreate(0));
        let mut node = null_mut();
        let add = |node: &mut CUgraphNode, copy: &CUDA_MEMCPY3D| {
            code!(cuGraphAddMemcpyNode(node, graph, null(), 0, copy, a.context))
        };
        copy.srcY = 2;
        assert_eq!(add(&mut node, &copy), SUCCESS);
        let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
        replay(exec, a.stream);
        assert_eq!(a.value(), 33_f32.to_bits());
        copy.srcXInBytes = 56;
        assert_eq!(add(&mut node, &copy), INVALID_VALUE);
        let to = |array| CUDA_MEMCPY3D {
            srcMemoryType: CU_MEMORYTYPE_DEVICE,
            srcDevice: a.memory,
            dstMemoryType: CU_MEMORYTYPE_ARRAY,
            dstArray: array,
            WidthInBytes: 16,
            Height: 1,
            Depth: 1,
            ..all_zeros()
        };
        let graph: CUgraph = made!(cuGraphCreate(0));
        let first = to(array);
        let node: CUgraphNode =
            made!(cuGraphAddMemcpyNode(graph, null(), 0, &raw const first, a.context));
        let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
        let other = to(counting([16, 0, 0], 0));
        let across = CUDA_MEMCPY3D { srcMemoryType: CU_MEMORYTYPE_ARRAY, srcArray: array, ..other };
        for (copy, answer) in [(other, SUCCESS), (across, INVALID_VALUE)] {
            let set = code!(cuGraphExecMemcpyNodeSetParams(exec, node, &raw const copy, a.context));
            assert_eq!(set, answer);
        }
    });
}
