//! The settings of the environment: faults, the report, the trace. Each in a process of its own, as the
//! variables are read once.
#![allow(unsafe_code, reason = "the driver's functions are unsafe")]

#[macro_use]
mod common;

use common::*;
use cuscope_softdriver::faults::{self, Plan};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use std::process::{Command, Output};
use std::ptr::null_mut;
use std::time::{Duration, Instant};

const CHILD: &str = "CUSCOPE_TEST_ENVIRONMENT";

/// The test alone in a process with variables, or none inside it.
fn child(test: &str, variables: &[(&str, &str)]) -> Option<Output> {
    if std::env::var(CHILD).as_deref() == Ok(test) {
        return None;
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([test, "--exact", "--nocapture", "--test-threads=1"]);
    Some(child.env(CHILD, test).envs(variables.iter().copied()).output().unwrap())
}

/// Returns the text that a child that succeeded wrote to stderr.
fn stderr(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && out.contains("1 passed"),
        "{}\n{out}\n{text}",
        output.status
    );
    text
}

#[test]
fn a_variable_that_makes_no_sense_is_told_and_refused() {
    let nowhere = std::fs::File::create("/no/such/folder/file").unwrap_err().to_string();
    for (name, value, says) in [
        ("CUSCOPE_SOFT_DEVICES", "many", "number up to 64"),
        ("CUSCOPE_SOFT_DEVICE", "DEVICES", "no variable of this driver"),
        ("CUSCOPE_SOFT_SEED", "x", "no number"),
        ("CUSCOPE_SOFT_RACES", "maybe", "abort"),
        ("CUSCOPE_SOFT_FAULT", "cuNoSuchCall=1", "no function of the driver"),
        ("CUSCOPE_SOFT_REPORT", "loud", "0 or 1"),
        ("CUSCOPE_SOFT_CHECK", "twice", "0 or 1"),
        ("CUSCOPE_SOFT_GO_ON", "ever", "number of accesses"),
        ("CUSCOPE_SOFT_SUMMARY", "/no/such/folder/file", &nowhere),
        ("CUSCOPE_SOFT_TRACE", "/no/such/folder/file", &nowhere),
    ] {
        let test = "a_variable_that_makes_no_sense_is_told_and_refused";
        let Some(output) = child(test, &[(name, value)]) else {
            // Twice, but told once.
            assert_eq!(code!(cuInit(0)), 304);
            assert_eq!(code!(cuInit(0)), 304);
            assert_eq!(code!(cuDeviceGetCount(&mut 0)), 3);
            return;
        };
        let text = stderr(&output);
        let told: Vec<_> = text.lines().filter(|line| line.contains(name)).collect();
        assert!(told.len() == 1 && told[0].contains(says) && told[0].contains(value), "{text}");
    }
}

#[test]
fn calls_fail_as_the_variable_says() {
    let plan = "cuMemAlloc#2=OUT_OF_MEMORY, cuCtxSynchronize=719:after, cuEventCreate=2";
    let test = "calls_fail_as_the_variable_says";
    let Some(output) = child(test, &[("CUSCOPE_SOFT_FAULT", plan)]) else {
        let _context = context();
        let mut memory = 0;
        let codes: Vec<_> = (0..3).map(|_| code!(cuMemAlloc_v2(&raw mut memory, 4))).collect();
        assert_eq!(codes, [0, 2, 0]);
        assert_eq!([code!(cuCtxSynchronize()), code!(cuCtxSynchronize())], [719, 719]);
        // Nothing stays of it.
        ok!(cuStreamSynchronize(null_mut()));
        // In other threads too.
        let refused = || code!(cuEventCreate(null_mut(), 0));
        assert_eq!(std::thread::spawn(refused).join().unwrap(), 2);
        return;
    };
    stderr(&output);
}

#[test]
fn memory_runs_out_after_so_many_bytes() {
    let test = "memory_runs_out_after_so_many_bytes";
    let Some(output) = child(test, &[("CUSCOPE_SOFT_FAULT", "memory=1M")]) else {
        let _context = context();
        let mut memory = 0;
        ok!(cuMemAlloc_v2(&raw mut memory, 512 << 10));
        assert_eq!(code!(cuMemAlloc_v2(&mut 0, (512 << 10) + 1)), 2);
        let (mut free, mut total) = (0, 0);
        ok!(cuMemGetInfo_v2(&raw mut free, &raw mut total));
        assert_eq!(free, 512 << 10);
        ok!(cuMemFree_v2(memory));
        ok!(cuMemAlloc_v2(&raw mut memory, 1 << 20));
        return;
    };
    stderr(&output);
}

#[test]
fn a_device_is_lost_after_so_many_launches() {
    let test = "a_device_is_lost_after_so_many_launches";
    let Some(output) = child(test, &[]) else {
        let _context = context();
        faults::install(Plan {
            lost: Some((2, cuscope_sys::CUDA_ERROR_UNKNOWN)),
            ..Plan::default()
        });
        let (fill, stream) = (kernel("fill", "fill"), stream());
        let memory = device_memory(&[0; 4]);
        let run = || launch(fill, stream, &[4, 7, memory]);
        assert_eq!([run(), run()], [0, 0]);
        ok!(cuStreamSynchronize(stream));
        assert_eq!(run(), 999);
        assert_eq!(code!(cuStreamSynchronize(stream)), 999);
        assert_eq!(code!(cuMemAlloc_v2(&mut 0, 4)), 999);
        faults::clear();
        assert_eq!(code!(cuCtxSynchronize()), 999, "a lost device stays lost");
        return;
    };
    stderr(&output);
}

#[test]
fn a_kernel_times_out() {
    let test = "a_kernel_times_out";
    let Some(output) = child(test, &[("CUSCOPE_SOFT_FAULT", "timeout=50ms")]) else {
        let _context = context();
        let (spin, stream) = (kernel("spin", "spin"), stream());
        assert_eq!(launch(spin, stream, &[1_000_000]), 0);
        ok!(cuStreamSynchronize(stream));
        assert_eq!(launch(spin, stream, &[30_000_000_000]), 0);
        assert_eq!(code!(cuStreamSynchronize(stream)), 702);
        assert_eq!(code!(cuMemAlloc_v2(&mut 0, 4)), 702);
        return;
    };
    stderr(&output);
}

#[test]
fn copies_are_slow() {
    let test = "copies_are_slow";
    let Some(output) = child(test, &[]) else {
        let _context = context();
        let stream = stream();
        let memory = device_memory(&[1]);
        let slow = Duration::from_millis(30);
        faults::install("copies=30ms".parse().unwrap());
        let start = Instant::now();
        ok!(cuMemcpyDtoDAsync_v2(memory, memory, 4, stream));
        ok!(cuStreamSynchronize(stream));
        assert!(start.elapsed() >= slow);
        faults::clear();
        assert_eq!(values(memory, 1), [1]);
        return;
    };
    stderr(&output);
}

#[test]
fn objects_that_are_alive_at_the_exit_are_reported() {
    let test = "objects_that_are_alive_at_the_exit_are_reported";
    let Some(output) = child(test, &[("CUSCOPE_SOFT_REPORT", "1")]) else {
        let _context = context();
        let _memory = device_memory(&[1, 2, 3]);
        let _host: *mut std::ffi::c_void = made!(cuMemAllocHost_v2(100));
        let (_stream, _event): (_, CUevent) = (stream(), made!(cuEventCreate(0)));
        let _kernel = kernel("fill", "fill");
        return;
    };
    let text = stderr(&output);
    let says = |what: &str| assert!(text.contains(what), "{what}\n{text}");
    for what in [
        "  1 context\n",
        "  1 allocation of 12 bytes\n",
        "  1 page-locked allocation of 100 bytes\n",
        "  1 stream\n",
        "  1 event\n",
        "  1 module\n",
        "  1 entry of context stacks\n",
        ": 12 bytes on the device, context 1 of device 0\n",
    ] {
        says(what);
    }
}

#[test]
fn nothing_alive_is_told_too() {
    let test = "nothing_alive_is_told_too";
    let Some(output) = child(test, &[("CUSCOPE_SOFT_REPORT", "1")]) else {
        let context = context();
        ok!(cuCtxDestroy_v2(context));
        return;
    };
    assert!(stderr(&output).contains("nothing is alive"));
}

/// The number after a key of an event.
fn number(event: &serde_json::Value, key: &str) -> f64 {
    event[key].as_f64().unwrap_or_else(|| panic!("{key} of {event}"))
}

#[test]
fn the_trace_shows_calls_by_thread_and_work_by_stream() {
    let test = "the_trace_shows_calls_by_thread_and_work_by_stream";
    let path = std::env::temp_dir().join(format!("cuscope-trace-{}.json", std::process::id()));
    let variables = [("CUSCOPE_SOFT_TRACE", path.to_str().unwrap())];
    let Some(output) = child(test, &variables) else {
        let _context = context();
        let (first, second) = (stream(), stream());
        let spin = kernel("spin", "spin");
        // Two kernels side by side, and a call that fails.
        for stream in [first, second] {
            assert_eq!(launch(spin, stream, &[40_000_000]), 0);
        }
        assert_eq!(code!(cuMemFree_v2(12)), 1);
        let second = second.expose_provenance();
        let wait = move || ok!(cuStreamSynchronize(std::ptr::with_exposed_provenance_mut(second)));
        std::thread::Builder::new()
            .name("a \"waiter\"".into())
            .spawn(wait)
            .unwrap()
            .join()
            .unwrap();
        ok!(cuStreamSynchronize(first));
        return;
    };
    stderr(&output);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let trace: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let named = |name: &str| -> Vec<_> {
        events.iter().filter(|event| event["name"] == name && event["ph"] == "X").collect()
    };
    // The kernels ran in lanes of their own, and at the same time.
    let kernels = named("spin");
    assert_eq!(kernels.len(), 2, "{text}");
    let lanes: BTreeSet<_> = kernels.iter().map(|one| number(one, "tid") as u64).collect();
    assert_eq!(lanes.len(), 2);
    let (a, b) = (kernels[0], kernels[1]);
    let start = number(a, "ts").max(number(b, "ts"));
    let end = |one| number(one, "ts") + number(one, "dur");
    assert!(start < end(a).min(end(b)), "not side by side: {a} {b}");
    assert!(kernels.iter().all(|one| number(one, "dur") >= 39_000.0));
    // The calls, with what they answered, by thread.
    let free = named("cuMemFree_v2");
    assert_eq!(
        (&free[0]["args"]["code"], &free[0]["args"]["result"]),
        (&1.into(), &"CUDA_ERROR_INVALID_VALUE".into())
    );
    let waits = named("cuStreamSynchronize");
    assert_eq!(waits.len(), 2);
    assert_ne!(waits[0]["tid"], waits[1]["tid"]);
    assert!(number(waits[0], "dur") > 1000.0);
    let names: BTreeMap<_, _> = events
        .iter()
        .filter(|event| event["name"] == "thread_name")
        .map(|event| {
            ((number(event, "pid") as u64, number(event, "tid") as u64), &event["args"]["name"])
        })
        .collect();
    let waiter = &names[&(1, number(waits[0], "tid") as u64)];
    assert!(waiter.as_str().unwrap().starts_with("a \"waiter\""), "{waiter}");
    for lane in lanes {
        assert_eq!(names[&(2, lane)], &format!("stream {lane}"));
    }
}

/// The lines of a summary, without what all lines begin with.
fn summary(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("========= ")).collect()
}

/// PTX of a kernel that copies a word for each thread, to the second parameter.
const COPY: &str = ".version 7.0\n.target sm_70\n.address_size 64\n\
    .visible .entry copy(.param .u64 from, .param .u64 to) {\n\
    .reg .u64 %rd<4>;\n.reg .u32 %r<3>;\n\
    ld.param.u64 %rd1, [from];\nld.param.u64 %rd2, [to];\n\
    mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\n\
    add.u64 %rd1, %rd1, %rd3;\nadd.u64 %rd2, %rd2, %rd3;\n\
    ld.global.u32 %r2, [%rd1];\nst.global.u32 [%rd2], %r2;\nret;\n}\n";

/// A kernel of PTX.
fn kernel_of(ptx: &str, name: &str) -> CUfunction {
    let (ptx, name) = (CString::new(ptx).unwrap(), CString::new(name).unwrap());
    let module = made!(cuModuleLoadData(ptx.as_ptr().cast()));
    made!(cuModuleGetFunction(module, name.as_ptr()))
}

#[test]
fn a_summary_tells_what_was_done_refused_and_left() {
    let test = "a_summary_tells_what_was_done_refused_and_left";
    let Some(output) = child(test, &[("CUSCOPE_SOFT_SUMMARY", "1")]) else {
        let context = context();
        let memory = device_memory(&[1, 2]);
        assert_eq!(launch(kernel_of(COPY, "copy"), null_mut(), &[memory, memory + 4]), 0);
        assert_eq!(values(memory, 2), [1, 1]);
        let mut module = null_mut();
        let strange = CString::new(COPY.replace("st.global", "st.strange")).unwrap();
        for _ in 0..2 {
            assert_eq!(code!(cuModuleLoadData(&raw mut module, strange.as_ptr().cast())), 218);
        }
        let machine_code = *b"\x7fELF\0";
        assert_eq!(code!(cuModuleLoadData(&raw mut module, machine_code.as_ptr().cast())), 209);
        assert_eq!(code!(cuMemFree_v2(0x123)), 1);
        assert_eq!(code!(cuCheckpointProcessLock(0, null_mut())), 801);
        // NVRTC goes on without its table, the runtime does not.
        let of = |id: u128| cuscope_sys::CUuuid { bytes: id.to_be_bytes().map(|byte| byte as _) };
        let mut table = std::ptr::null();
        for id in [0xda9151d3_3ae6_cc41_a5c0_4f26d533e328, 0x6bd5fb6c_5bf4_e74a_8987_d93912fd9df9] {
            let id = of(id);
            assert_eq!(code!(cuGetExportTable(&raw mut table, &raw const id)), 1);
        }
        ok!(cuCtxDestroy_v2(context));
        let _context = context_on(0);
        let _left = made!(cuMemAlloc_v2(1 << 20));
        return;
    };
    let text = stderr(&output);
    let lines = summary(&text);
    let has = |line: &str| assert!(lines.contains(&line), "{line:?} is not in\n{text}");
    assert!(lines[0].starts_with("CUSCOPE SOFTWARE DRIVER: process "), "{text}");
    assert!(lines[1].contains(" of 13 functions, 5 failed; 1 launch, about "), "{text}");
    has("Not supported: CUDA_ERROR_NOT_SUPPORTED (error 801) on 1 call of cuCheckpointProcessLock");
    has("Program hit: CUDA_ERROR_INVALID_PTX (error 218) on 2 calls of cuModuleLoadData");
    has("Program hit: CUDA_ERROR_INVALID_VALUE (error 1) on 1 call of cuMemFree_v2");
    has("PTX was refused: line 14: Instruction 'st.strange.u32' is not supported (2 times)");
    has("    st.strange.u32 [%rd2], %r2;");
    // Memory that its context took along is a leak, too.
    has("LEAK SUMMARY: 1,048,584 bytes leaked in 2 allocations");
    let tables = lines.iter().filter(|line| line.contains("undocumented functions"));
    assert_eq!(tables.count(), 1, "{text}");
    assert!(!text.contains("of cuGetExportTable"), "{text}");
    has("RACE SUMMARY: 0 races");
    has("ERROR SUMMARY: 0 errors");
    // The advice for machine code is given at once too.
    let told = text.lines().filter(|line| line.contains("--gpu-architecture=compute_90"));
    assert_eq!(told.count(), 2, "{text}");
}

#[test]
fn a_summary_of_a_process_that_dies_is_in_its_file() {
    let test = "a_summary_of_a_process_that_dies_is_in_its_file";
    let file = std::env::temp_dir().join(format!("cuscope-summary-{}", std::process::id()));
    let Some(output) = child(test, &[("CUSCOPE_SOFT_SUMMARY", file.to_str().unwrap())]) else {
        let _context = context();
        let trap = COPY.replace("ld.global.u32 %r2, [%rd1];", "trap;");
        assert_eq!(launch(kernel_of(&trap, "copy"), null_mut(), &[0, 0]), 0);
        assert_eq!(code!(cuCtxSynchronize()), 719);
        std::process::abort();
    };
    assert!(!output.status.success());
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(file).unwrap();
    let lines = summary(&text);
    // The cause of all else is the first thing reported.
    assert_eq!(lines[2], "Kernel copy faulted: CUDA_ERROR_LAUNCH_FAILED (error 719)", "{text}");
    for line in [
        "Program hit: CUDA_ERROR_LAUNCH_FAILED (error 719) on 1 call of cuCtxSynchronize",
        "Kernel copy faulted: CUDA_ERROR_LAUNCH_FAILED (error 719)",
        "    by thread (0,0,0) in block (0,0,0)",
        "The process did not come to its end",
        "ERROR SUMMARY: 1 error",
    ] {
        assert!(lines.contains(&line), "{line:?} is not in\n{text}");
    }
}

#[test]
fn the_check_finds_what_nobody_wrote_and_what_is_no_memory() {
    let test = "the_check_finds_what_nobody_wrote_and_what_is_no_memory";
    // With a seed too, which notes accesses as well.
    for seed in ["", "3"] {
        let variables = [
            ("CUSCOPE_SOFT_SUMMARY", "1"),
            ("CUSCOPE_SOFT_CHECK", "1"),
            ("CUSCOPE_SOFT_SEED", seed),
        ];
        let Some(output) = child(test, &variables) else {
            let _context = context();
            let copy = kernel_of(COPY, "copy");
            let (a, b) = (made!(cuMemAlloc_v2(256)), made!(cuMemAlloc_v2(64)));
            // Each way to write memory, and a read of what was written.
            ok!(cuMemsetD8_v2(a, 1, 64));
            assert_eq!(launch_many(copy, 1, 16, null_mut(), &[a, a + 64]), 0);
            ok!(cuMemcpyHtoD_v2(a + 128, [7_u32; 8].as_ptr().cast(), 32));
            ok!(cuMemcpyDtoD_v2(a + 160, a, 32));
            ok!(cuMemsetD2D32_v2(a + 192, 8, 5, 1, 2));
            assert_eq!(launch_many(copy, 1, 16, null_mut(), &[a + 64, a]), 0);
            assert_eq!(values(a, 48)[32..], [vec![7; 8], vec![0x0101_0101; 8]].concat());
            ok!(cuCtxSynchronize());
            // The bytes between the rows of the fill were not: 196 to 199, and from 204 on.
            assert_eq!(launch_many(copy, 1, 4, null_mut(), &[a + 192, b]), 0);
            ok!(cuMemcpyDtoH_v2([0_u32; 4].as_mut_ptr().cast(), a + 208, 16));
            ok!(cuCtxSynchronize());
            // The fault is the last thing.
            assert_eq!(launch_many(copy, 1, 32, null_mut(), &[a, b]), 0);
            assert_eq!(code!(cuCtxSynchronize()), 700);
            return;
        };
        let text = stderr(&output);
        let lines = summary(&text);
        let found: Vec<_> = lines.iter().filter(|line| line.contains(" by c")).collect();
        assert_eq!(found.len(), 3, "{text}");
        assert!(
            found[0].starts_with(
                "Uninitialized __global__ memory read of size 4 bytes by copy: address "
            )
        );
        assert!(found[0].contains(" is 196 bytes into the allocation "), "{text}");
        assert!(found[0].ends_with(" of 256 bytes (2 times)"), "{text}");
        assert!(found[1].starts_with("Uninitialized memory read of 16 bytes by cuMemcpyDtoH_v2: "));
        assert!(found[1].contains(" is 208 bytes into "), "{text}");
        assert!(found[2].starts_with("Invalid __global__ write of size 4 bytes by copy: "));
        assert!(found[2].contains(" is 0 bytes behind the allocation "), "{text}");
        assert!(lines.contains(&"ERROR SUMMARY: 4 errors"), "{text}");
    }
}

#[test]
fn a_fault_tells_its_access_its_instruction_and_its_thread() {
    let test = "a_fault_tells_its_access_its_instruction_and_its_thread";
    let file = std::env::temp_dir().join(format!("cuscope-faults-{}", std::process::id()));
    const CASES: [(&str, &str, u32, &str); 4] = [
        (
            "st.local.u32 [%rd3+1048576], %r1;",
            "Invalid __local__ write of size 4 bytes: address 0x100000 is out of bounds",
            700,
            "thread (0,0,0)",
        ),
        (
            "ld.shared.u32 %r2, [%r1];",
            "Invalid __shared__ read of size 4 bytes: address 0x1 is misaligned",
            716,
            "thread (1,0,0)",
        ),
        (
            "red.shared.add.u32 [%r1+4096], 1;",
            "Invalid __shared__ atomic of size 4 bytes: address 0x1001 is misaligned",
            716,
            "thread (1,0,0)",
        ),
        (
            "ld.global.u64 %rd3, [%rd2+4];",
            "Invalid __global__ read of size 8 bytes: address",
            716,
            "thread (0,0,0)",
        ),
    ];
    for check in ["", "1"] {
        for (number, (instruction, access, code, thread)) in CASES.into_iter().enumerate() {
            let (name, number) = (file.to_str().unwrap(), number.to_string());
            let variables = [
                ("CUSCOPE_SOFT_SUMMARY", name),
                ("CUSCOPE_SOFT_CHECK", check),
                ("CUSCOPE_TEST_CASE", &number),
            ];
            let Some(output) = child(test, &variables) else {
                let number = std::env::var("CUSCOPE_TEST_CASE").unwrap();
                let (instruction, _, code, _) = CASES[number.parse::<usize>().unwrap()];
                let _context = context();
                let bad =
                    COPY.replace("add.u64 %rd1, %rd1, %rd3;\nadd", &format!("{instruction}\nadd"));
                let memory = made!(cuMemAlloc_v2(256));
                let bad = kernel_of(&bad, "copy");
                assert_eq!(launch_many(bad, 3, 16, null_mut(), &[memory, memory]), 0);
                assert_eq!(code!(cuCtxSynchronize()), code);
                return;
            };
            assert!(output.status.success(), "{}", stderr(&output));
            let text = std::fs::read_to_string(&file).unwrap();
            std::fs::remove_file(&file).unwrap();
            let lines = summary(&text);
            let at = lines.iter().position(|line| line.starts_with("Kernel copy faulted: "));
            let at = at.unwrap_or_else(|| panic!("{text}"));
            assert!(lines[at].ends_with(&format!("(error {code})")), "{text}");
            assert!(lines[at + 1].starts_with(&format!("    {access}")), "{text}");
            assert_eq!(
                lines[at + 2],
                format!("    at line 11 of the PTX: {instruction}"),
                "{text}"
            );
            let by = format!("    by {thread} in block (");
            assert!(lines[at + 3].starts_with(&by), "{text}");
            assert!(lines.contains(&"ERROR SUMMARY: 1 error"), "{text}");
            assert!(!lines[1].contains("about 0 warp instructions"), "{text}");
        }
    }
}

#[test]
fn kernels_go_on_without_accesses_that_fault() {
    let test = "kernels_go_on_without_accesses_that_fault";
    for (most, check) in [("100", ""), ("100", "1"), ("9", ""), ("0", "")] {
        let variables = [
            ("CUSCOPE_SOFT_SUMMARY", "1"),
            ("CUSCOPE_SOFT_CHECK", check),
            ("CUSCOPE_SOFT_GO_ON", most),
        ];
        let Some(output) = child(test, &variables) else {
            let _context = context();
            let copy = COPY.replace("ld.global", ".loc 1 41 3\nld.global");
            let copy = kernel_of(&format!("{copy}.file 1 \"/src/copy.cu\"\n"), "copy");
            // Of 24 threads, 16 have a word.
            let (a, b) = (device_memory(&[7; 16]), device_memory(&[0; 16]));
            assert_eq!(launch_many(copy, 1, 24, null_mut(), &[a, b]), 0);
            if std::env::var("CUSCOPE_SOFT_GO_ON").as_deref() != Ok("100") {
                assert_eq!(code!(cuCtxSynchronize()), 700);
                return;
            }
            ok!(cuCtxSynchronize());
            assert_eq!(values(b, 16), [7; 16]);
            return;
        };
        let text = stderr(&output);
        let lines = summary(&text);
        let kernels: Vec<_> =
            (0..lines.len()).filter(|&at| lines[at].starts_with("Kernel copy")).collect();
        let told: Vec<_> = kernels.iter().map(|&at| lines[at]).collect();
        let (went_on, error) =
            ("Kernel copy went on without an access", "CUDA_ERROR_ILLEGAL_ADDRESS (error 700)");
        let (each, faulted) =
            (format!("{went_on}: {error} (8 times)"), format!("Kernel copy faulted: {error}"));
        let once = format!("{went_on}: {error}");
        let (wanted, errors) = match most {
            "100" => (vec![&each, &each], 16),
            "9" => (vec![&each, &once, &faulted], 10),
            _ => (vec![&faulted], 1),
        };
        assert_eq!(told, wanted, "{text}");
        let first = &lines[kernels[0] + 1..];
        assert!(
            first[0].starts_with("    Invalid __global__ read of size 4 bytes: address "),
            "{text}"
        );
        assert_eq!(first[1], "    at line 14 of the PTX: ld.global.u32 %r2, [%rd1];", "{text}");
        assert_eq!(first[2], "    at /src/copy.cu:41", "{text}");
        assert_eq!(first[3], "    by thread (16,0,0) in block (0,0,0)", "{text}");
        assert!(
            lines.contains(&&*format!(
                "ERROR SUMMARY: {errors} error{}",
                if errors == 1 { "" } else { "s" }
            )),
            "{text}"
        );
        let leaks = lines.iter().any(|line| line.starts_with("Leaked 64 bytes"));
        assert_eq!(leaks, most == "100", "{text}");
    }
}

#[test]
fn the_check_reports_a_vector_that_is_read_past_the_end_of_its_memory() {
    let test = "the_check_reports_a_vector_that_is_read_past_the_end_of_its_memory";
    for (check, errors) in [("", 0), ("1", 1)] {
        let variables = [("CUSCOPE_SOFT_SUMMARY", "1"), ("CUSCOPE_SOFT_CHECK", check)];
        let Some(output) = child(test, &variables) else {
            let context = context();
            let wide = COPY.replace("ld.global.u32 %r2, [%rd1];", WIDE);
            let memory = made!(cuMemAlloc_v2(44));
            ok!(cuMemcpyHtoD_v2(memory, [7_u32; 11].as_ptr().cast(), 44));
            let kernel = kernel_of(&wide, "copy");
            assert_eq!(launch(kernel, null_mut(), &[memory, memory]), 0);
            assert_eq!(values(memory, 11)[0], 21);
            ok!(cuMemFree_v2(memory));
            ok!(cuCtxDestroy_v2(context));
            return;
        };
        let text = stderr(&output);
        let lines = summary(&text);
        let found: Vec<_> = lines.iter().filter(|line| line.contains(" by copy")).collect();
        assert_eq!(found.len(), errors, "{text}");
        for line in found {
            assert!(
                line.starts_with("Invalid __global__ read of size 4 bytes by copy: "),
                "{text}"
            );
            assert!(line.contains(" is 0 bytes behind the allocation "), "{text}");
        }
    }
}

/// Adds the last 3 of 11 words, which it reads with one load of 4.
const WIDE: &str = ".reg .u32 %w<5>;\nld.global.v4.u32 {%w0, %w1, %w2, %w3}, [%rd1+32];\n\
    add.u32 %r2, %w0, %w1;\nadd.u32 %r2, %r2, %w2;";

/// A kernel whose blocks add to the first word of the grid's workspace, and write what they found to the parameter.
const MEET: &str = ".version 7.0\n.target sm_70\n.address_size 64\n\
    .visible .entry meet(.param .u64 out) {\n.reg .u64 %rd<5>;\n.reg .u32 %r<4>;\n\
    ld.param.u64 %rd1, [out];\nmov.u32 %r1, %envreg2;\nmov.u32 %r2, %envreg1;\n\
    cvt.u64.u32 %rd2, %r1;\ncvt.u64.u32 %rd3, %r2;\nbfi.b64 %rd4, %rd3, %rd2, 32, 32;\n\
    atom.add.release.gpu.u32 %r3, [%rd4], 1;\nld.acquire.gpu.u32 %r3, [%rd4+4];\n\
    st.global.u32 [%rd1], %r3;\nret;\n}\n";

#[test]
fn the_check_knows_that_the_workspace_of_a_grid_is_zero() {
    let test = "the_check_knows_that_the_workspace_of_a_grid_is_zero";
    let variables = [("CUSCOPE_SOFT_SUMMARY", "1"), ("CUSCOPE_SOFT_CHECK", "1")];
    let Some(output) = child(test, &variables) else {
        let context = context();
        let mut out = made!(cuMemAlloc_v2(4));
        let (meet, mut params) = (kernel_of(MEET, "meet"), [(&raw mut out).cast()]);
        let params = params.as_mut_ptr();
        ok!(cuLaunchCooperativeKernel(meet, 2, 1, 1, 1, 1, 1, 0, null_mut(), params));
        assert_eq!(values(out, 1), [0]);
        ok!(cuMemFree_v2(out));
        ok!(cuCtxDestroy_v2(context));
        return;
    };
    let text = stderr(&output);
    assert!(summary(&text).contains(&"ERROR SUMMARY: 0 errors"), "{text}");
}

#[test]
fn devices_keep_their_identities_in_a_list_of_visible_ones() {
    let test = "devices_keep_their_identities_in_a_list_of_visible_ones";
    let variables = [("CUSCOPE_SOFT_DEVICES", "4"), ("CUDA_VISIBLE_DEVICES", "3,1")];
    let Some(output) = child(test, &variables) else {
        ok!(cuInit(0));
        let count: i32 = made!(cuDeviceGetCount());
        assert_eq!(count, 2);
        for (device, number) in [(0, 3), (1, 1)] {
            let id: cuscope_sys::CUuuid = made!(cuDeviceGetUuid_v2(device));
            assert_eq!(id.bytes[15], number);
            let address = CString::new(format!("0000:0{number}:00.0")).unwrap();
            let found: i32 = made!(cuDeviceGetByPCIBusId(address.as_ptr()));
            assert_eq!(found, device);
        }
        let mut none = 0;
        let hidden = c"0000:02:00.0";
        assert_eq!(code!(cuDeviceGetByPCIBusId(&raw mut none, hidden.as_ptr())), 101);
        return;
    };
    stderr(&output);
}
