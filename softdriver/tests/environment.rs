//! What the environment asks for: faults, the report, the trace. Each in a process of its own, as the
//! variables are read once.
#![allow(unsafe_code, reason = "the driver's functions are unsafe")]

#[macro_use]
mod common;

use common::*;
use cuscope_softdriver::faults::{self, Plan};
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Output};
use std::ptr::null_mut;
use std::time::{Duration, Instant};

const CHILD: &str = "CUSCOPE_SOFT_TEST_ENVIRONMENT";

/// The test alone in a process with variables, or none inside it.
fn child(test: &str, variables: &[(&str, &str)]) -> Option<Output> {
    if std::env::var(CHILD).as_deref() == Ok(test) {
        return None;
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([test, "--exact", "--nocapture", "--test-threads=1"]);
    Some(child.env(CHILD, test).envs(variables.iter().copied()).output().unwrap())
}

/// What a child that succeeded wrote to stderr.
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
    for (name, value, says) in [
        ("CUSCOPE_SOFT_DEVICES", "many", "number up to 64"),
        ("CUSCOPE_SOFT_SEED", "x", "no number"),
        ("CUSCOPE_SOFT_RACES", "maybe", "abort"),
        ("CUSCOPE_SOFT_FAULT", "cuNoSuchCall=1", "no function of the driver"),
        ("CUSCOPE_SOFT_REPORT", "loud", "0 or 1"),
        ("CUSCOPE_SOFT_TRACE", "/no/such/folder/file", "No such file"),
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
        assert_eq!(launch(spin, stream, &[2_000_000_000]), 0);
        let start = Instant::now();
        assert_eq!(code!(cuStreamSynchronize(stream)), 702);
        assert!(start.elapsed() < Duration::from_secs(1));
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
fn what_is_alive_at_the_exit_is_told() {
    let test = "what_is_alive_at_the_exit_is_told";
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

/// The number behind a key of an event.
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
