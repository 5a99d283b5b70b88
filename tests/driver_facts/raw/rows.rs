//! Memory in rows and planes, copies and fills of it, and the answers of a test of many questions.

use super::captures::*;
use super::*;
use cuscope::ffi::*;
use std::fmt::{Debug, Display};
use std::ptr::{null, null_mut, with_exposed_provenance_mut, without_provenance_mut};

/// Answers that differ from the expected ones: the question with the answer, and with the expected one.
#[derive(Default)]
pub(crate) struct Answers(pub(crate) Vec<[String; 2]>);

impl Answers {
    /// Shows an answer at once, in case that a later question ends the test.
    pub(crate) fn add<T: Debug>(&mut self, question: impl Display, answer: T, expected: T) {
        let (answer, expected) = (format!("{answer:?}"), format!("{expected:?}"));
        let mark = if answer == expected { ' ' } else { '!' };
        println!("{mark} {question}: {answer} (expected {expected})");
        if answer != expected {
            self.0.push([answer, expected].map(|one| format!("{question}: {one}")));
        }
    }

    /// Fails if an answer was not as expected.
    pub(crate) fn check(self) {
        let (answers, expected): (Vec<_>, Vec<_>) =
            self.0.into_iter().map(|[answer, expected]| (answer, expected)).unzip();
        assert_eq!(answers, expected);
    }
}

/// Whose memory an end of a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Device,
    Locked,
    Pageable,
}
pub(crate) use At::{Device, Locked, Pageable};

/// The pairs of memory that are copied between.
pub(crate) const WAYS: [(At, At); 6] = [
    (Device, Device),
    (Locked, Device),
    (Device, Locked),
    (Pageable, Device),
    (Device, Pageable),
    (Locked, Locked),
];

/// A place, whose context is current, and memory that is not page-locked.
pub(crate) struct Bench {
    pub(crate) place: Place,
    pub(crate) pageable: CUdeviceptr,
}

/// The bytes of each sort of memory.
pub(crate) type Bytes = [Vec<u8>; 3];

impl Bench {
    pub(crate) fn new() -> Self {
        let pageable = Box::leak(Box::new([0_u8; Place::BYTES])).as_mut_ptr();
        Self { place: place(), pageable: pageable.expose_provenance() as CUdeviceptr }
    }

    pub(crate) fn base(&self, at: At) -> CUdeviceptr {
        match at {
            Device => self.place.memory,
            Locked => self.place.host.expose_provenance() as CUdeviceptr,
            Pageable => self.pageable,
        }
    }

    /// Other bytes in all memory, and which.
    pub(crate) fn fill(&self, seed: usize) -> Bytes {
        let stir = |at: At| {
            let byte = |i: usize| ((i * 7 + i / 64 + seed * 31 + at as usize * 101) % 251) as u8;
            let bytes: Vec<_> = (0..Place::BYTES).map(byte).collect();
            ok!(cuMemcpy(self.base(at), address(&bytes), Place::BYTES));
            bytes
        };
        let bytes = [Device, Locked, Pageable].map(stir);
        ok!(cuCtxSynchronize());
        bytes
    }

    /// The bytes in all memory.
    pub(crate) fn bytes(&self) -> Bytes {
        ok!(cuCtxSynchronize());
        [Device, Locked, Pageable].map(|at| {
            let bytes = vec![0_u8; Place::BYTES].leak();
            ok!(cuMemcpy(address(bytes), self.base(at), Place::BYTES));
            let at: *const [u8] = std::ptr::slice_from_raw_parts(
                with_exposed_provenance_mut(bytes.as_ptr().expose_provenance()),
                Place::BYTES,
            );
            // SAFETY: of the bytes that were leaked above, which the driver has written.
            unsafe { &*at }.to_vec()
        })
    }

    /// A copy of 3 planes of 4 rows of 16 bytes.
    pub(crate) fn planes(&self, (from, to): (At, At)) -> CUDA_MEMCPY3D {
        let mut copy = CUDA_MEMCPY3D {
            srcXInBytes: 8,
            srcY: 1,
            srcZ: 1,
            srcPitch: 32,
            srcHeight: 6,
            dstXInBytes: 4,
            dstY: 2,
            dstPitch: 48,
            dstHeight: 7,
            WidthInBytes: 16,
            Height: 4,
            Depth: 3,
            ..all_zeros()
        };
        set_source(&mut copy, from, self.base(from));
        set_destination(&mut copy, to, self.base(to) + 2048);
        copy
    }

    /// A copy of 4 rows of 16 bytes.
    pub(crate) fn rows(&self, way: (At, At)) -> CUDA_MEMCPY3D {
        let zero = CUDA_MEMCPY3D { srcZ: 0, Depth: 1, srcHeight: 0, ..self.planes(way) };
        CUDA_MEMCPY3D { dstHeight: 0, ..zero }
    }

    /// A copy of one row of 16 bytes, tight.
    pub(crate) fn row(&self, way: (At, At)) -> CUDA_MEMCPY3D {
        let mut copy = CUDA_MEMCPY3D { WidthInBytes: 16, Height: 1, Depth: 1, ..all_zeros() };
        set_source(&mut copy, way.0, self.base(way.0));
        set_destination(&mut copy, way.1, self.base(way.1) + 2048);
        copy
    }

    /// The bytes once a copy has run.
    pub(crate) fn copied(
        &self,
        before: &Bytes,
        copy: &CUDA_MEMCPY3D,
        (from, to): (At, At),
    ) -> Bytes {
        let mut after = before.clone();
        let width = copy.WidthInBytes;
        let from_start = start(copy.srcMemoryType, copy.srcHost.cast_mut(), copy.srcDevice);
        let to_start = start(copy.dstMemoryType, copy.dstHost, copy.dstDevice);
        let or = |asked: usize, tight: usize| if asked == 0 { tight } else { asked };
        let from_pitch = or(copy.srcPitch, copy.srcXInBytes + width);
        let to_pitch = or(copy.dstPitch, copy.dstXInBytes + width);
        let from_rows = or(copy.srcHeight, copy.srcY + copy.Height);
        let to_rows = or(copy.dstHeight, copy.dstY + copy.Height);
        for z in 0..copy.Depth {
            for y in 0..copy.Height {
                let row = (copy.srcZ + z) * from_rows + copy.srcY + y;
                let at = (from_start - self.base(from)) as usize;
                let read = at + row * from_pitch + copy.srcXInBytes;
                let row = (copy.dstZ + z) * to_rows + copy.dstY + y;
                let at = (to_start - self.base(to)) as usize;
                let write = at + row * to_pitch + copy.dstXInBytes;
                after[to as usize][write..write + width]
                    .copy_from_slice(&before[from as usize][read..read + width]);
            }
        }
        after
    }

    /// Whether a graph that can run copies exactly these bytes, twice, with other bytes each time.
    pub(crate) fn runs_as(&self, exec: CUgraphExec, copy: &CUDA_MEMCPY3D, way: (At, At)) -> bool {
        (1..=2).all(|seed| {
            let before = self.fill(seed);
            replay(exec, self.place.stream);
            self.bytes() == self.copied(&before, copy, way)
        })
    }

    /// The same for a graph, or the code of its instantiation.
    pub(crate) fn graph_runs_as(
        &self,
        graph: CUgraph,
        copy: &CUDA_MEMCPY3D,
        way: (At, At),
    ) -> Result<bool, CUresult> {
        let mut exec = null_mut();
        match code!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0)) {
            SUCCESS => Ok(self.runs_as(exec, copy, way)),
            code => Err(code),
        }
    }

    /// The code of a call in a capture, then the status of the capture, its end, and the number of its nodes.
    pub(crate) fn captured(&self, call: impl FnOnce(CUstream) -> CUresult) -> (Captured, CUgraph) {
        let stream = self.place.stream;
        begin(stream, RELAXED);
        let code = call(stream).0;
        let alive = status(stream) == ACTIVE;
        let mut graph = null_mut();
        let end = code!(cuStreamEndCapture(stream, &raw mut graph)).0;
        let kinds = if graph.is_null() { Vec::new() } else { kinds(graph) };
        (Captured { code, alive, end, kinds }, graph)
    }

    /// The answer to a copy node in a graph of its own, and the node.
    pub(crate) fn added(&self, copy: &CUDA_MEMCPY3D) -> (CUresult, CUgraph, CUgraphNode) {
        let graph: CUgraph = made!(cuGraphCreate(0));
        let mut node = null_mut();
        let (to, context) = (&raw mut node, self.place.context);
        let code = code!(cuGraphAddMemcpyNode(to, graph, null(), 0, &raw const *copy, context));
        (code, graph, node)
    }
}

/// The outcome of a capture.
#[derive(Debug)]
#[expect(dead_code, reason = "it is compared as it is shown")]
pub(crate) struct Captured {
    pub(crate) code: u32,
    pub(crate) alive: bool,
    pub(crate) end: u32,
    pub(crate) kinds: Vec<CUgraphNodeType>,
}

pub(crate) fn one(kind: CUgraphNodeType) -> Captured {
    Captured { code: 0, alive: true, end: 0, kinds: vec![kind] }
}

/// A call that gave this code and made no node.
pub(crate) fn none(code: u32) -> Captured {
    Captured { code, alive: true, end: 0, kinds: Vec::new() }
}

pub(crate) fn address(of: &[u8]) -> CUdeviceptr {
    of.as_ptr().expose_provenance() as CUdeviceptr
}

pub(crate) fn start(
    kind: CUmemorytype,
    host: *mut std::ffi::c_void,
    device: CUdeviceptr,
) -> CUdeviceptr {
    if kind == CU_MEMORYTYPE_HOST { host.addr() as CUdeviceptr } else { device }
}

pub(crate) fn set_source(copy: &mut CUDA_MEMCPY3D, at: At, address: CUdeviceptr) {
    if at == Device {
        (copy.srcMemoryType, copy.srcDevice) = (CU_MEMORYTYPE_DEVICE, address);
    } else {
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = with_exposed_provenance_mut(address as usize);
    }
}

pub(crate) fn set_destination(copy: &mut CUDA_MEMCPY3D, at: At, address: CUdeviceptr) {
    if at == Device {
        (copy.dstMemoryType, copy.dstDevice) = (CU_MEMORYTYPE_DEVICE, address);
    } else {
        copy.dstMemoryType = CU_MEMORYTYPE_HOST;
        copy.dstHost = with_exposed_provenance_mut(address as usize);
    }
}

/// The same copy without planes.
pub(crate) fn flat(copy: &CUDA_MEMCPY3D) -> CUDA_MEMCPY2D {
    CUDA_MEMCPY2D {
        srcXInBytes: copy.srcXInBytes,
        srcY: copy.srcY,
        srcMemoryType: copy.srcMemoryType,
        srcHost: copy.srcHost,
        srcDevice: copy.srcDevice,
        srcPitch: copy.srcPitch,
        dstXInBytes: copy.dstXInBytes,
        dstY: copy.dstY,
        dstMemoryType: copy.dstMemoryType,
        dstHost: copy.dstHost,
        dstDevice: copy.dstDevice,
        dstPitch: copy.dstPitch,
        WidthInBytes: copy.WidthInBytes,
        Height: copy.Height,
        ..all_zeros()
    }
}

/// The same copy between contexts; null is the current one.
pub(crate) fn peers(copy: &CUDA_MEMCPY3D) -> CUDA_MEMCPY3D_PEER {
    CUDA_MEMCPY3D_PEER {
        srcXInBytes: copy.srcXInBytes,
        srcY: copy.srcY,
        srcZ: copy.srcZ,
        srcMemoryType: copy.srcMemoryType,
        srcHost: copy.srcHost,
        srcDevice: copy.srcDevice,
        srcPitch: copy.srcPitch,
        srcHeight: copy.srcHeight,
        dstXInBytes: copy.dstXInBytes,
        dstY: copy.dstY,
        dstZ: copy.dstZ,
        dstMemoryType: copy.dstMemoryType,
        dstHost: copy.dstHost,
        dstDevice: copy.dstDevice,
        dstPitch: copy.dstPitch,
        dstHeight: copy.dstHeight,
        WidthInBytes: copy.WidthInBytes,
        Height: copy.Height,
        Depth: copy.Depth,
        ..all_zeros()
    }
}

/// Describes a copy.
pub(crate) fn described(copy: &CUDA_MEMCPY3D) -> String {
    let CUDA_MEMCPY3D { WidthInBytes: width, Height: height, Depth: depth, .. } = *copy;
    let from = (copy.srcMemoryType.0, copy.srcHost, copy.srcDevice);
    let to = (copy.dstMemoryType.0, copy.dstHost, copy.dstDevice);
    let from_at = (copy.srcXInBytes, copy.srcY, copy.srcZ);
    let to_at = (copy.dstXInBytes, copy.dstY, copy.dstZ);
    format!(
        "{width}x{height}x{depth} from {from:?} {from_at:?} pitch {} height {} LOD {}, to {to:?} {to_at:?} pitch {} height {} LOD {}",
        copy.srcPitch, copy.srcHeight, copy.srcLOD, copy.dstPitch, copy.dstHeight, copy.dstLOD
    )
}

pub(crate) fn told(node: CUgraphNode) -> String {
    let mut copy: CUDA_MEMCPY3D = all_zeros();
    // A field that is not written stays visible.
    (copy.srcLOD, copy.dstLOD, copy.srcHeight, copy.dstHeight) = (77, 77, 77, 77);
    ok!(cuGraphMemcpyNodeGetParams(node, &raw mut copy));
    described(&copy)
}

/// A way to change a copy, with its name.
pub(crate) type Change = (&'static str, fn(&mut CUDA_MEMCPY3D));

/// Copies of nothing.
pub(crate) const NOTHING: [Change; 4] = [
    ("width 0", |copy| copy.WidthInBytes = 0),
    ("height 0", |copy| copy.Height = 0),
    ("depth 0", |copy| copy.Depth = 0),
    ("width 0 of null", |copy| (copy.WidthInBytes, copy.srcDevice, copy.dstDevice) = (0, 0, 0)),
];

/// Copies of planes that are fine.
pub(crate) const FINE: [Change; 12] = [
    ("nothing else", |_| {}),
    ("source pitch 0", |copy| copy.srcPitch = 0),
    ("destination pitch 0", |copy| copy.dstPitch = 0),
    ("source height 0", |copy| copy.srcHeight = 0),
    ("destination height 0", |copy| copy.dstHeight = 0),
    ("pitch not even", |copy| (copy.srcPitch, copy.dstPitch) = (25, 21)),
    ("pitch 2^31 of one row", |copy| {
        (copy.Height, copy.Depth, copy.srcPitch, copy.srcHeight) = (1, 1, 1 << 31, 1);
        (copy.srcY, copy.srcZ) = (0, 0);
    }),
    ("one row with a pitch", |copy| (copy.Height, copy.Depth) = (1, 1)),
    ("one row in each plane", |copy| copy.Height = 1),
    ("source LOD 1", |copy| copy.srcLOD = 1),
    ("reserved word", |copy| copy.reserved0 = without_provenance_mut(16)),
    ("unified", |copy| {
        (copy.srcMemoryType, copy.dstMemoryType) = (CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED);
    }),
];

/// Copies of planes between memory of the device that are refused. Those past its end begin in it, since other
/// memory may be after it.
pub(crate) const BAD: [Change; 16] = [
    ("source pitch less than a row", |copy| copy.srcPitch = 15),
    ("source pitch less than a row with its offset", |copy| copy.srcPitch = 23),
    ("destination pitch less than a row", |copy| copy.dstPitch = 15),
    ("destination pitch less than a row with its offset", |copy| copy.dstPitch = 19),
    ("pitch less than the only row", |copy| {
        (copy.srcPitch, copy.Height, copy.Depth) = (15, 1, 1);
    }),
    ("source height less than the rows", |copy| copy.srcHeight = 3),
    ("source height less than the rows with their offset", |copy| copy.srcHeight = 4),
    ("destination height less than the rows", |copy| copy.dstHeight = 3),
    ("height less than the rows of the only plane", |copy| {
        (copy.srcHeight, copy.Depth) = (3, 1);
    }),
    ("source past the end", |copy| copy.srcZ = 20),
    ("destination past the end", |copy| copy.dstZ = 5),
    ("pitch past the end", |copy| (copy.srcZ, copy.srcPitch) = (0, 1024)),
    ("unknown memory type of the source", |copy| copy.srcMemoryType = CUmemorytype(0)),
    ("unknown memory type of the destination", |copy| copy.dstMemoryType = CUmemorytype(5)),
    ("source null", |copy| copy.srcDevice = 0),
    ("source of the host, null", |copy| copy.srcMemoryType = CU_MEMORYTYPE_HOST),
];

/// A copy of planes that a graph takes. It is not run: its rows lie in no memory.
pub(crate) const OVERFLOWS: Change = ("pitch overflows", |copy| copy.srcPitch = usize::MAX / 2);

pub(crate) const COPY: CUgraphNodeType = CU_GRAPH_NODE_TYPE_MEMCPY;
pub(crate) const FILL: CUgraphNodeType = CU_GRAPH_NODE_TYPE_MEMSET;

/// A fill of rows in a stream, of values of this many bytes.
pub(crate) fn fill_rows(
    size: u32,
    to: CUdeviceptr,
    pitch: usize,
    width: usize,
    height: usize,
    stream: CUstream,
) -> CUresult {
    match size {
        1 => code!(cuMemsetD2D8Async(to, pitch, 0xa1, width, height, stream)),
        2 => code!(cuMemsetD2D16Async(to, pitch, 0xa1a2, width, height, stream)),
        _ => code!(cuMemsetD2D32Async(to, pitch, 0xa1a2_a3a4, width, height, stream)),
    }
}

/// The bytes of the value that `fill_rows` writes.
pub(crate) fn value_bytes(size: u32) -> Vec<u8> {
    match size {
        1 => vec![0xa1],
        2 => 0xa1a2_u16.to_le_bytes().to_vec(),
        _ => 0xa1a2_a3a4_u32.to_le_bytes().to_vec(),
    }
}

/// Describes a fill: the address relative to a base, pitch, value, sizes.
pub(crate) fn fill_described(fill: &CUDA_MEMSET_NODE_PARAMS, base: CUdeviceptr) -> String {
    let at = fill.dst.wrapping_sub(base);
    format!(
        "{}x{} of {} bytes at {at} pitch {} value {:#x}",
        fill.width, fill.height, fill.elementSize, fill.pitch, fill.value
    )
}

pub(crate) fn fill_told(node: CUgraphNode, base: CUdeviceptr) -> String {
    let mut fill = CUDA_MEMSET_NODE_PARAMS { pitch: 77, ..all_zeros() };
    ok!(cuGraphMemsetNodeGetParams(node, &raw mut fill));
    fill_described(&fill, base)
}

/// The bytes once a fill has run.
pub(crate) fn filled(before: &Bytes, fill: &CUDA_MEMSET_NODE_PARAMS, base: CUdeviceptr) -> Bytes {
    let mut after = before.clone();
    let size = fill.elementSize as usize;
    for y in 0..fill.height {
        let start = (fill.dst - base) as usize + y * fill.pitch;
        for (i, byte) in after[0][start..start + fill.width * size].iter_mut().enumerate() {
            *byte = fill.value.to_le_bytes()[i % size];
        }
    }
    after
}
