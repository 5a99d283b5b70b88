//! Copies and fills of rows and planes in captures: F334 to F336.
//!
//! Each test asks many questions, shows every answer, and fails at its end if one was not as expected.

use crate::fresh;
use crate::raw::captures::*;
use crate::raw::rows::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::{null, null_mut};

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
        // Other work after a refusal is captured after the work before it.
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
