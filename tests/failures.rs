//! Every driver call of every public operation fails in turn, in destructors too: no panic, nothing
//! left alive or pushed, and an error (or a report to the hook) that names the call.
#![allow(unsafe_code, reason = "launches kernels, and plays foreign code")]

mod common;
mod failures {
    pub(crate) mod operations;
}

use cuscope::{ContextStack, Result, ffi};
use cuscope_softdriver::control::{Live, live, record, stack_depth};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use failures::operations::{GREEN, OPERATIONS, Operation};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// What the hook was told: the calls.
static REPORTED: Mutex<Vec<Option<&'static str>>> = Mutex::new(Vec::new());

/// A failure for whose call nothing is wrong; one that says that the process lost the GPU; the one
/// that a wait gives that did not wait; one that no code names.
const CODES: [ffi::CUresult; 4] = [
    ffi::CUDA_ERROR_OUT_OF_MEMORY,
    ffi::CUDA_ERROR_LAUNCH_FAILED,
    ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
    ffi::CUresult(54_321),
];

/// What ends a context: where the call fails, the context stays, and nothing else.
const ENDS: [&str; 3] = ["cuCtxDestroy_v2", "cuDevicePrimaryCtxRelease_v2", "cuGreenCtxDestroy"];

/// Calls that can do their work and report the failure of earlier work all the same.
fn can_be_performed(call: &str, code: ffi::CUresult) -> bool {
    // What takes a function over is believed a refusal, unless the error is of earlier work.
    if ["cuLaunchHostFunc", "cuStreamAddCallback"].contains(&call) {
        return code == ffi::CUDA_ERROR_LAUNCH_FAILED;
    }
    ENDS.contains(&call)
        || ["Destroy", "Free", "Unload", "Synchronize", "Memcpy", "Memset", "cuLaunch", "Record"]
            .iter()
            .any(|part| call.contains(part))
}

/// Calls whose failure an operation does not report, as it has an answer without them.
const TOLERATED: [(&str, &str); 1] = [("format a context", "cuCtxGetId")];

/// Whether a call that failed once may have been made once more, to good effect: a capture of foreign code
/// refused it in a thread whose mode that changed.
fn can_be_made_again(call: &str, fault: Fault) -> bool {
    const BANNED: [&str; 9] = [
        "cuMemFree_v2",
        "cuMemFreeAsync",
        "cuMemHostUnregister",
        "cuModuleUnload",
        "cuLibraryUnload",
        "cuGraphInstantiateWithFlags",
        "cuGraphExecDestroy",
        "cuProfilerStart",
        "cuProfilerStop",
    ];
    let banned =
        BANNED.contains(&call) || call.ends_with("Synchronize") || call.ends_with("Synchronize_v2");
    banned
        && fault.code == ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
        && matches!(fault.which, Which::Nth(_))
}

fn run(operation: &Operation) -> Result {
    catch_unwind(AssertUnwindSafe(operation.run))
        .unwrap_or_else(|_| panic!("`{}` panicked", operation.name))
}

/// How many contexts are alive more than before, and nothing else is, but for what a pool was to free:
/// primary and green contexts that could not be ended are ended here.
fn left(before: Live, failed: &[&str]) -> usize {
    for call in failed {
        let code = match *call {
            // SAFETY: gives back the retain that could not be given back.
            "cuDevicePrimaryCtxRelease_v2" => unsafe { ffi::cuDevicePrimaryCtxRelease_v2(0) },
            "cuGreenCtxDestroy" => {
                let green = GREEN.load(Ordering::Relaxed);
                // SAFETY: could not be destroyed, so it is alive.
                unsafe { ffi::cuGreenCtxDestroy().unwrap()(green) }
            }
            _ => continue,
        };
        assert_eq!(code, ffi::CUDA_SUCCESS, "{call}");
    }
    let after = live();
    let contexts = after.contexts - before.contexts;
    // What cannot be destroyed stays; what belongs to a context ends with it, and graphs do not.
    let stay = |name| failed.iter().filter(|call| **call == name).count();
    let graphs = before.graphs + stay("cuGraphDestroy");
    let graph_execs = before.graph_execs + stay("cuGraphExecDestroy");
    // So do libraries and links, which belong to none.
    let libraries = before.libraries + stay("cuLibraryUnload");
    let links = before.links + stay("cuLinkDestroy");
    let before = Live { graphs, graph_execs, libraries, links, ..before };
    let mut rest = Live { contexts: before.contexts, ..after };
    // A pool and what it allocated belong to no context, whose end would free them.
    if failed.contains(&"cuMemFreeAsync") {
        rest = Live { allocations: before.allocations, bytes: before.bytes, ..rest };
    }
    if failed.contains(&"cuMemPoolDestroy") {
        rest.pools = before.pools;
    }
    assert_eq!(rest, before, "left alive after {failed:?} failed");
    contexts
}

/// Runs an operation under a fault and looks at what it left.
fn check(operation: &Operation, fault: Fault) -> Vec<&'static str> {
    let name = operation.name;
    REPORTED.lock().unwrap().clear();
    let before = live();
    let (result, failed) = with_fault(fault, || run(operation));
    let every = matches!(fault.which, Which::Named(_));
    if every {
        // While pops fail, entries stay; the thread's next stack takes them off.
        drop(ContextStack::current_thread().unwrap());
    }
    assert_eq!(stack_depth(), 0, "{name}: left pushed under {fault:?} ({failed:?})");

    let reported = REPORTED.lock().unwrap().clone();
    let told = |call: &str| {
        let returned = result.as_ref().err().and_then(|error| error.call());
        returned == Some(call) || reported.contains(&Some(call))
    };
    let undone = |call: &&str| !fault.performed && (told(call) || !can_be_made_again(call, fault));
    let undone: Vec<_> = failed.iter().copied().filter(undone).collect();
    let stay = undone.iter().filter(|call| ENDS.contains(call)).count();
    let contexts = left(before, &undone);
    assert!(contexts <= stay, "{name}: {contexts} contexts left under {fault:?} ({failed:?})");

    for call in failed.iter().filter(|call| !TOLERATED.contains(&(name, call))) {
        // Once an operation has failed, what fails in its wake is not told as well.
        let in_its_wake = every && (result.is_err() || !reported.is_empty());
        assert!(
            told(call) || in_its_wake || can_be_made_again(call, fault),
            "{name}: {call} failed unseen under {fault:?}: {result:?}, {reported:?}"
        );
    }
    failed
}

/// The functions of the driver that this crate calls, by the table of the bindings.
fn called_by_this_crate() -> BTreeSet<String> {
    let table = include_str!("../ffi/COVERAGE.md");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    let called = rows.filter(|(_, rest)| rest.split('|').nth(2).is_some_and(|c| c.trim() == "yes"));
    called.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn every_call_of_every_operation_fails_in_turn() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(every_call_of_every_operation_fails_in_turn, {
        cuscope::init().unwrap();
        cuscope::on_release_error(|error| REPORTED.lock().unwrap().push(error.call()));
        let (mut injected, mut names) = (0, BTreeSet::new());
        for operation in OPERATIONS {
            let before = live();
            let (result, calls) = record(|| run(operation));
            result.unwrap_or_else(|error| panic!("`{}`: {error}", operation.name));
            assert_eq!(live(), before, "{}", operation.name);
            for (n, call) in calls.iter().enumerate() {
                for code in CODES {
                    for performed in [false, true] {
                        if performed && !can_be_performed(call, code) {
                            continue;
                        }
                        let fault = Fault { which: Which::Nth(n), code, performed };
                        let before = live();
                        let failed = check(operation, fault);
                        assert_eq!(failed, [*call], "{}: call {n}", operation.name);
                        injected += 1;
                        // The contexts of failed destructions stay: each run counts from there.
                        assert!(live().contexts <= before.contexts + 1);
                    }
                }
            }
            names.extend(calls);
        }
        println!("{} operations, {injected} failures of single calls", OPERATIONS.len());

        let mut every = 0;
        for &call in &names {
            for operation in OPERATIONS {
                let fault = Fault { which: Which::Named(call), code: CODES[0], performed: false };
                every += check(operation, fault).len();
            }
        }
        println!("{every} failures of all calls of a name");

        let missing: Vec<_> =
            called_by_this_crate().into_iter().filter(|n| !names.contains(n.as_str())).collect();
        let without_failure =
            ["cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString", "cuInit"];
        assert_eq!(missing, without_failure, "these calls of the crate were never failed");
        assert!(injected > 1000);
    });
}
