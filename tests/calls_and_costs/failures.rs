//! Every driver call of every public operation fails in turn, in destructors too: no panic, nothing
//! left alive or pushed, and an error (or a report to the hook) that names the call.
#![allow(unsafe_code, reason = "launches kernels, and plays foreign code")]

mod effects;
mod operations;

use crate::common::fewer;
use crate::common::gpu::{kernel, new_context};
use crate::{alone_under_miri, common, fresh, skip};
use cuscope::{ContextStack, Error, LaunchConfig, Result, ffi};
use cuscope_softdriver::control::{Live, live, record, stack_depth};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use effects::{Seen, Table};
use operations::{GREEN, Operation, operations};
use std::collections::BTreeSet;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The calls that the hook was told.
static REPORTED: Mutex<Vec<Option<&'static str>>> = Mutex::new(Vec::new());

/// Whether functions of the host may run after a fault, and contexts stay.
static AFTER_FAULTS: AtomicBool = AtomicBool::new(false);

/// A failure for whose call nothing is wrong; one that says that the process lost the GPU; the one
/// that a wait gives that did not wait; one that no code names.
const CODES: [ffi::CUresult; 4] = [
    ffi::CUDA_ERROR_OUT_OF_MEMORY,
    ffi::CUDA_ERROR_LAUNCH_FAILED,
    ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
    ffi::CUresult(54_321),
];

/// Calls that end a context: if one fails, the context stays, and nothing else.
const ENDS: [&str; 3] = ["cuCtxDestroy_v2", "cuDevicePrimaryCtxRelease_v2", "cuGreenCtxDestroy"];

/// Calls that can do their work and report the failure of earlier work all the same.
fn can_be_performed(call: &str, code: ffi::CUresult) -> bool {
    // A call that takes a function over is believed a refusal, unless the error is of earlier work.
    if call == "cuLaunchHostFunc" {
        return code == ffi::CUDA_ERROR_LAUNCH_FAILED;
    }
    // Or unless the code does not say that the call did nothing.
    if call == "cuStreamAddCallback" {
        return [ffi::CUDA_ERROR_LAUNCH_FAILED, ffi::CUresult(54_321)].contains(&code);
    }
    ENDS.contains(&call)
        || ["Destroy", "Free", "Unload", "Synchronize", "Memcpy", "Memset", "cuLaunch", "Record"]
            .iter()
            .any(|part| call.contains(part))
}

/// Calls whose failure an operation does not report, as it has an answer without them.
const TOLERATED: [(&str, &str); 14] = [
    // They say why something was not found.
    ("what a library has not", "cuLibraryGetKernelCount"),
    ("what a library has not", "cuLibraryEnumerateKernels"),
    ("what a library has not", "cuKernelGetName"),
    ("tensor maps", "cuDeviceGetAttribute"),
    // It can wait for its stream.
    ("an allocation on a busy stream", "cuCtxGetCurrent"),
    ("an allocation on a busy stream", "cuStreamCreate"),
    ("an allocation on a busy stream", "cuMemAllocAsync"),
    ("an allocation on a busy stream", "cuStreamSynchronize"),
    ("format a context", "cuCtxGetId"),
    ("shared memory with one owner", "cuEventRecord"),
    ("shared memory with one owner", "cuStreamWaitEvent"),
    ("values that are pending", "cuEventRecord"),
    ("values that are asked for", "cuEventRecord"),
    ("values that are asked for", "cuEventQuery"),
];

/// Whether a call that failed once may have been made once more, to good effect: a capture of foreign code
/// refused it in a thread whose mode that changed, or memory ran out that streams kept.
fn can_be_made_again(call: &str, fault: Fault) -> bool {
    const BANNED: [&str; 25] = [
        "cuDestroyExternalMemory",
        "cuDestroyExternalSemaphore",
        "cuGraphicsUnmapResources",
        "cuGraphicsUnregisterResource",
        "cuIpcCloseMemHandle",
        "cuMemAddressFree",
        "cuMemPoolExportToShareableHandle",
        "cuMemPoolImportFromShareableHandle",
        "cuMemRelease",
        "cuMemUnmap",
        "cuStreamQuery",
        "cuMemFree_v2",
        "cuMemFreeAsync",
        "cuMemFreeHost",
        "cuMemHostUnregister",
        "cuArrayDestroy",
        "cuMipmappedArrayDestroy",
        "cuTexObjectDestroy",
        "cuSurfObjectDestroy",
        "cuModuleUnload",
        "cuLibraryUnload",
        "cuGraphInstantiateWithFlags",
        "cuGraphExecDestroy",
        "cuProfilerStart",
        "cuProfilerStop",
    ];
    let banned =
        BANNED.contains(&call) || call.ends_with("Synchronize") || call.ends_with("Synchronize_v2");
    let allocates = ["cuMemAllocAsync", "cuMemAllocFromPoolAsync"].contains(&call);
    let code = if allocates {
        ffi::CUDA_ERROR_OUT_OF_MEMORY
    } else {
        ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
    };
    (banned || allocates) && fault.code == code && matches!(fault.which, Which::Nth(_))
}

fn run(operation: &Operation) -> Result {
    catch_unwind(AssertUnwindSafe(operation.run))
        .unwrap_or_else(|_| panic!("`{}` panicked", operation.name))
}

/// How many contexts are alive more than before, and nothing else is, but for what a pool was to free:
/// primary and green contexts that could not be ended are ended here.
fn left(under: &str, before: Live, failed: &[&str], leaks: bool) -> usize {
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
    // An object that cannot be destroyed stays; one that belongs to a context ends with it, and graphs do not.
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
        let Live { allocations, bytes, host_allocations, .. } = before;
        rest = Live { allocations, bytes, host_allocations, ..rest };
    }
    // Nor does what is imported of another process's pool, which stays with it.
    if failed.contains(&"cuMemFree_v2") && under.starts_with("a pool of another process") {
        let Live { allocations, bytes, pools, .. } = before;
        rest = Live { allocations, bytes, pools, ..rest };
    }
    // Nor does virtual memory.
    if failed.iter().any(|call| ["cuMemUnmap", "cuMemRelease", "cuMemAddressFree"].contains(call)) {
        let Live { reservations, physical, mappings, .. } = before;
        rest = Live { reservations, physical, mappings, ..rest };
    }
    if failed.contains(&"cuMemPoolDestroy") {
        rest.pools = before.pools;
    }
    if leaks {
        let Live { registrations, allocations, bytes, streams, events, arrays, textures, .. } =
            before;
        rest =
            Live { registrations, allocations, bytes, streams, events, arrays, textures, ..rest };
    }
    // An object of a context that stays, stays too.
    if !AFTER_FAULTS.load(Ordering::Relaxed) {
        assert_eq!(rest, before, "{under}: left alive");
    }
    contexts
}

/// Runs an operation under a fault and looks at what it left, which the table notes of a single call. Gives the calls
/// that failed, and how many contexts stay.
fn check(operation: &Operation, fault: Fault, table: &mut Table) -> (Vec<&'static str>, usize) {
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
    let returned = |call: &str| result.as_ref().is_err_and(|error| error.call() == Some(call));
    let heard = |call: &str| reported.contains(&Some(call));
    let told = |call: &str| returned(call) || heard(call);
    if let (false, &[call]) = (every, failed.as_slice()) {
        let way = if TOLERATED.contains(&(name, call)) { Seen::OtherWay } else { Seen::MadeAgain };
        let seen = [(returned(call), Seen::Err), (heard(call), Seen::Hook), (!told(call), way)];
        let seen: Vec<_> = seen.iter().filter(|(is, _)| *is).map(|(_, seen)| *seen).collect();
        table.note(call, name, fault, &seen, effects::left(before, live()));
    }
    let undone = |call: &&str| !fault.performed && (told(call) || !can_be_made_again(call, fault));
    let undone: Vec<_> = failed.iter().copied().filter(undone).collect();
    // A push over an entry of the same context whose code does not say that it was refused: the context stays, as
    // nothing tells whether it was pushed.
    let refused =
        [ffi::CUDA_ERROR_OUT_OF_MEMORY, ffi::CUDA_ERROR_INVALID_VALUE].contains(&fault.code);
    let stays = |call: &&&str| ENDS.contains(call) || (**call == "cuCtxPushCurrent_v2" && !refused);
    let leaks = leaks(name, fault, &failed);
    let stay = undone.iter().filter(stays).count() + usize::from(leaks);
    let contexts = left(&format!("{name} under {fault:?}"), before, &undone, leaks);
    let stay = if AFTER_FAULTS.load(Ordering::Relaxed) { contexts } else { stay };
    assert!(contexts <= stay, "{name}: {contexts} contexts left under {fault:?} ({failed:?})");

    for call in failed.iter().filter(|call| !TOLERATED.contains(&(name, call))) {
        // Once an operation has failed, what fails in its wake is not told as well.
        let in_its_wake = every && (result.is_err() || !reported.is_empty());
        assert!(
            told(call) || in_its_wake || can_be_made_again(call, fault),
            "{name}: {call} failed unseen under {fault:?}: {result:?}, {reported:?}"
        );
    }
    (failed, contexts)
}

/// The functions of the driver that this crate calls, by the table of the bindings.
fn called_by_this_crate() -> BTreeSet<String> {
    let table = include_str!("../../ffi/COVERAGE.md");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    let called = rows.filter(|(_, rest)| rest.split('|').nth(2).is_some_and(|c| c.trim() == "yes"));
    called.map(|(name, _)| name.to_owned()).collect()
}

/// The operations that give the driver functions of the host to call. After a fault these may still run, so that no
/// context of the process is ended any more.
const WITH_FUNCTIONS: [&str; 6] = [
    "a function in an ordered stream",
    "default streams",
    "a built graph",
    "host functions in a scope",
    "a host function",
    "the end of a stream",
];

fn gives_functions(operation: &Operation) -> bool {
    WITH_FUNCTIONS.contains(&operation.name)
}

/// Whether a fault found out by this call ends the process, as there are several contexts and page-locked memory is
/// lent: `tests/contexts_and_threads/faults.rs` has these.
fn aborts(operation: &Operation, call: &str, code: ffi::CUresult) -> bool {
    // A scope does not know which memory was lent: some is left of earlier failures. On a busy machine it waits.
    ["pinned memory", "host functions in a scope"].contains(&operation.name)
        && call == "cuStreamSynchronize"
        && code == ffi::CUDA_ERROR_LAUNCH_FAILED
}

/// The operations that own what the device uses after they have returned.
const OWN_IN_FLIGHT: [&str; 7] = [
    "an ordered stream",
    "uploads through staging memory",
    "values that are pending",
    "values that are asked for",
    "a graph in an ordered stream",
    "a texture that is shared",
    "ordered memory that is detached",
];

/// Whether a wait finds out a fault, as there are several contexts: nothing proves then that the device has stopped, so
/// that what it used stays.
fn leaks(name: &str, fault: Fault, failed: &[&str]) -> bool {
    OWN_IN_FLIGHT.contains(&name)
        && fault.code == ffi::CUDA_ERROR_LAUNCH_FAILED
        && failed.iter().any(|call| call.ends_with("Synchronize"))
}

/// The calls of an operation that nothing makes fail, and that leaves nothing.
fn calls_of(operation: &Operation) -> Vec<&'static str> {
    let before = live();
    let (result, calls) = record(|| run(operation));
    result.unwrap_or_else(|error| panic!("`{}`: {error}", operation.name));
    assert_eq!(live(), before, "{}", operation.name);
    let functions = ["cuLaunchHostFunc", "cuGraphAddHostNode", "cuStreamAddCallback"];
    let gives = calls.iter().any(|call| functions.contains(call));
    assert_eq!(gives, gives_functions(operation), "{}: see WITH_FUNCTIONS", operation.name);
    calls
}

/// Fails each call of an operation with each code: how many failures that were.
fn fail_each(
    operation: &Operation,
    calls: &[&'static str],
    codes: &[ffi::CUresult],
    table: &mut Table,
) -> usize {
    let mut injected = 0;
    for (n, call) in calls.iter().enumerate().step_by(fewer(1, 29)) {
        for &code in codes {
            for performed in [false, true] {
                let possible = !performed || can_be_performed(call, code);
                if !possible {
                    continue;
                }
                let fault = Fault { which: Which::Nth(n), code, performed };
                if aborts(operation, call, code) {
                    table.note(call, operation.name, fault, &[Seen::Abort], BTreeSet::new());
                    continue;
                }
                let (failed, contexts) = check(operation, fault, table);
                assert_eq!(failed, [*call], "{}: call {n}", operation.name);
                injected += 1;
                // The contexts of failed destructions stay: each run counts from there.
                assert!(contexts <= 2);
            }
        }
    }
    injected
}

/// Operations that are not refused where no context is found, or that are refused later: destructors report it, and a capture
/// learns it at its end.
const GOES_ON: [(&str, &str); 5] = [
    ("cuIpcCloseMemHandle", "cuMemAlloc_v2"),
    ("cuMipmappedArrayDestroy", "cuImportExternalSemaphore"),
    ("cuSurfObjectDestroy", "cuTexObjectCreate"),
    ("cuProfilerStop", "cuProfilerStart"),
    ("cuEventCreate", "cuGraphInstantiateWithFlags"),
];

/// Lets the questions for the current context, from each one on, find none: the operation is refused, and the error names
/// a call that the operation makes between this question and the next. Returns how many errors that were.
fn misled(operation: &Operation, calls: &[&'static str]) -> usize {
    const ASKS: &str = "cuCtxGetCurrent";
    let (mut refused, name) = (0, operation.name);
    for n in (0..calls.len()).filter(|&n| calls[n] == ASKS) {
        // It answers, and writes no context.
        let which = Which::NamedFrom(ASKS, n);
        let fault = Fault { which, code: ffi::CUDA_SUCCESS, performed: false };
        let ((result, _), made) = record(|| with_fault(fault, || run(operation)));
        drop(ContextStack::current_thread().unwrap());
        let Err(Error::NotCurrent { call }) = result else { continue };
        refused += 1;
        // A guard that finds another context asks once more. Up to there the calls are the same.
        let twice = made[n..].windows(2).position(|two| two == [ASKS; 2]);
        let mut next = &calls[n + 1 + twice.unwrap_or(0)..];
        if twice.is_some() {
            let begin = next.iter().position(|call| *call != ASKS).unwrap_or(next.len());
            next = &next[begin..];
            next = &next[..next.iter().position(|call| *call == ASKS).unwrap_or(next.len())];
        }
        // Some name the operation of this crate.
        let right = next.contains(&call) || !call.starts_with("cu");
        let goes_on = next.first().is_some_and(|first| GOES_ON.contains(&(first, call)));
        assert!(right || goes_on, "{name}: {call} is named, and these are made: {next:?}");
    }
    refused
}

/// How many processes share the operations, so that all processors have work.
const PARTS: usize = 4;

/// Names the part of a process.
const PART: &str = "CUSCOPE_PART";

/// The part of this process, or nothing under Miri, which has one process.
fn part() -> Option<usize> {
    Some(env::var(PART).ok()?.parse().expect("it is a number"))
}

/// The operations of this process; under Miri every sixty-first.
fn some() -> impl Iterator<Item = &'static Operation> {
    let (first, step) = part().map_or((0, fewer(1, 61)), |part| (part, PARTS));
    operations().skip(first).step_by(step)
}

/// The findings of all processes together.
#[derive(Default)]
struct Found {
    table: Table,
    injected: usize,
    /// The failures of all calls of a name.
    every: usize,
    operations: BTreeSet<String>,
    calls: BTreeSet<String>,
}

/// Begins the lines that one process prints for the other.
const LINE: &str = "found: ";

impl Found {
    fn print(&self) {
        println!();
        println!("{LINE}injected\t{}\t{}", self.injected, self.every);
        self.operations.iter().for_each(|name| println!("{LINE}operation\t{name}"));
        self.calls.iter().for_each(|name| println!("{LINE}call\t{name}"));
        self.table.lines().for_each(|line| println!("{LINE}failure\t{line}"));
    }

    /// Adds what another process printed.
    fn add(&mut self, text: &str) {
        for line in text.lines().filter_map(|line| line.strip_prefix(LINE)) {
            let (kind, rest) = line.split_once('\t').expect("a line has its kind");
            match kind {
                "injected" => {
                    let (injected, every) = rest.split_once('\t').expect("two numbers");
                    self.injected += injected.parse::<usize>().unwrap();
                    self.every += every.parse::<usize>().unwrap();
                }
                "operation" => assert!(self.operations.insert(rest.to_owned()), "{rest}: twice"),
                "call" => drop(self.calls.insert(rest.to_owned())),
                "failure" => self.table.add(rest),
                _ => panic!("{line}"),
            }
        }
    }

    fn check(&self) {
        println!(
            "{} operations, {} failures of single calls",
            self.operations.len(),
            self.injected
        );
        println!("{} failures of all calls of a name", self.every);
        assert!(self.injected > fewer(1000, 4), "{}", self.injected);
        // Under Miri not every call is made to fail.
        if cfg!(miri) {
            return;
        }
        let all: BTreeSet<_> = operations().map(|operation| operation.name.to_owned()).collect();
        assert_eq!(self.operations, all);
        // Elsewhere some calls answer that they are not supported.
        if cfg!(target_os = "linux") {
            let without_failure =
                ["cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString", "cuInit"];
            let missing: Vec<_> = called_by_this_crate().difference(&self.calls).cloned().collect();
            assert_eq!(missing, without_failure, "these calls of the crate were never failed");
        }
        self.table.is_in_the_docs("operations");
    }
}

/// Fails the calls of the operations of this process.
fn fail_some() -> Found {
    cuscope::init().unwrap();
    cuscope::on_release_error(|error| REPORTED.lock().unwrap().push(error.call()));
    let (mut found, mut names, mut made) = (Found::default(), BTreeSet::new(), Vec::new());
    for operation in some().filter(|operation| !gives_functions(operation)) {
        let calls = calls_of(operation);
        found.injected += fail_each(operation, &calls, &CODES, &mut found.table);
        found.operations.insert(operation.name.to_owned());
        names.extend(calls.iter().copied());
        made.push((operation, BTreeSet::from_iter(calls)));
    }

    // Where every wait for memory fails the process ends: `tests/contexts_and_threads/faults.rs`.
    let waits = |call: &&&str| **call != "cuStreamSynchronize";
    for &call in names.iter().filter(waits).step_by(fewer(1, 97)) {
        // Up to the first failure an operation makes the calls that it makes without one.
        for (operation, _) in made.iter().filter(|(_, calls)| calls.contains(call)) {
            let fault = Fault { which: Which::Named(call), code: CODES[0], performed: false };
            found.every += check(operation, fault, &mut Table::default()).0.len();
        }
    }

    // Only now: these give the driver functions, and the process has seen a fault.
    AFTER_FAULTS.store(true, Ordering::Relaxed);
    for operation in some().filter(|operation| gives_functions(operation)) {
        let (result, calls) = record(|| run(operation));
        result.unwrap_or_else(|error| panic!("`{}`: {error}", operation.name));
        // The faults before left these objects.
        let (codes, table) = (&[ffi::CUDA_ERROR_LAUNCH_FAILED], &mut Table::default());
        found.injected += fail_each(operation, &calls, codes, table);
        found.operations.insert(operation.name.to_owned());
        names.extend(calls);
    }
    found.calls = names.into_iter().map(str::to_owned).collect();
    found
}

/// The name in an error is that of the call that was not made.
#[test]
fn an_operation_without_its_context_names_the_call_that_it_did_not_make() {
    if !common::software() {
        skip!("only the software driver misleads on demand");
    }
    fresh!(an_operation_without_its_context_names_the_call_that_it_did_not_make, {
        cuscope::init().unwrap();
        let all = operations().step_by(fewer(1, 7));
        let refused: usize = all.map(|one| misled(one, &record(|| run(one)).1)).sum();
        assert!(refused > fewer(1000, 50), "{refused}");
    });
}

#[test]
fn every_call_of_every_operation_fails_in_turn() {
    const NAME: &str = "every_call_of_every_operation_fails_in_turn";
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    alone_under_miri!(NAME);
    if common::is_alone(module_path!(), NAME) {
        let found = fail_some();
        return if part().is_some() { found.print() } else { found.check() };
    }
    let mut found = Found::default();
    std::thread::scope(|threads| {
        let run = |part: usize| {
            let part = part.to_string();
            common::respawn_with(module_path!(), NAME, &[(PART, &part)]).expect("another process")
        };
        let parts: Vec<_> = (0..PARTS).map(|part| threads.spawn(move || run(part))).collect();
        for part in parts {
            let output = part.join().expect("it has run");
            common::assert_success(NAME, &output);
            found.add(&String::from_utf8_lossy(&output.stdout));
        }
    });
    found.check();
}

/// Those that give the driver functions, in a process that sees no fault: all but the contexts of failed
/// destructions is released.
#[test]
fn every_call_of_every_operation_with_functions_fails_in_turn() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(every_call_of_every_operation_with_functions_fails_in_turn, {
        cuscope::init().unwrap();
        cuscope::on_release_error(|error| REPORTED.lock().unwrap().push(error.call()));
        let mut without_faults = CODES.to_vec();
        without_faults.retain(|&code| code != ffi::CUDA_ERROR_LAUNCH_FAILED);
        let (mut injected, mut table) = (0, Table::default());
        let giving = operations().filter(|operation| gives_functions(operation));
        for operation in giving.step_by(fewer(1, 3)) {
            let calls = calls_of(operation);
            injected += fail_each(operation, &calls, &without_faults, &mut table);
        }
        // Under Miri not every call is made to fail.
        if !cfg!(miri) {
            table.is_in_the_docs("operations that give the driver functions");
        }
        println!("{injected} failures of single calls");
        assert!(injected > fewer(100, 1), "{injected}");
    });
}

/// An error of the call that enqueues may be that of earlier work, with the operation taken all the same: what it
/// borrows is given back when the stream was waited for, unless the code says that nothing was taken.
#[test]
fn an_operation_that_may_have_been_taken_is_waited_for() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let mut stream = gpu.stream().unwrap();
    let (mut x, mut y) = (gpu.alloc::<u32>(4).unwrap(), gpu.alloc::<u32>(4).unwrap());
    gpu.on(&stream).zero(&mut x).unwrap();
    let fill = gpu.capture(&mut stream, |c| c.stream().fill(&mut c.hold(&mut y), 1)).unwrap();
    let store = kernel(&gpu, common::kernels::STORE, "store");
    let (on, one) = (gpu.on(&stream), LaunchConfig::new(1, 1));
    let (legacy, per_thread) = (gpu.on_legacy_default(), gpu.on_per_thread_default());
    let mut host = [0_u32; 4];

    let check = |call: &'static str, operation: &mut dyn FnMut() -> Result| {
        for (code, performed, waits) in [
            (ffi::CUDA_ERROR_UNKNOWN, true, true),
            (ffi::CUresult(54_321), true, true),
            (ffi::CUDA_ERROR_UNKNOWN, false, true),
            (ffi::CUDA_ERROR_INVALID_VALUE, false, false),
            (ffi::CUDA_ERROR_NOT_PERMITTED, false, false),
        ] {
            let fault = Fault { which: Which::Named(call), code, performed };
            let ((result, failed), calls) = record(|| with_fault(fault, &mut *operation));
            assert_eq!(failed, [call]);
            let error = result.unwrap_err();
            assert_eq!((error.call(), error.code()), (Some(call), Some(code)), "the first error");
            let waited = calls.last() == Some(&"cuStreamSynchronize");
            assert_eq!(waited, waits, "{call}, {code:?}: {calls:?}");
        }
    };
    check("cuMemcpyHtoDAsync_v2", &mut || on.upload(&[1; 4], &mut x));
    check("cuMemcpyDtoHAsync_v2", &mut || on.download(&x, &mut host));
    check("cuMemcpyDtoDAsync_v2", &mut || on.copy(&x, &mut y));
    check("cuMemcpyPeerAsync", &mut || on.copy_from_peer(&x, &mut y));
    check("cuMemcpyPeerAsync", &mut || on.copy_to_peer(&x, &mut y));
    check("cuMemsetD32Async", &mut || on.fill(&mut x, 1));
    check("cuMemsetD8Async", &mut || on.zero(&mut x));
    // SAFETY: the kernel is store(u32 *, u32) and writes one element.
    check("cuLaunchKernel", &mut || unsafe { on.launch_unchecked(&store, one, (&mut x, 9_u32)) });
    check("cuGraphLaunch", &mut || on.replay(&fill, &mut y));
    check("cuGraphUpload", &mut || on.upload_graph(&fill));
    let mut rows = gpu.alloc_pitched::<u32>((4, 4, 2)).unwrap();
    check("cuMemcpy3DAsync_v2", &mut || on.upload(&[1; 32], &mut rows));
    check("cuMemsetD2D32Async", &mut || on.fill(&mut rows, 1));
    let (mut upper, lower) = rows.part_mut(.., .., ..).unwrap().split_rows_at(2).unwrap();
    check("cuMemcpy3DPeerAsync", &mut || on.copy_from_peer(&lower, &mut upper));
    // The second of two calls: the first one may run.
    for code in [ffi::CUDA_ERROR_UNKNOWN, ffi::CUDA_ERROR_INVALID_VALUE] {
        let fault = Fault { which: Which::Nth(1), code, performed: false };
        let mut upper = rows.part_mut(.., ..2, ..).unwrap();
        let fill = &mut || on.fill(&mut upper, 1);
        let ((result, failed), calls) = record(|| with_fault(fault, fill));
        assert_eq!((result.unwrap_err().code(), failed), (Some(code), vec!["cuMemsetD2D32Async"]));
        assert_eq!(calls, ["cuMemsetD2D32Async", "cuMemsetD2D32Async", "cuStreamSynchronize"]);
    }
    check("cuMemcpyDtoHAsync_v2", &mut || legacy.download(&x, &mut host));
    check("cuMemsetD32Async", &mut || per_thread.fill(&mut x, 1));
}
