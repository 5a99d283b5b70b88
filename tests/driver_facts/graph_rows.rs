//! Copies and fills of rows and planes in graphs, captured and as nodes: F334 to F340.
//!
//! Each test asks many questions, shows every answer, and fails at its end if one was not as expected.

use crate::fresh;
use crate::raw::captures::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::fmt::{Debug, Display};
use std::ptr::{null, null_mut, with_exposed_provenance_mut, without_provenance_mut};

/// What was answered otherwise than expected: the question with the answer, and with the expected one.
#[derive(Default)]
struct Answers(Vec<[String; 2]>);

impl Answers {
    /// Shows an answer at once, in case that a later question ends the test.
    fn add<T: Debug>(&mut self, question: impl Display, answer: T, expected: T) {
        let (answer, expected) = (format!("{answer:?}"), format!("{expected:?}"));
        let mark = if answer == expected { ' ' } else { '!' };
        println!("{mark} {question}: {answer} (expected {expected})");
        if answer != expected {
            self.0.push([answer, expected].map(|one| format!("{question}: {one}")));
        }
    }

    /// Fails if an answer was not as expected.
    fn check(self) {
        let (answers, expected): (Vec<_>, Vec<_>) =
            self.0.into_iter().map(|[answer, expected]| (answer, expected)).unzip();
        assert_eq!(answers, expected);
    }
}

/// Whose memory an end of a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Device,
    Locked,
    Pageable,
}
use At::{Device, Locked, Pageable};

/// The pairs of memory that are copied between.
const WAYS: [(At, At); 6] = [
    (Device, Device),
    (Locked, Device),
    (Device, Locked),
    (Pageable, Device),
    (Device, Pageable),
    (Locked, Locked),
];

/// A place, whose context is current, and memory that is not page-locked.
struct Bench {
    place: Place,
    pageable: CUdeviceptr,
}

/// The bytes of each sort of memory.
type Bytes = [Vec<u8>; 3];

impl Bench {
    fn new() -> Self {
        let pageable = Box::leak(Box::new([0_u8; Place::BYTES])).as_mut_ptr();
        Self { place: place(), pageable: pageable.expose_provenance() as CUdeviceptr }
    }

    fn base(&self, at: At) -> CUdeviceptr {
        match at {
            Device => self.place.memory,
            Locked => self.place.host.expose_provenance() as CUdeviceptr,
            Pageable => self.pageable,
        }
    }

    /// Other bytes in all memory, and which.
    fn fill(&self, seed: usize) -> Bytes {
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
    fn bytes(&self) -> Bytes {
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
    fn planes(&self, (from, to): (At, At)) -> CUDA_MEMCPY3D {
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
    fn rows(&self, way: (At, At)) -> CUDA_MEMCPY3D {
        let zero = CUDA_MEMCPY3D { srcZ: 0, Depth: 1, srcHeight: 0, ..self.planes(way) };
        CUDA_MEMCPY3D { dstHeight: 0, ..zero }
    }

    /// A copy of one row of 16 bytes, tight.
    fn row(&self, way: (At, At)) -> CUDA_MEMCPY3D {
        let mut copy = CUDA_MEMCPY3D { WidthInBytes: 16, Height: 1, Depth: 1, ..all_zeros() };
        set_source(&mut copy, way.0, self.base(way.0));
        set_destination(&mut copy, way.1, self.base(way.1) + 2048);
        copy
    }

    /// The bytes once a copy has run.
    fn copied(&self, before: &Bytes, copy: &CUDA_MEMCPY3D, (from, to): (At, At)) -> Bytes {
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
    fn runs_as(&self, exec: CUgraphExec, copy: &CUDA_MEMCPY3D, way: (At, At)) -> bool {
        (1..=2).all(|seed| {
            let before = self.fill(seed);
            replay(exec, self.place.stream);
            self.bytes() == self.copied(&before, copy, way)
        })
    }

    /// The same for a graph, or the code of its instantiation.
    fn graph_runs_as(
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
    fn captured(&self, call: impl FnOnce(CUstream) -> CUresult) -> (Captured, CUgraph) {
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
    fn added(&self, copy: &CUDA_MEMCPY3D) -> (CUresult, CUgraph, CUgraphNode) {
        let graph: CUgraph = made!(cuGraphCreate(0));
        let mut node = null_mut();
        let (to, context) = (&raw mut node, self.place.context);
        let code = code!(cuGraphAddMemcpyNode(to, graph, null(), 0, &raw const *copy, context));
        (code, graph, node)
    }
}

/// What became of a capture.
#[derive(Debug)]
#[expect(dead_code, reason = "it is compared as it is shown")]
struct Captured {
    code: u32,
    alive: bool,
    end: u32,
    kinds: Vec<CUgraphNodeType>,
}

fn one(kind: CUgraphNodeType) -> Captured {
    Captured { code: 0, alive: true, end: 0, kinds: vec![kind] }
}

/// A call that gave this code and made no node.
fn none(code: u32) -> Captured {
    Captured { code, alive: true, end: 0, kinds: Vec::new() }
}

fn address(of: &[u8]) -> CUdeviceptr {
    of.as_ptr().expose_provenance() as CUdeviceptr
}

fn start(kind: CUmemorytype, host: *mut std::ffi::c_void, device: CUdeviceptr) -> CUdeviceptr {
    if kind == CU_MEMORYTYPE_HOST { host.addr() as CUdeviceptr } else { device }
}

fn set_source(copy: &mut CUDA_MEMCPY3D, at: At, address: CUdeviceptr) {
    if at == Device {
        (copy.srcMemoryType, copy.srcDevice) = (CU_MEMORYTYPE_DEVICE, address);
    } else {
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = with_exposed_provenance_mut(address as usize);
    }
}

fn set_destination(copy: &mut CUDA_MEMCPY3D, at: At, address: CUdeviceptr) {
    if at == Device {
        (copy.dstMemoryType, copy.dstDevice) = (CU_MEMORYTYPE_DEVICE, address);
    } else {
        copy.dstMemoryType = CU_MEMORYTYPE_HOST;
        copy.dstHost = with_exposed_provenance_mut(address as usize);
    }
}

/// The same copy without planes.
fn flat(copy: &CUDA_MEMCPY3D) -> CUDA_MEMCPY2D {
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
fn peers(copy: &CUDA_MEMCPY3D) -> CUDA_MEMCPY3D_PEER {
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

/// What a copy is described by.
fn described(copy: &CUDA_MEMCPY3D) -> String {
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

fn told(node: CUgraphNode) -> String {
    let mut copy: CUDA_MEMCPY3D = all_zeros();
    // What is not written stays visible.
    (copy.srcLOD, copy.dstLOD, copy.srcHeight, copy.dstHeight) = (77, 77, 77, 77);
    ok!(cuGraphMemcpyNodeGetParams(node, &raw mut copy));
    described(&copy)
}

/// A way to change a copy, with its name.
type Change = (&'static str, fn(&mut CUDA_MEMCPY3D));

/// Copies of nothing.
const NOTHING: [Change; 4] = [
    ("width 0", |copy| copy.WidthInBytes = 0),
    ("height 0", |copy| copy.Height = 0),
    ("depth 0", |copy| copy.Depth = 0),
    ("width 0 of null", |copy| (copy.WidthInBytes, copy.srcDevice, copy.dstDevice) = (0, 0, 0)),
];

/// Copies of planes that are fine.
const FINE: [Change; 12] = [
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
/// memory may be behind it.
const BAD: [Change; 16] = [
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
const OVERFLOWS: Change = ("pitch overflows", |copy| copy.srcPitch = usize::MAX / 2);

const COPY: CUgraphNodeType = CU_GRAPH_NODE_TYPE_MEMCPY;
const FILL: CUgraphNodeType = CU_GRAPH_NODE_TYPE_MEMSET;

/// F334
#[test]
fn a_captured_copy_of_rows_is_one_node() {
    fresh!(a_captured_copy_of_rows_is_one_node, {
        let bench = Bench::new();
        let mut answers = Answers::default();
        for way in WAYS {
            for planes in [false, true] {
                let name = format!("{way:?}, planes: {planes}");
                let copy = if planes { bench.planes(way) } else { bench.rows(way) };
                let before = bench.fill(0);
                let (captured, graph) = bench.captured(|stream| {
                    let flat = flat(&copy);
                    if planes {
                        code!(cuMemcpy3DAsync_v2(&raw const copy, stream))
                    } else {
                        code!(cuMemcpy2DAsync_v2(&raw const flat, stream))
                    }
                });
                let taken = captured.kinds.len() == 1;
                answers.add(&name, captured, one(COPY));
                answers.add(format!("{name}, at once"), bench.bytes() == before, true);
                if taken {
                    let node = nodes(graph)[0];
                    answers.add(format!("{name}, told"), told(node), described(&copy));
                    let exact = bench.graph_runs_as(graph, &copy, way);
                    answers.add(format!("{name}, exactly these bytes"), exact, Ok(true));
                }
            }
        }
        let copy = bench.planes((Device, Device));
        let (peer, context) = (peers(&copy), bench.place.context);
        let peer = CUDA_MEMCPY3D_PEER { srcContext: context, dstContext: context, ..peer };
        let captured =
            bench.captured(|stream| code!(cuMemcpy3DPeerAsync(&raw const peer, stream))).0;
        let spoiled = Captured { code: 900, alive: false, end: 901, kinds: Vec::new() };
        answers.add("peers", captured, spoiled);
        answers.check();
        bench.place.destroy();
    });
}

/// F335
#[test]
fn a_capture_goes_on_after_a_copy_of_rows_that_is_refused() {
    fresh!(a_capture_goes_on_after_a_copy_of_rows_that_is_refused, {
        let bench = Bench::new();
        let mut answers = Answers::default();
        let ask = |change: fn(&mut CUDA_MEMCPY3D), planes: bool| {
            let way = (Device, Device);
            let mut copy = if planes { bench.planes(way) } else { bench.rows(way) };
            change(&mut copy);
            if !planes {
                (copy.srcHeight, copy.dstHeight) = (0, 0);
            }
            let (captured, graph) = bench.captured(|stream| {
                let flat = flat(&copy);
                if planes {
                    code!(cuMemcpy3DAsync_v2(&raw const copy, stream))
                } else {
                    code!(cuMemcpy2DAsync_v2(&raw const flat, stream))
                }
            });
            (captured, graph, copy)
        };
        for planes in [false, true] {
            let is_flat = |name: &str| {
                !["height 0", "depth 0", "height less", "LOD", "reserved", "plane", "past the end"]
                    .iter()
                    .any(|of_planes| name.contains(of_planes))
                    || name == "height 0"
                    || name == "pitch past the end"
            };
            let fits = |name: &str| planes || is_flat(name);
            for (name, change) in NOTHING.into_iter().filter(|(name, _)| fits(name)) {
                answers.add(format!("{name}, planes: {planes}"), ask(change, planes).0, none(0));
            }
            for (name, change) in BAD.into_iter().filter(|(name, _)| fits(name)) {
                answers.add(format!("{name}, planes: {planes}"), ask(change, planes).0, none(1));
            }
            let (name, change) = OVERFLOWS;
            answers.add(format!("{name}, planes: {planes}"), ask(change, planes).0, one(COPY));
            for (name, change) in FINE.into_iter().filter(|(name, _)| fits(name)) {
                let name = format!("{name}, planes: {planes}");
                let (captured, graph, copy) = ask(change, planes);
                let taken = captured.kinds.len() == 1;
                answers.add(&name, captured, one(COPY));
                if taken {
                    answers.add(format!("{name}, told"), told(nodes(graph)[0]), described(&copy));
                    let exact = bench.graph_runs_as(graph, &copy, (Device, Device));
                    answers.add(format!("{name}, exactly these bytes"), exact, Ok(true));
                }
            }
        }
        let captured = bench.captured(|stream| code!(cuMemcpy2DAsync_v2(null(), stream))).0;
        answers.add("null, rows", captured, none(1));
        let captured = bench.captured(|stream| code!(cuMemcpy3DAsync_v2(null(), stream))).0;
        answers.add("null, planes", captured, none(1));
        // Other work after a refusal is captured behind the work before it.
        let stream = bench.place.stream;
        begin(stream, RELAXED);
        let (fine, mut bad) = (bench.planes((Device, Device)), bench.planes((Device, Device)));
        bad.srcPitch = 15;
        let codes =
            [&fine, &bad, &fine].map(|copy| code!(cuMemcpy3DAsync_v2(&raw const *copy, stream)).0);
        answers.add("fine, bad, fine", codes, [0, 1, 0]);
        let graph = end(stream);
        answers.add("nodes and edges", (nodes(graph).len(), edges(graph)), (2, vec![(0, 1)]));
        answers.check();
        bench.place.destroy();
    });
}

/// A fill of rows in a stream, of values of this many bytes.
fn fill_rows(
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
fn value_bytes(size: u32) -> Vec<u8> {
    match size {
        1 => vec![0xa1],
        2 => 0xa1a2_u16.to_le_bytes().to_vec(),
        _ => 0xa1a2_a3a4_u32.to_le_bytes().to_vec(),
    }
}

/// What a fill is described by: the address relative to a base, pitch, value, sizes.
fn fill_described(fill: &CUDA_MEMSET_NODE_PARAMS, base: CUdeviceptr) -> String {
    let at = fill.dst.wrapping_sub(base);
    format!(
        "{}x{} of {} bytes at {at} pitch {} value {:#x}",
        fill.width, fill.height, fill.elementSize, fill.pitch, fill.value
    )
}

fn fill_told(node: CUgraphNode, base: CUdeviceptr) -> String {
    let mut fill = CUDA_MEMSET_NODE_PARAMS { pitch: 77, ..all_zeros() };
    ok!(cuGraphMemsetNodeGetParams(node, &raw mut fill));
    fill_described(&fill, base)
}

/// The bytes once a fill has run.
fn filled(before: &Bytes, fill: &CUDA_MEMSET_NODE_PARAMS, base: CUdeviceptr) -> Bytes {
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

/// F336
#[test]
fn a_captured_fill_of_rows_is_one_node() {
    fresh!(a_captured_fill_of_rows_is_one_node, {
        let bench = Bench::new();
        let base = bench.place.memory;
        let mut answers = Answers::default();
        for size in [1, 2, 4] {
            for (pitch, height) in [(48, 5), (48, 1), (0, 1)] {
                let name = format!("values of {size}, pitch {pitch}, {height} rows");
                let (to, width) = (base + 64, 7);
                let before = bench.fill(0);
                let (captured, graph) =
                    bench.captured(|stream| fill_rows(size, to, pitch, width, height, stream));
                let taken = captured.kinds.len() == 1;
                answers.add(&name, captured, one(FILL));
                answers.add(format!("{name}, at once"), bench.bytes() == before, true);
                if !taken {
                    continue;
                }
                let mut value = value_bytes(size);
                value.resize(4, 0);
                let value = u32::from_le_bytes([value[0], value[1], value[2], value[3]]);
                let expected = CUDA_MEMSET_NODE_PARAMS {
                    dst: to,
                    pitch,
                    value,
                    elementSize: size,
                    width,
                    height,
                };
                let told = fill_told(nodes(graph)[0], base);
                answers.add(format!("{name}, told"), told, fill_described(&expected, base));
                let exec = instantiate(graph);
                let before = bench.fill(1);
                replay(exec, bench.place.stream);
                let exact = bench.bytes() == filled(&before, &expected, base);
                answers.add(format!("{name}, exactly these bytes"), exact, true);
            }
        }
        for (name, size, at, pitch, width, height, code) in [
            ("width 0", 1, 0, 48, 0, 5, 0),
            ("height 0", 1, 0, 48, 7, 0, 0),
            ("pitch less than a row", 1, 0, 6, 7, 5, 1),
            ("pitch less than a row of words", 4, 0, 24, 7, 5, 1),
            ("pitch 0", 1, 0, 0, 7, 5, 1),
            ("pitch not even", 4, 0, 30, 7, 5, 1),
            ("pitch not even, pairs", 2, 0, 33, 7, 5, 1),
            ("address not even", 4, 2, 48, 7, 5, 1),
        ] {
            let captured =
                bench.captured(|stream| fill_rows(size, base + at, pitch, width, height, stream)).0;
            answers.add(name, captured, none(code));
        }
        // As for one row (F146), the memory is only looked at when the graph is instantiated.
        for (name, to, height) in [("past the end", base, 100), ("nowhere", 16, 5)] {
            let (captured, graph) =
                bench.captured(|stream| fill_rows(1, to, 48, 7, height, stream));
            answers.add(name, captured, one(FILL));
            if !graph.is_null() && nodes(graph).len() == 1 {
                let mut exec = null_mut();
                let code = code!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0));
                answers.add(format!("{name}, instantiated"), code, INVALID_VALUE);
            }
        }
        answers.check();
        bench.place.destroy();
    });
}

/// F337
#[test]
fn a_copy_of_rows_is_a_node_where_there_is_room_for_it() {
    let bench = Bench::new();
    let mut answers = Answers::default();
    for way in WAYS {
        for planes in [false, true] {
            let name = format!("{way:?}, planes: {planes}");
            let copy = if planes { bench.planes(way) } else { bench.rows(way) };
            let (code, graph, node) = bench.added(&copy);
            answers.add(&name, code, SUCCESS);
            if code == SUCCESS {
                answers.add(format!("{name}, told"), told(node), described(&copy));
                let exact = bench.graph_runs_as(graph, &copy, way);
                answers.add(format!("{name}, exactly these bytes"), exact, Ok(true));
                // A copy of the graph does the same.
                let cloned: CUgraph = made!(cuGraphClone(graph));
                let cloned_node = nodes(cloned)[0];
                answers.add(format!("{name}, cloned, told"), told(cloned_node), described(&copy));
                let exact = bench.graph_runs_as(cloned, &copy, way);
                answers.add(format!("{name}, cloned, exactly these bytes"), exact, Ok(true));
            }
        }
    }
    for (name, change) in FINE {
        let mut copy = bench.planes((Device, Device));
        change(&mut copy);
        let (code, graph, node) = bench.added(&copy);
        answers.add(name, code, SUCCESS);
        if code == SUCCESS {
            answers.add(format!("{name}, told"), told(node), described(&copy));
            let exact = bench.graph_runs_as(graph, &copy, (Device, Device));
            answers.add(format!("{name}, exactly these bytes"), exact, Ok(true));
        }
    }
    for (name, change) in NOTHING.into_iter().chain(BAD) {
        let mut copy = bench.planes((Device, Device));
        change(&mut copy);
        let (code, graph, _) = bench.added(&copy);
        answers.add(name, (code, nodes(graph).len()), (INVALID_VALUE, 0));
    }
    let (name, change) = OVERFLOWS;
    let mut copy = bench.planes((Device, Device));
    change(&mut copy);
    let (code, graph, _) = bench.added(&copy);
    answers.add(name, (code, nodes(graph).len()), (SUCCESS, 1));
    // Page-locked memory has an end that is looked at; memory of the device is found as host memory.
    let mut copy = bench.planes((Locked, Device));
    copy.srcZ = 20;
    answers.add("page-locked, past the end", bench.added(&copy).0, INVALID_VALUE);
    let mut copy = bench.planes((Device, Device));
    set_source(&mut copy, Locked, bench.place.memory);
    answers.add("device as host", bench.added(&copy).0, SUCCESS);
    let mut copy = bench.planes((Device, Device));
    copy.srcDevice = bench.base(Locked);
    answers.add("page-locked as device", bench.added(&copy).0, SUCCESS);
    copy.srcDevice = bench.pageable;
    answers.add("pageable as device", bench.added(&copy).0, INVALID_VALUE);
    let arrays = CUDA_MEMCPY3D { srcMemoryType: CU_MEMORYTYPE_ARRAY, ..copy };
    answers.add("an array, null", bench.added(&arrays).0, INVALID_VALUE);
    // Registered to be read, memory is no destination (F164).
    let registered = with_exposed_provenance_mut(bench.pageable as usize);
    ok!(cuMemHostRegister_v2(registered, Place::BYTES, CU_MEMHOSTREGISTER_READ_ONLY));
    let copy = bench.planes((Device, Pageable));
    answers.add("to memory that is read only", bench.added(&copy).0, INVALID_VALUE);
    let code = code!(cuMemcpy3DAsync_v2(&raw const copy, bench.place.stream));
    answers.add("to memory that is read only, at once", code, INVALID_VALUE);
    let copy = bench.planes((Pageable, Device));
    answers.add("from memory that is read only", bench.added(&copy).0, SUCCESS);
    ok!(cuCtxSynchronize());
    ok!(cuMemHostUnregister(registered));
    // No context, no current context, and memory of another context.
    let copy = bench.planes((Device, Device));
    let graph: CUgraph = made!(cuGraphCreate(0));
    let mut node = null_mut();
    let add = |node: *mut CUgraphNode, copy: &CUDA_MEMCPY3D, context| {
        code!(cuGraphAddMemcpyNode(node, graph, null(), 0, &raw const *copy, context))
    };
    answers.add("no context", add(&raw mut node, &copy, null_mut()), SUCCESS);
    let there = Place::new();
    let mut far = bench.planes((Device, Device));
    far.dstDevice = there.memory + 2048;
    answers.add("to another context", add(&raw mut node, &far, bench.place.context), SUCCESS);
    answers.add("and named by it", add(&raw mut node, &far, there.context), SUCCESS);
    far.srcDevice = there.memory;
    answers.add("within another context", add(&raw mut node, &far, bench.place.context), SUCCESS);
    assert_eq!(pop(), bench.place.context);
    let code = add(&raw mut node, &copy, bench.place.context);
    answers.add("no context current", code, SUCCESS);
    ok!(cuCtxPushCurrent_v2(bench.place.context));
    let mut exec = null_mut();
    let code = code!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0));
    answers.add("all of them instantiated", code, SUCCESS);
    answers.check();
    there.destroy();
    bench.place.destroy();
}

/// F338
#[test]
fn a_node_that_copies_rows_is_changed_in_its_graph_alone() {
    let bench = Bench::new();
    let mut answers = Answers::default();
    let way = (Device, Device);
    let first = bench.planes(way);
    let (code, graph, node) = bench.added(&first);
    answers.add("added", code, SUCCESS);
    if code != SUCCESS {
        return answers.check();
    }
    let exec = instantiate(graph);
    let set = |copy: &CUDA_MEMCPY3D| code!(cuGraphMemcpyNodeSetParams(node, &raw const *copy));
    let ask = |answers: &mut Answers, name: &str, way: (At, At), copy: CUDA_MEMCPY3D| {
        answers.add(name, set(&copy), SUCCESS);
        answers.add(format!("{name}, told"), told(node), described(&copy));
        let exact = bench.graph_runs_as(graph, &copy, way);
        answers.add(format!("{name}, exactly these bytes"), exact, Ok(true));
    };
    ask(&mut answers, "another pitch", way, CUDA_MEMCPY3D { srcPitch: 40, ..first });
    ask(&mut answers, "another extent", way, CUDA_MEMCPY3D { Height: 2, Depth: 2, ..first });
    ask(&mut answers, "one row", way, bench.row(way));
    ask(&mut answers, "rows", way, bench.rows(way));
    ask(&mut answers, "another place", way, CUDA_MEMCPY3D { dstZ: 1, ..first });
    for way in WAYS {
        ask(&mut answers, &format!("{way:?}"), way, bench.planes(way));
    }
    ask(&mut answers, "as before", way, first);
    for (name, change) in NOTHING.into_iter().chain(BAD) {
        let mut copy = bench.planes(way);
        change(&mut copy);
        answers.add(name, set(&copy), INVALID_VALUE);
        answers.add(format!("{name}, told"), told(node), described(&first));
    }
    let (name, change) = OVERFLOWS;
    let mut copy = first;
    change(&mut copy);
    answers.add(name, set(&copy), SUCCESS);
    answers.add(format!("{name}, told"), told(node), described(&copy));
    let exact = bench.runs_as(exec, &first, way);
    answers.add("instantiated before the changes", exact, true);
    answers.check();
    bench.place.destroy();
}

/// F339
#[test]
fn only_a_copy_of_one_row_is_changed_in_a_graph_that_can_run() {
    let bench = Bench::new();
    let mut answers = Answers::default();
    let way = (Device, Device);
    let context = bench.place.context;
    let change = |name: &str, from: CUDA_MEMCPY3D, to: CUDA_MEMCPY3D, expected: CUresult| {
        let mut answers = Answers::default();
        let (code, graph, node) = bench.added(&from);
        answers.add(format!("{name}, added"), code, SUCCESS);
        if code == SUCCESS {
            let exec = instantiate(graph);
            let code = code!(cuGraphExecMemcpyNodeSetParams(exec, node, &raw const to, context));
            answers.add(name, code, expected);
            if code == expected {
                let runs = if code == SUCCESS { &to } else { &from };
                let exact = bench.runs_as(exec, runs, way);
                answers.add(format!("{name}, exactly these bytes"), exact, true);
            }
            answers.add(format!("{name}, the node itself"), told(node), described(&from));
        }
        answers.0
    };
    let (row, rows, planes) = (bench.row(way), bench.rows(way), bench.planes(way));
    let pitched = CUDA_MEMCPY3D { srcPitch: 64, dstPitch: 32, srcXInBytes: 8, ..row };
    let moved = CUDA_MEMCPY3D { dstDevice: row.dstDevice + 64, ..row };
    let longer = CUDA_MEMCPY3D { WidthInBytes: 32, ..row };
    for (name, from, to, expected) in [
        ("a row, moved", row, moved, SUCCESS),
        ("a row, longer", row, longer, SUCCESS),
        ("a row, with a pitch", row, pitched, SUCCESS),
        ("a row with a pitch, without", pitched, row, SUCCESS),
        ("a row, of rows", row, rows, INVALID_VALUE),
        ("a row, of planes", row, planes, INVALID_VALUE),
        ("rows, the same", rows, rows, SUCCESS),
        ("rows, of a row", rows, row, INVALID_VALUE),
        ("rows, another pitch", rows, CUDA_MEMCPY3D { srcPitch: 40, ..rows }, INVALID_VALUE),
        ("rows, other rows", rows, CUDA_MEMCPY3D { srcY: 2, ..rows }, INVALID_VALUE),
        ("rows, fewer", rows, CUDA_MEMCPY3D { Height: 2, ..rows }, INVALID_VALUE),
        ("planes, the same", planes, planes, SUCCESS),
        ("planes, another pitch", planes, CUDA_MEMCPY3D { dstPitch: 40, ..planes }, INVALID_VALUE),
        ("planes, fewer", planes, CUDA_MEMCPY3D { Depth: 2, ..planes }, INVALID_VALUE),
        ("planes, from page-locked", planes, bench.planes((Locked, Device)), INVALID_VALUE),
        ("a row, from page-locked", row, bench.row((Locked, Device)), INVALID_VALUE),
        ("a row, to pageable", row, bench.row((Device, Pageable)), INVALID_VALUE),
        ("a row, of width 0", row, CUDA_MEMCPY3D { WidthInBytes: 0, ..row }, INVALID_VALUE),
        ("a row, of height 0", row, CUDA_MEMCPY3D { Height: 0, ..row }, INVALID_VALUE),
        ("a row, pitch too small", row, CUDA_MEMCPY3D { srcPitch: 15, ..row }, INVALID_VALUE),
        ("a row, past the end", row, CUDA_MEMCPY3D { srcXInBytes: 4090, ..row }, INVALID_VALUE),
    ] {
        answers.0.extend(change(name, from, to, expected));
    }
    // By another graph, no more is changed.
    let update = |name: &str, from: CUDA_MEMCPY3D, to: CUDA_MEMCPY3D, expected| {
        let mut answers = Answers::default();
        let (code, graph, _) = bench.added(&from);
        let (other_code, other, _) = bench.added(&to);
        answers.add(format!("{name}, added"), (code, other_code), (SUCCESS, SUCCESS));
        if (code, other_code) == (SUCCESS, SUCCESS) {
            let exec = instantiate(graph);
            let mut info: CUgraphExecUpdateResultInfo = all_zeros();
            let code = code!(cuGraphExecUpdate_v2(exec, other, &raw mut info));
            answers.add(name, (code, info.result), expected);
            let runs = if code == SUCCESS { &to } else { &from };
            answers.add(
                format!("{name}, exactly these bytes"),
                bench.runs_as(exec, runs, way),
                true,
            );
        }
        answers.0
    };
    let same = (SUCCESS, CU_GRAPH_EXEC_UPDATE_SUCCESS);
    let changed =
        (CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
    for (name, from, to, expected) in [
        ("updated: rows, the same", rows, rows, same),
        ("updated: rows, other rows", rows, CUDA_MEMCPY3D { srcY: 2, ..rows }, changed),
        ("updated: rows, fewer", rows, CUDA_MEMCPY3D { Height: 2, ..rows }, changed),
        ("updated: rows, another pitch", rows, CUDA_MEMCPY3D { dstPitch: 40, ..rows }, changed),
        ("updated: rows, of a row", rows, row, changed),
        ("updated: a row, of rows", row, rows, changed),
        ("updated: planes, fewer", planes, CUDA_MEMCPY3D { Depth: 2, ..planes }, changed),
        ("updated: planes, of rows", planes, rows, changed),
    ] {
        answers.0.extend(update(name, from, to, expected));
    }
    answers.check();
    bench.place.destroy();
}

/// F340
#[test]
fn a_fill_of_rows_is_a_node_where_there_is_room_for_it() {
    let bench = Bench::new();
    let base = bench.place.memory;
    let mut answers = Answers::default();
    let rows = CUDA_MEMSET_NODE_PARAMS {
        dst: base + 64,
        pitch: 48,
        value: 0xa1a2_a3a4,
        elementSize: 4,
        width: 7,
        height: 5,
    };
    let added = |fill: &CUDA_MEMSET_NODE_PARAMS| {
        let graph: CUgraph = made!(cuGraphCreate(0));
        let mut node = null_mut();
        let (to, context) = (&raw mut node, bench.place.context);
        let code = code!(cuGraphAddMemsetNode(to, graph, null(), 0, &raw const *fill, context));
        (code, graph, node)
    };
    let runs_as = |exec: CUgraphExec, fill: &CUDA_MEMSET_NODE_PARAMS| {
        let before = bench.fill(1);
        replay(exec, bench.place.stream);
        bench.bytes() == filled(&before, fill, base)
    };
    let graph_runs_as = |graph: CUgraph, fill: &CUDA_MEMSET_NODE_PARAMS| {
        let mut exec = null_mut();
        match code!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0)) {
            SUCCESS => Ok(runs_as(exec, fill)),
            code => Err(code),
        }
    };
    type Change = fn(&mut CUDA_MEMSET_NODE_PARAMS);
    let fine: [(&str, Change); 6] = [
        ("rows of words", |_| {}),
        ("rows of pairs", |fill| (fill.elementSize, fill.value, fill.pitch) = (2, 0xa1a2, 46)),
        ("rows of bytes", |fill| (fill.elementSize, fill.value, fill.pitch) = (1, 0xa1, 7)),
        ("tight rows", |fill| fill.pitch = 28),
        ("one row with a pitch", |fill| fill.height = 1),
        ("one row with a pitch less than it", |fill| (fill.height, fill.pitch) = (1, 3)),
    ];
    for (name, change) in fine {
        let mut fill = rows;
        change(&mut fill);
        let (code, graph, node) = added(&fill);
        answers.add(name, code, SUCCESS);
        if code == SUCCESS {
            let expected = fill_described(&fill, base);
            answers.add(format!("{name}, told"), fill_told(node, base), expected);
            let exact = graph_runs_as(graph, &fill);
            answers.add(format!("{name}, exactly these bytes"), exact, Ok(true));
        }
    }
    let bad: [(&str, Change); 11] = [
        ("pitch less than a row", |fill| fill.pitch = 24),
        ("pitch 0", |fill| fill.pitch = 0),
        ("pitch not even", |fill| fill.pitch = 30),
        ("address not even", |fill| fill.dst += 2),
        ("width 0", |fill| fill.width = 0),
        ("height 0", |fill| fill.height = 0),
        ("values of 0 bytes", |fill| fill.elementSize = 0),
        ("values of 3 bytes", |fill| fill.elementSize = 3),
        ("past the end", |fill| fill.height = 100),
        ("pitch past the end", |fill| fill.pitch = 4096),
        ("null", |fill| fill.dst = 0),
    ];
    for (name, change) in bad {
        let mut fill = rows;
        change(&mut fill);
        answers.add(name, added(&fill).0, INVALID_VALUE);
    }
    // A node may become one of rows or of one, in its graph; once it can run, rows keep their layout.
    let (_, graph, node) = added(&rows);
    let exec = instantiate(graph);
    let one_row = CUDA_MEMSET_NODE_PARAMS { height: 1, pitch: 0, ..rows };
    let fewer = CUDA_MEMSET_NODE_PARAMS { height: 2, ..rows };
    for (name, fill) in [("fewer rows", fewer), ("one row", one_row), ("rows again", rows)] {
        let code = code!(cuGraphMemsetNodeSetParams(node, &raw const fill));
        answers.add(format!("set to {name}"), code, SUCCESS);
        let exact = graph_runs_as(graph, &fill);
        answers.add(format!("set to {name}, exactly these bytes"), exact, Ok(true));
    }
    for (name, change) in bad {
        let mut fill = rows;
        change(&mut fill);
        let code = code!(cuGraphMemsetNodeSetParams(node, &raw const fill));
        answers.add(format!("set to {name}"), code, INVALID_VALUE);
    }
    let context = bench.place.context;
    let other = CUDA_MEMSET_NODE_PARAMS { value: 5, ..rows };
    let mut fills = rows;
    for (name, fill, expected) in [
        ("the same", rows, SUCCESS),
        ("another value", other, SUCCESS),
        ("fewer rows", fewer, INVALID_VALUE),
        ("one row", one_row, INVALID_VALUE),
    ] {
        let code = code!(cuGraphExecMemsetNodeSetParams(exec, node, &raw const fill, context));
        let name = format!("instantiated rows, set to {name}");
        answers.add(&name, code, expected);
        if code == SUCCESS {
            fills = fill;
        }
        answers.add(format!("{name}, exactly these bytes"), runs_as(exec, &fills), true);
    }
    let changed = CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    let failed = CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    let moved = CUDA_MEMSET_NODE_PARAMS { dst: base + 128, ..rows };
    for (name, from, to, expected) in [
        ("rows, the same", rows, rows, (SUCCESS, CU_GRAPH_EXEC_UPDATE_SUCCESS)),
        ("rows, elsewhere", rows, moved, (SUCCESS, CU_GRAPH_EXEC_UPDATE_SUCCESS)),
        ("rows, another value", rows, other, (SUCCESS, CU_GRAPH_EXEC_UPDATE_SUCCESS)),
        ("rows, fewer", rows, fewer, (failed, changed)),
        ("rows, of one row", rows, one_row, (failed, changed)),
        ("one row, of rows", one_row, rows, (failed, changed)),
    ] {
        let exec = instantiate(added(&from).1);
        let mut info: CUgraphExecUpdateResultInfo = all_zeros();
        let code = code!(cuGraphExecUpdate_v2(exec, added(&to).1, &raw mut info));
        answers.add(format!("updated: {name}"), (code, info.result), expected);
        let fill = if code == SUCCESS { &to } else { &from };
        answers.add(format!("updated: {name}, exactly these bytes"), runs_as(exec, fill), true);
    }
    answers.check();
    bench.place.destroy();
}

/// F334
#[test]
fn a_graph_that_copies_rows_to_freed_memory_is_a_failed_launch() {
    fresh!(a_graph_that_copies_rows_to_freed_memory_is_a_failed_launch, {
        let bench = Bench::new();
        let stream = bench.place.stream;
        let memory = made!(cuMemAlloc_v2(4 << 20));
        let mut copy = bench.planes((Locked, Device));
        copy.dstDevice = memory;
        let (captured, graph) =
            bench.captured(|stream| code!(cuMemcpy3DAsync_v2(&raw const copy, stream)));
        assert_eq!(captured.kinds, [COPY], "{captured:?}");
        ok!(cuMemFree_v2(memory));
        // Not noticed here.
        ok!(cuGraphLaunch(instantiate(graph), stream));
        assert_eq!(code!(cuStreamSynchronize(stream)), LAUNCH_FAILED);
    });
}
