//! The effect of the end of a context, and of the process, on work that a fault in another context left: F328, F330,
//! F333. A and B are those of `faults_elsewhere`, and the tests run one after another likewise.

#[cfg(target_os = "linux")]
use crate::common::respawn_with;
use crate::common::{HANG, assert_success, one_at_a_time, software, until};
use crate::faults_elsewhere::{
    COUNTED, Called, ENDED, LOOK, Site, address, all_succeed, called, counts, word,
};
use crate::raw::*;
use crate::{dangling, fresh};
use cuscope::ffi::*;
use std::ffi::c_char;
#[cfg(target_os = "linux")]
use std::ffi::c_void;
use std::process::Output;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread;

/// A way to end A: makes A, and ends it.
type End = (&'static str, fn() -> Site, fn(&Site) -> CUresult);

const ENDS: [End; 3] = [
    ("cuCtxDestroy", Site::created, |a| code!(cuCtxDestroy_v2(a.context))),
    ("cuDevicePrimaryCtxReset", Site::primary, |_| code!(cuDevicePrimaryCtxReset_v2(device()))),
    ("cuDevicePrimaryCtxRelease", Site::primary, |_| code!(cuDevicePrimaryCtxRelease_v2(device()))),
];

/// F328
#[test]
fn the_end_of_a_context_cuts_off_its_work_after_a_fault_elsewhere() {
    let _one = one_at_a_time();
    const TEST: &str = "the_end_of_a_context_cuts_off_its_work_after_a_fault_elsewhere";
    let outputs = each_alone(module_path!(), TEST, &ENDS, |(name, make, end)| {
        let (a, b) = (make(), Site::created());
        a.count();
        b.fault();
        assert!(counts(), "{name}: stopped before");
        assert_eq!(end(&a), SUCCESS, "{name}");
        let last = word(COUNTED);
        thread::sleep(LOOK);
        assert_eq!(word(COUNTED), last, "{name}: the kernel goes on");
        assert_eq!(word(ENDED), 0, "{name}: the kernel was waited for");
    });
    all_succeed(TEST, outputs);
}

/// Which file descriptor the memory of a process has that its parent sees too.
#[cfg(target_os = "linux")]
const SHARED: &str = "CUSCOPE_TEST_SHARED";

/// Maps the first page of a file for itself and others.
#[cfg(target_os = "linux")]
fn map(file: i32) -> *mut c_void {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at an address of the system's choice disturbs nothing.
    let at = unsafe { libc::mmap(null_mut(), 4096, protection, libc::MAP_SHARED, file, 0) };
    assert_ne!(at, libc::MAP_FAILED);
    at
}

/// F328
#[cfg(target_os = "linux")] // it shares a file in memory
#[test]
fn the_end_of_the_process_cuts_off_its_work_after_a_fault() {
    let _one = one_at_a_time();
    const TEST: &str = "the_end_of_the_process_cuts_off_its_work_after_a_fault";
    for way in ["exit", "abort", "SIGKILL"] {
        // SAFETY: the name is a string.
        let file = unsafe { libc::memfd_create(c"counted".as_ptr(), 0) };
        assert!(file >= 0);
        // SAFETY: the file is this function's own.
        assert_eq!(unsafe { libc::ftruncate(file, 4096) }, 0);
        // A process of its own finds those of its parent.
        let inherited = std::env::var(SHARED).ok();
        let told = inherited.unwrap_or_else(|| format!("{file} {way}"));
        if respawn_with(module_path!(), TEST, &[(SHARED, &told)]).is_some() {
            // SAFETY: the page is mapped for good, and another process changes it while it lives.
            let counted = unsafe { AtomicU32::from_ptr(map(file).cast()) };
            let last = counted.load(SeqCst);
            assert!(last > 1, "{way}: {last}");
            thread::sleep(LOOK);
            assert_eq!(counted.load(SeqCst), last, "{way}: the kernel goes on");
            continue;
        }
        die_quietly(60);
        let (file, way) = told.split_once(' ').expect("both are there");
        let at = map(file.parse().expect("a number"));
        // SAFETY: as above.
        let counted = unsafe { AtomicU32::from_ptr(at.cast()) };
        let (a, b) = (Site::created(), Site::created());
        within(a.context, || {
            ok!(cuMemHostRegister_v2(at, 4096, 3));
            let nanoseconds = HANG.as_nanos() as u64;
            let count = kernel(a.module, c"count");
            assert_eq!(launch(count, a.stream, &[at.addr() as u64, nanoseconds]), SUCCESS);
        });
        until("the count", || counted.load(SeqCst) >= 2);
        b.fault();
        let first = counted.load(SeqCst);
        thread::sleep(LOOK);
        assert_ne!(counted.load(SeqCst), first, "{way}: stopped before");
        match way {
            "exit" => std::process::exit(0),
            "abort" => std::process::abort(),
            // SAFETY: the call takes no memory.
            _ => unsafe { libc::raise(libc::SIGKILL) },
        };
    }
}

/// Work of other threads while A ends: calls with its handles, and an event of it, until they are told to stop.
type During = (&'static str, fn(&Site, CUevent));

const DURING: [During; 4] = [
    ("launches", |a, _| {
        let stop_if = made!(cuModuleGetFunction(a.module, c"stop_if".as_ptr()));
        CALLS.until_told(|| launch(stop_if, a.stream, &[0]));
    }),
    ("copies", |a, _| {
        ok!(cuCtxPushCurrent_v2(a.context));
        let mut host = 0_u32;
        let memory: CUdeviceptr = made!(cuMemAlloc_v2(4));
        CALLS.until_told(|| code!(cuMemcpyDtoH_v2((&raw mut host).cast(), memory, 4)));
    }),
    ("waits", |a, _| {
        CALLS.until_told(|| code!(cuStreamSynchronize(a.stream)));
    }),
    ("queries", |_, event| {
        CALLS.until_told(|| code!(cuEventQuery(event)));
    }),
];

/// Threads that call.
struct Calls {
    begun: AtomicU32,
    over: AtomicBool,
}

static CALLS: Calls = Calls { begun: AtomicU32::new(0), over: AtomicBool::new(false) };

impl Calls {
    /// Whatever it answers: 0 at first, then what a real driver dies of instead.
    fn until_told(&self, mut call: impl FnMut() -> CUresult) {
        self.begun.fetch_add(1, SeqCst);
        while !self.over.load(SeqCst) {
            let _code = call();
        }
    }
}

/// The processes mostly died of SIGSEGV on a real driver, and one did not return from its calls. All succeed on the
/// software driver.
fn all_die(test: &str, outputs: Option<Vec<Output>>) {
    for output in outputs.iter().flatten() {
        // `die_quietly` ends a process that does not return.
        let died = matches!(crate::common::signal(output.status), Some(libc::SIGSEGV | TOO_LONG));
        if software() || !died {
            assert_success(test, output);
        }
    }
}

/// F330: the software driver answers.
#[test]
fn a_context_that_ends_under_calls_after_a_fault_elsewhere_kills_the_process() {
    let _one = one_at_a_time();
    const TEST: &str = "a_context_that_ends_under_calls_after_a_fault_elsewhere_kills_the_process";
    const THREADS: u32 = 4;
    let outputs = each_alone(module_path!(), TEST, &DURING, |&(_, calls)| {
        if !software() {
            die_quietly(15); // not to return is an answer
        }
        let (a, b) = (Site::created(), Site::created());
        let event: CUevent = within(a.context, || made!(cuEventCreate(0)));
        a.count();
        let site = || Sent::new((a.context, a.module, a.stream, event));
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let sent = site();
                thread::spawn(move || {
                    let (context, module, stream, event) = sent.take();
                    calls(&Site { context, module, stream }, event);
                })
            })
            .collect();
        while CALLS.begun.load(SeqCst) < THREADS {
            thread::yield_now();
        }
        b.fault();
        thread::sleep(LOOK);
        ok!(cuCtxDestroy_v2(a.context));
        thread::sleep(LOOK);
        CALLS.over.store(true, SeqCst);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    all_die(TEST, outputs);
}

/// F330: the software driver lets the function go on.
#[test]
fn a_context_that_ends_in_its_host_function_after_a_fault_elsewhere_kills_the_process() {
    let _one = one_at_a_time();
    const TEST: &str =
        "a_context_that_ends_in_its_host_function_after_a_fault_elsewhere_kills_the_process";
    let outputs = each_alone(module_path!(), TEST, &[()], |()| {
        let (a, b) = (Site::created(), Site::created());
        let (function, never) = (Called::until_told(), Called::shortly());
        ok!(cuLaunchHostFunc(a.stream, Some(called), function.data()));
        ok!(cuLaunchHostFunc(a.stream, Some(called), never.data()));
        function.begins();
        b.fault();
        ok!(cuCtxDestroy_v2(a.context));
        assert_eq!(function.ended.load(SeqCst), 0, "it waited for the function");
        function.tell();
        function.ends();
        thread::sleep(LOOK);
        assert_eq!(never.begun.load(SeqCst), 0);
    });
    all_die(TEST, outputs);
}

/// F333
#[test]
fn handles_of_a_context_that_ended_after_a_fault_elsewhere_are_known_as_such() {
    let _one = one_at_a_time();
    fresh!(handles_of_a_context_that_ended_after_a_fault_elsewhere_are_known_as_such, {
        let (a, b) = (Site::created(), Site::created());
        let function = within(a.context, || kernel(a.module, c"stop_if"));
        let (event, memory, pool) = within(a.context, || {
            let mut properties: CUmemPoolProps = all_zeros();
            properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
            properties.location.r#type = CU_MEM_LOCATION_TYPE_DEVICE;
            let event: CUevent = made!(cuEventCreate(0));
            let memory: CUdeviceptr = made!(cuMemAlloc_v2(64));
            let pool: CUmemoryPool = made!(cuMemPoolCreate(&raw const properties));
            (event, memory, pool)
        });
        let graph: CUgraph = made!(cuGraphCreate(0));
        a.count();
        b.fault();
        ok!(cuCtxDestroy_v2(a.context));
        each_gives!(CONTEXT_IS_DESTROYED; {
            cuStreamQuery(a.stream);
            cuStreamSynchronize(a.stream);
            cuStreamDestroy_v2(a.stream);
            cuEventQuery(event);
            cuEventSynchronize(event);
            cuEventDestroy_v2(event);
        });
        let mut found = null_mut();
        let (mut attribute, name) = (0_i32, c"count".as_ptr().cast::<c_char>());
        each_gives!(INVALID_HANDLE; {
            cuFuncGetAttribute(&raw mut attribute, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
            cuModuleGetFunction(&raw mut found, a.module, name);
            cuModuleUnload(a.module);
        });
        assert_eq!(code!(cuMemFree_v2(memory)), INVALID_VALUE);
        assert_eq!(code!(cuMemHostUnregister(address(0))), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
        ok!(cuMemPoolTrimTo(pool, 0));
        ok!(cuMemPoolDestroy(pool));
        ok!(cuGraphDestroy(graph));
    });
}

/// F333: a graph with a kernel of the context. A real driver dies, or does not return.
#[test]
fn graphs_of_a_context_that_ended_after_a_fault_elsewhere_are_dangerous() {
    let _one = one_at_a_time();
    dangling!(graphs_of_a_context_that_ended_after_a_fault_elsewhere_are_dangerous, {
        die_quietly(20);
        let (a, b) = (Site::created(), Site::created());
        let executable = within(a.context, || {
            ok!(cuStreamBeginCapture_v2(a.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
            assert_eq!(launch(kernel(a.module, c"stop_if"), a.stream, &[0]), SUCCESS);
            let mut graph = null_mut();
            ok!(cuStreamEndCapture(a.stream, &raw mut graph));
            let executable: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
            executable
        });
        a.count();
        b.fault();
        ok!(cuCtxDestroy_v2(a.context));
        ok!(cuCtxPushCurrent_v2(a.context));
        let number: i32 = made!(cuCtxGetDevice());
        assert_eq!(number, 0);
        ok!(cuGraphExecDestroy(executable));
    });
}
