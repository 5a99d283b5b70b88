//! Copies in batches: F426, F490 to F492.

use crate::raw::texels::{array, counting, floats};
use crate::raw::*;
use crate::{dangling, fresh};
use cuscope::ffi::*;
use std::ffi::c_void;
use std::ptr::null_mut;

/// The number of no copy.
const NONE: usize = usize::MAX;

/// Two copies within a place, from its second half to its first, and how they are made.
struct Batch {
    to: [CUdeviceptr; 2],
    from: [CUdeviceptr; 2],
    sizes: [usize; 2],
    attributes: [CUmemcpyAttributes; 2],
    firsts: [usize; 2],
    /// Copies, and kinds of attributes.
    count: usize,
    kinds: usize,
}

fn attributes(order: CUmemcpySrcAccessOrder) -> CUmemcpyAttributes {
    let mut attributes: CUmemcpyAttributes = all_zeros();
    attributes.srcAccessOrder = order;
    attributes
}

impl Batch {
    fn new(memory: CUdeviceptr) -> Batch {
        Batch {
            to: [memory, memory + 1024],
            from: [memory + 2048, memory + 3072],
            sizes: [64; 2],
            attributes: [attributes(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM); 2],
            firsts: [0, 1],
            count: 2,
            kinds: 1,
        }
    }

    /// The answers of both forms, which are the same, and the number of the copy that failed.
    fn enqueue(&mut self, stream: CUstream) -> (CUresult, usize) {
        let mut failed = 77;
        let (to, from) = (self.to.as_mut_ptr(), self.from.as_mut_ptr());
        let (sizes, firsts) = (self.sizes.as_mut_ptr(), self.firsts.as_mut_ptr());
        let (attributes, count, kinds) = (self.attributes.as_mut_ptr(), self.count, self.kinds);
        let number = &raw mut failed;
        let code = newer!(cuMemcpyBatchAsync(
            to, from, sizes, count, attributes, firsts, kinds, number, stream
        ));
        if let Ok(second) = cuMemcpyBatchAsync_v2() {
            // SAFETY: as for `newer!`.
            let same = unsafe { second(to, from, sizes, count, attributes, firsts, kinds, stream) };
            assert_eq!(same, code);
        }
        (code, failed)
    }
}

/// F426
#[test]
fn several_copies_are_enqueued_by_one_call() {
    has!(cuMemcpyBatchAsync);
    let a = place();
    let pageable = [7_u8; 64];
    let hosts = [a.host.expose_provenance(), pageable.as_ptr().expose_provenance()];
    ok!(cuMemsetD8_v2(a.memory + 2048, 1, 64));
    ok!(cuMemsetD8_v2(a.memory + 3072, 2, 64));
    ok!(cuCtxSynchronize());
    assert_eq!(Batch::new(a.memory).enqueue(a.stream), (SUCCESS, NONE));
    ok!(cuStreamSynchronize(a.stream));
    let mut found = [0_u8; 2];
    ok!(cuMemcpyDtoH_v2((&raw mut found[0]).cast(), a.memory + 63, 1));
    ok!(cuMemcpyDtoH_v2((&raw mut found[1]).cast(), a.memory + 1024 + 63, 1));
    assert_eq!(found, [1, 2]);
    for order in [
        CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
        CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL,
        CU_MEMCPY_SRC_ACCESS_ORDER_ANY,
    ] {
        let mut batch = Batch::new(a.memory);
        batch.attributes[0] = attributes(order);
        assert_eq!(batch.enqueue(a.stream), (SUCCESS, NONE), "{order:?}");
        for host in hosts {
            batch.from[1] = host as CUdeviceptr;
            assert_eq!(batch.enqueue(a.stream), (SUCCESS, NONE), "{order:?}");
            (batch.to[1], batch.from[1]) = (host as CUdeviceptr, a.memory + 3072);
            assert_eq!(batch.enqueue(a.stream), (SUCCESS, NONE), "{order:?}");
            ok!(cuStreamSynchronize(a.stream));
            batch.to[1] = a.memory + 1024;
        }
    }
    // The second copy has the second attributes; and a number need not be asked for.
    let mut batch = Batch::new(a.memory);
    batch.attributes[1] = attributes(CU_MEMCPY_SRC_ACCESS_ORDER_ANY);
    batch.kinds = 2;
    assert_eq!(batch.enqueue(a.stream), (SUCCESS, NONE));
    let (to, from, sizes) =
        (batch.to.as_mut_ptr(), batch.from.as_mut_ptr(), batch.sizes.as_mut_ptr());
    let (attributes, firsts) = (batch.attributes.as_mut_ptr(), batch.firsts.as_mut_ptr());
    ok!(newer cuMemcpyBatchAsync(to, from, sizes, 2, attributes, firsts, 1, null_mut(), a.stream));
    // Both to one place, one of the other.
    let mut overlapping = Batch::new(a.memory);
    overlapping.to[1] = a.memory;
    assert_eq!(overlapping.enqueue(a.stream), (SUCCESS, NONE));
    ok!(cuStreamSynchronize(a.stream));
    pop();
    a.destroy();
}

/// F426
#[test]
fn a_batch_is_refused_as_a_whole_or_for_a_copy() {
    has!(cuMemcpyBatchAsync);
    let a = place();
    type Change = fn(&mut Batch);
    let refused: [(Change, usize); 9] = [
        (|batch| batch.count = 0, NONE),
        (|batch| batch.kinds = 0, NONE),
        (|batch| batch.attributes[0].srcAccessOrder = CUmemcpySrcAccessOrder(0), NONE),
        (|batch| batch.attributes[0].srcAccessOrder = CUmemcpySrcAccessOrder(4), NONE),
        (|batch| (batch.kinds, batch.firsts) = (2, [1, 0]), NONE),
        (|batch| batch.sizes[0] = 0, 0),
        (|batch| batch.from[1] += 1024 - 8, 1),
        (|batch| batch.from[1] = 0, 1),
        (|batch| batch.to[0] = 0, 0),
    ];
    for (number, (change, failed)) in refused.into_iter().enumerate() {
        let mut batch = Batch::new(a.memory);
        change(&mut batch);
        assert_eq!(batch.enqueue(a.stream), (INVALID_VALUE, failed), "{number}");
    }
    let mut batch = Batch::new(a.memory);
    let (to, from, sizes) =
        (batch.to.as_mut_ptr(), batch.from.as_mut_ptr(), batch.sizes.as_mut_ptr());
    let (attributes, firsts) = (batch.attributes.as_mut_ptr(), batch.firsts.as_mut_ptr());
    let (none, s) = (null_mut(), a.stream);
    let codes = [
        newer!(cuMemcpyBatchAsync(null_mut(), from, sizes, 2, attributes, firsts, 1, none, s)),
        newer!(cuMemcpyBatchAsync(to, from, null_mut(), 2, attributes, firsts, 1, none, s)),
        newer!(cuMemcpyBatchAsync(to, from, sizes, 2, null_mut(), firsts, 1, none, s)),
        newer!(cuMemcpyBatchAsync(to, from, sizes, 2, attributes, null_mut(), 1, none, s)),
    ];
    assert_eq!(codes, [INVALID_VALUE; 4]);
    pop();
    a.destroy();
}

/// F426
#[test]
fn streams_that_take_no_batches() {
    fresh!(streams_that_take_no_batches, {
        unsafe extern "C" fn inside(data: *mut c_void) {
            // SAFETY: the batch and the stream that the test passes, and lets nothing else use.
            let (batch, stream, code) =
                unsafe { &mut *data.cast::<(Batch, CUstream, Option<CUresult>)>() };
            *code = Some(batch.enqueue(*stream).0);
        }
        has!(cuMemcpyBatchAsync);
        let a = place();
        let mut batch = Batch::new(a.memory);
        let streams = [null_mut(), CU_STREAM_LEGACY, CU_STREAM_PER_THREAD];
        let codes = streams.map(|stream| batch.enqueue(stream).0);
        assert_eq!(codes, [INVALID_VALUE, INVALID_VALUE, SUCCESS]);
        for mode in [CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED] {
            ok!(cuStreamBeginCapture_v2(a.stream, mode));
            assert_eq!(batch.enqueue(a.stream).0, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
            let (mut graph, mut nodes) = (null_mut(), 7);
            ok!(cuStreamEndCapture(a.stream, &raw mut graph));
            ok!(cuGraphGetNodes(graph, null_mut(), &raw mut nodes));
            assert_eq!(nodes, 0);
            ok!(cuGraphDestroy(graph));
        }
        ok!(cuCtxSynchronize());
        let mut shared = (batch, a.stream, None);
        ok!(cuLaunchHostFunc(a.stream, Some(inside), (&raw mut shared).cast()));
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(shared.2, Some(NOT_PERMITTED));
        pop();
        let mut batch = shared.0;
        assert_eq!(batch.enqueue(a.stream).0, INVALID_VALUE);
        let b = place();
        assert_eq!(batch.enqueue(b.stream), (SUCCESS, NONE));
        ok!(cuStreamSynchronize(b.stream));
        pop();
        b.destroy();
        a.destroy();
    });
}

/// Copies of boxes.
type Box3D = CUDA_MEMCPY3D_BATCH_OP;

/// Memory with rows and planes.
fn rows(ptr: CUdeviceptr, length: usize, height: usize) -> CUmemcpy3DOperand {
    let mut operand: CUmemcpy3DOperand = all_zeros();
    operand.r#type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    operand.op.ptr = CUmemcpy3DOperand_v1_op_ptr {
        ptr,
        rowLength: length,
        layerHeight: height,
        locHint: all_zeros(),
    };
    operand
}

/// A place in an array.
fn texels(array: CUarray, [x, y, z]: [usize; 3]) -> CUmemcpy3DOperand {
    let mut operand: CUmemcpy3DOperand = all_zeros();
    operand.r#type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
    operand.op.array = CUmemcpy3DOperand_v1_op_array { array, offset: CUoffset3D { x, y, z } };
    operand
}

/// A copy that reads its source in the order of the stream.
fn copy(src: CUmemcpy3DOperand, dst: CUmemcpy3DOperand, extent: [usize; 3]) -> Box3D {
    let [width, height, depth] = extent;
    let extent = CUextent3D { width, height, depth };
    Box3D { src, dst, extent, srcAccessOrder: CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, flags: 0 }
}

/// The answers of both forms, which are the same, and the number of the copy that failed.
fn boxes(all: &mut [Box3D], flags: u64, stream: CUstream) -> (CUresult, usize) {
    let (mut failed, count, list) = (77, all.len(), all.as_mut_ptr());
    let number = &raw mut failed;
    let code = newer!(cuMemcpy3DBatchAsync(count, list, number, flags, stream));
    if let Ok(second) = cuMemcpy3DBatchAsync_v2() {
        // SAFETY: as for `newer!`.
        let same = unsafe { second(count, list, flags, stream) };
        assert_eq!(same, code);
    }
    (code, failed)
}

/// Copies from rows of 16 bytes in planes of 4, at the begin of the place, to packed rows in its last quarter.
fn in_place(memory: CUdeviceptr) -> Box3D {
    copy(rows(memory, 16, 4), rows(memory + 3072, 0, 0), [8, 2, 2])
}

/// F490
#[test]
fn several_boxes_are_copied_by_one_call() {
    has!(cuMemcpy3DBatchAsync);
    let a = place();
    let pageable = [7_u8; 128];
    let hosts = [a.host.expose_provenance(), pageable.as_ptr().expose_provenance()];
    ok!(cuMemsetD8_v2(a.memory, 1, 128));
    ok!(cuMemsetD8_v2(a.memory + 2048, 0, 2048));
    ok!(cuCtxSynchronize()); // F633
    // Extents and lengths of rows are bytes; without lengths, rows and planes are packed.
    let (to, from) = (a.memory + 2048, rows(a.memory, 16, 4));
    let mut both = [
        copy(from, rows(to, 10, 3), [4, 2, 2]),
        copy(rows(a.memory, 0, 0), rows(to + 1024, 0, 3), [4, 2, 2]),
    ];
    assert_eq!(boxes(&mut both, 0, a.stream), (SUCCESS, NONE));
    ok!(cuStreamSynchronize(a.stream));
    let mut found = [0_u8; 2048];
    ok!(cuMemcpyDtoH_v2((&raw mut found).cast(), to, 2048));
    let written = |bytes: &[u8]| (0..bytes.len()).filter(|&at| bytes[at] == 1).collect::<Vec<_>>();
    let of = |rows: [usize; 4]| rows.iter().flat_map(|&row| row..row + 4).collect::<Vec<_>>();
    assert_eq!(written(&found[..1024]), of([0, 10, 30, 40]));
    assert_eq!(written(&found[1024..]), of([0, 4, 12, 16]));

    // Between any kinds of memory, with any order of reading, and with a hint.
    for order in [
        CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
        CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL,
        CU_MEMCPY_SRC_ACCESS_ORDER_ANY,
    ] {
        for host in hosts {
            let host = rows(host as CUdeviceptr, 16, 4);
            for (from, to) in [(host, rows(to, 0, 0)), (from, host), (host, host)] {
                let mut one = copy(from, to, [8, 2, 2]);
                one.srcAccessOrder = order;
                one.flags = CUmemcpyFlags::CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE.bits();
                assert_eq!(boxes(&mut [one], 0, a.stream), (SUCCESS, NONE), "{order:?}");
                ok!(cuStreamSynchronize(a.stream));
            }
        }
    }
    // To one place, within it, and with a length that no second row needs; without the number.
    let within = copy(from, rows(a.memory + 4, 16, 4), [8, 2, 2]);
    let long = copy(rows(a.memory, 1 << 40, 4), rows(to, 0, 0), [8, 1, 1]);
    let mut odd = [in_place(a.memory), in_place(a.memory), within, long];
    assert_eq!(boxes(&mut odd, 0, a.stream), (SUCCESS, NONE));
    ok!(newer cuMemcpy3DBatchAsync(1, odd.as_mut_ptr(), null_mut(), 0, a.stream));
    ok!(cuStreamSynchronize(a.stream));
    pop();
    a.destroy();
}

/// F490
#[test]
fn boxes_of_arrays_are_counted_in_elements() {
    has!(cuMemcpy3DBatchAsync);
    let a = place();
    let (full, empty) = (counting([8, 4, 2], 0), array(floats([8, 4, 2], 0)));
    let (low, high) = (rows(a.memory, 5, 3), rows(a.memory + 2048, 0, 0));
    ok!(cuMemsetD8_v2(a.memory, 0, 4096));
    ok!(cuCtxSynchronize()); // F633
    let mut all = [
        copy(texels(full, [1, 1, 0]), low, [3, 2, 2]),
        copy(texels(full, [0; 3]), texels(empty, [0; 3]), [8, 4, 2]),
    ];
    assert_eq!(boxes(&mut all, 0, a.stream), (SUCCESS, NONE));
    let mut back = [copy(texels(empty, [6, 3, 1]), high, [2, 1, 1])];
    ok!(cuStreamSynchronize(a.stream));
    assert_eq!(boxes(&mut back, 0, a.stream), (SUCCESS, NONE));
    ok!(cuStreamSynchronize(a.stream));
    let mut found = [0_f32; 1024];
    ok!(cuMemcpyDtoH_v2((&raw mut found).cast(), a.memory, 4096));
    let row = |at: usize| [found[at], found[at + 1], found[at + 2]];
    let expected = [[9., 10., 11.], [17., 18., 19.], [41., 42., 43.], [49., 50., 51.]];
    assert_eq!([row(0), row(5), row(15), row(20)], expected);
    assert_eq!([found[512], found[513]], [62., 63.]);
    // A box that ends past the array is refused as an address is, a row of too few elements as a description.
    for (from, extent, failed) in [
        (texels(full, [6, 0, 0]), [3, 1, 1], NONE),
        (texels(full, [0, 3, 0]), [1, 2, 1], NONE),
        (texels(full, [0, 0, 1]), [1, 1, 2], NONE),
        (texels(full, [0; 3]), [6, 1, 1], 0),
        (texels(full, [0; 3]), [1, 1, 0], 0),
    ] {
        let answer = boxes(&mut [copy(from, low, extent)], 0, a.stream);
        assert_eq!(answer, (INVALID_VALUE, failed), "{extent:?}");
    }
    ok!(cuArrayDestroy(full));
    ok!(cuArrayDestroy(empty));
    pop();
    a.destroy();
}

/// F491
#[test]
fn a_batch_of_boxes_is_refused_as_a_whole_or_for_a_box() {
    has!(cuMemcpy3DBatchAsync);
    let a = place();
    type Change = fn(&mut Box3D);
    let refused: [(Change, usize); 14] = [
        (|one| one.extent.width = 0, 1),
        (|one| one.extent.height = 0, 1),
        (|one| one.extent.depth = 0, 1),
        (|one| one.src.r#type = CUmemcpy3DOperandType(0), 1),
        (|one| one.dst.r#type = CUmemcpy3DOperandType(3), 1),
        (|one| one.srcAccessOrder = CUmemcpySrcAccessOrder(0), 1),
        (|one| one.srcAccessOrder = CUmemcpySrcAccessOrder(4), 1),
        (|one| one.flags = 2, 1),
        (|one| one.extent.width = 17, 1),
        (|one| one.extent.height = 5, 1),
        (|one| one.src = rows(0, 16, 4), NONE),
        (|one| one.dst = rows(0, 0, 0), NONE),
        (|one| one.extent.depth = 80, NONE),
        (|one| one.src = rows(one_place(one), 1 << 40, 4), NONE),
    ];
    for (number, (change, failed)) in refused.into_iter().enumerate() {
        let mut wrong = in_place(a.memory);
        change(&mut wrong);
        let mut all = [in_place(a.memory), wrong];
        assert_eq!(boxes(&mut all, 0, a.stream), (INVALID_VALUE, failed), "{number}");
        ok!(cuStreamSynchronize(a.stream));
    }
    // A wrong address shows when the copies before are enqueued.
    ok!(cuMemsetD8_v2(a.memory, 5, 64));
    ok!(cuCtxSynchronize()); // F633
    let mut all = [in_place(a.memory), copy(rows(0, 0, 0), rows(a.memory, 0, 0), [8, 1, 1])];
    assert_eq!(boxes(&mut all, 0, a.stream), (INVALID_VALUE, NONE));
    ok!(cuStreamSynchronize(a.stream));
    let mut found = 0_u8;
    ok!(cuMemcpyDtoH_v2((&raw mut found).cast(), a.memory + 3072, 1));
    assert_eq!(found, 5);

    let mut good = [in_place(a.memory)];
    assert_eq!(boxes(&mut [], 0, a.stream), (INVALID_VALUE, NONE));
    assert_eq!(boxes(&mut good, 1, a.stream), (INVALID_VALUE, NONE));
    let null = newer!(cuMemcpy3DBatchAsync(1, null_mut(), null_mut(), 0, a.stream));
    assert_eq!(null, INVALID_VALUE);
    pop();
    a.destroy();
}

/// The address of the source of a copy of memory.
fn one_place(one: &Box3D) -> CUdeviceptr {
    // SAFETY: the member of the type that the copy has.
    unsafe { one.src.op.ptr }.ptr
}

/// F491
#[test]
fn streams_that_take_no_boxes() {
    fresh!(streams_that_take_no_boxes, {
        unsafe extern "C" fn inside(data: *mut c_void) {
            // SAFETY: the copy and the stream that the test passes, and lets nothing else use.
            let (one, stream, code) =
                unsafe { &mut *data.cast::<(Box3D, CUstream, Option<CUresult>)>() };
            *code = Some(boxes(std::slice::from_mut(one), 0, *stream).0);
        }
        has!(cuMemcpy3DBatchAsync);
        let a = place();
        let mut good = [in_place(a.memory)];
        assert_eq!(boxes(&mut good, 0, null_mut()), (INVALID_VALUE, 77));
        assert_eq!(boxes(&mut good, 0, CU_STREAM_LEGACY), (INVALID_VALUE, NONE));
        assert_eq!(boxes(&mut good, 0, CU_STREAM_PER_THREAD), (SUCCESS, NONE));
        ok!(cuStreamBeginCapture_v2(a.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
        assert_eq!(boxes(&mut good, 0, a.stream), (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 77));
        assert_eq!(boxes(&mut good, 1, a.stream).0, INVALID_VALUE);
        assert_eq!(boxes(&mut [], 0, a.stream).0, INVALID_VALUE);
        let (mut graph, mut nodes) = (null_mut(), 7);
        ok!(cuStreamEndCapture(a.stream, &raw mut graph));
        ok!(cuGraphGetNodes(graph, null_mut(), &raw mut nodes));
        assert_eq!(nodes, 0);
        ok!(cuGraphDestroy(graph));
        ok!(cuCtxSynchronize());
        let mut shared = (good[0], a.stream, None);
        ok!(cuLaunchHostFunc(a.stream, Some(inside), (&raw mut shared).cast()));
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(shared.2, Some(NOT_PERMITTED));
        pop();
        assert_eq!(boxes(&mut good, 0, a.stream), (INVALID_VALUE, NONE));
        let b = place();
        assert_eq!(boxes(&mut good, 0, a.stream), (SUCCESS, NONE));
        ok!(cuStreamSynchronize(a.stream));
        pop();
        b.destroy();
        a.destroy();
    });
}

/// F492
#[test]
fn a_box_of_no_array_kills() {
    dangling!(a_box_of_no_array_kills, {
        has!(cuMemcpy3DBatchAsync);
        die_quietly(60);
        let a = place();
        let mut one = [copy(rows(a.memory, 0, 0), texels(null_mut(), [0; 3]), [1, 1, 1])];
        assert_eq!(boxes(&mut one, 0, a.stream).0, INVALID_VALUE);
    });
}
