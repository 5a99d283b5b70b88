//! Copies and fills of rows and planes as nodes of graphs: F337 to F340.
//!
//! Each test asks many questions, shows every answer, and fails at its end if one was not as expected.

use crate::raw::captures::*;
use crate::raw::rows::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::{null, null_mut, with_exposed_provenance_mut};

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
