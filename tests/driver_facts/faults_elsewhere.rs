//! What goes on in other contexts when a kernel faults in one: F326 to F333. A is the context whose work goes
//! on, B the one of the fault. The tests run one after another, as they take their time on one device.

use crate::common::{assert_success, one_at_a_time, respawn_with, software};
use crate::raw::*;
use crate::{dangling, fresh};
use cuscope::ffi::*;
use std::ffi::{CStr, c_char, c_void};
use std::os::unix::process::ExitStatusExt as _;
use std::process::Output;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

/// `count` stores 1, 2, 3 … for some time, `stop_if` traps if it is told to.
const PTX: &CStr = c"
.version 7.0
.target sm_52
.address_size 64
.visible .entry count(.param .u64 address, .param .u64 nanoseconds)
{
    .reg .pred %p<2>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<7>;
    ld.param.u64 %rd1, [address];
    ld.param.u64 %rd2, [nanoseconds];
    cvta.to.global.u64 %rd3, %rd1;
    mov.u32 %r1, 0;
    mov.u64 %rd4, %globaltimer;
again:
    add.u32 %r1, %r1, 1;
    st.volatile.global.u32 [%rd3], %r1;
    mov.u64 %rd5, %globaltimer;
    sub.s64 %rd6, %rd5, %rd4;
    setp.lt.u64 %p1, %rd6, %rd2;
    @%p1 bra again;
    ret;
}
.visible .entry stop_if(.param .u64 stop)
{
    .reg .pred %p<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [stop];
    setp.eq.u64 %p1, %rd1, 0;
    @%p1 ret;
    trap;
}
";

/// A page of the program, to be registered: what is left of a context does not unmap it.
#[repr(align(4096))]
struct Page([AtomicU32; 1024]);

static PAGE: Page = Page([const { AtomicU32::new(0) }; 1024]);

/// The word that the kernel counts in, and the one that a copy writes.
const COUNTED: usize = 0;
const COPIED: usize = 256;

fn word(index: usize) -> u32 {
    PAGE.0[index].load(SeqCst)
}

fn address(index: usize) -> *mut c_void {
    PAGE.0[index].as_ptr().cast()
}

/// How long work of A runs: a real driver takes up to 0.8 s to report a fault, and longer where other processes use
/// the device.
fn work() -> Duration {
    Duration::from_millis(if software() { 700 } else { 4000 })
}

/// How long it is looked whether memory changes. A real device may take some milliseconds to write.
const LOOK: Duration = Duration::from_millis(150);

/// Whether the kernel still counts.
fn counts() -> bool {
    let first = word(COUNTED);
    thread::sleep(LOOK);
    word(COUNTED) != first
}

/// Called by a stream: notes when it begins and when it has ended, and runs for some time in between.
struct Called {
    begun: AtomicU32,
    ended: AtomicU32,
    runs: Duration,
}

impl Called {
    fn for_milliseconds(runs: u64) -> &'static Self {
        let runs = Duration::from_millis(runs);
        Box::leak(Box::new(Self { begun: AtomicU32::new(0), ended: AtomicU32::new(0), runs }))
    }

    fn data(&'static self) -> *mut c_void {
        (&raw const *self).cast_mut().cast()
    }

    /// Waits for the call, or not so long.
    fn ends_within(&self, limit: Duration) -> bool {
        let start = Instant::now();
        while self.ended.load(SeqCst) == 0 && start.elapsed() < limit {
            thread::sleep(Duration::from_millis(1));
        }
        self.ended.load(SeqCst) > 0
    }
}

unsafe extern "C" fn called(data: *mut c_void) {
    // SAFETY: the tests pass what is leaked.
    let called = unsafe { &*data.cast::<Called>() };
    called.begun.fetch_add(1, SeqCst);
    thread::sleep(called.runs);
    called.ended.fetch_add(1, SeqCst);
}

/// A context with kernels in it that ran once: the first launch may wait for what the context holds.
struct Site {
    context: CUcontext,
    module: CUmodule,
    stream: CUstream,
}

impl Site {
    /// In a context, which is on no stack then.
    fn within(context: CUcontext) -> Self {
        within(context, || {
            let module = made!(cuModuleLoadData(PTX.as_ptr().cast()));
            let stream = made!(cuStreamCreate(1));
            assert_eq!(launch(kernel(module, c"stop_if"), stream, &[0]), SUCCESS);
            Self { context, module, stream }
        })
    }

    /// In a new context.
    fn created() -> Self {
        Self::within(create_context_unpushed())
    }

    /// In the primary context.
    fn primary() -> Self {
        let device = device();
        Self::within(made!(cuDevicePrimaryCtxRetain(device)))
    }

    /// In a green context of all multiprocessors.
    fn green() -> (CUgreenCtx, Self) {
        let device = device();
        let green: CUgreenCtx = made!(newer cuGreenCtxCreate(null_mut(), device, 1));
        (green, Self::within(made!(newer cuCtxFromGreenCtx(green))))
    }

    /// In a new context of the second device; none with one device only.
    fn elsewhere() -> Option<Self> {
        let _first = device();
        let count: i32 = made!(cuDeviceGetCount());
        (count > 1).then(|| {
            let second = made!(cuDeviceGet(1));
            let context = made!(cuCtxCreate_v2(0, second));
            assert_eq!(pop(), context);
            Self::within(context)
        })
    }

    /// Registers the page, waits for all that was before, and begins to count in it.
    fn count(&self) {
        within(self.context, || {
            ok!(cuMemHostRegister_v2(address(0), size_of::<Page>(), 3));
            let count = kernel(self.module, c"count");
            let at = |nanoseconds| [address(COUNTED).addr() as u64, nanoseconds];
            assert_eq!(launch(count, self.stream, &at(0)), SUCCESS);
            ok!(cuCtxSynchronize());
            let nanoseconds = work().as_nanos() as u64;
            assert_eq!(launch(count, self.stream, &at(nanoseconds)), SUCCESS);
        });
        while word(COUNTED) < 2 {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Has a kernel trap.
    fn trap(&self) {
        let stop_if = within(self.context, || kernel(self.module, c"stop_if"));
        assert_eq!(launch(stop_if, self.stream, &[1]), SUCCESS);
    }

    /// Has a kernel trap and waits for the report.
    fn fault(&self) {
        self.trap();
        assert_eq!(code!(cuStreamSynchronize(self.stream)), LAUNCH_FAILED);
    }
}

/// A counts when a kernel in B traps.
fn suffer() -> (Site, Site) {
    let (a, b) = (Site::created(), Site::created());
    a.count();
    b.fault();
    (a, b)
}

/// All of a test's processes succeeded.
fn all_succeed(test: &str, outputs: Option<Vec<Output>>) {
    outputs.iter().flatten().for_each(|output| assert_success(test, output));
}

/// Where a fault is: makes A, and B.
type Pair = (&'static str, fn() -> Option<(Site, Site)>);

const ELSEWHERE: [Pair; 4] = [
    ("two contexts", || Some((Site::created(), Site::created()))),
    ("in the primary context", || Some((Site::created(), Site::primary()))),
    ("work in the primary context", || Some((Site::primary(), Site::created()))),
    ("on another device", || Some((Site::created(), Site::elsewhere()?))),
];

/// F326
#[test]
fn work_of_other_contexts_goes_on_after_a_fault_and_waits_for_it_do_not() {
    let _one = one_at_a_time();
    const TEST: &str = "work_of_other_contexts_goes_on_after_a_fault_and_waits_for_it_do_not";
    let outputs = each_alone(module_path!(), TEST, &ELSEWHERE, |(name, make)| {
        let Some((a, b)) = make() else { crate::skip!("{name}: needs two devices") };
        let (first, second) =
            (Called::for_milliseconds(work().as_millis() as u64), Called::for_milliseconds(0));
        let (event, functions, copies) = within(a.context, || {
            let stream = || -> CUstream { made!(cuStreamCreate(1)) };
            let event: CUevent = made!(cuEventCreate(0));
            (event, stream(), stream())
        });
        let memory = within(a.context, || {
            let memory: CUdeviceptr = made!(cuMemAlloc_v2(4));
            ok!(cuMemsetD32_v2(memory, 77, 1));
            memory
        });
        a.count();
        ok!(cuEventRecord(event, a.stream));
        ok!(cuStreamWaitEvent(copies, event, 0));
        ok!(cuMemcpyDtoHAsync_v2(address(COPIED), memory, 4, copies));
        ok!(cuLaunchHostFunc(functions, Some(called), first.data()));
        ok!(cuLaunchHostFunc(functions, Some(called), second.data()));
        b.fault();

        let start = Instant::now();
        for stream in [a.stream, functions, copies] {
            each_gives!(LAUNCH_FAILED; {
                cuStreamSynchronize(stream);
                cuStreamQuery(stream);
            });
        }
        each_gives!(LAUNCH_FAILED; {
            cuEventSynchronize(event);
            cuEventQuery(event);
        });
        assert!(start.elapsed() < work() / 4, "{name}: {:?}", start.elapsed());
        assert!(counts(), "{name}: the kernel has stopped");
        assert_eq!(second.begun.load(SeqCst), 0, "{name}");
        assert_eq!(word(COPIED), 0, "{name}");
        let limit = 5 * work();
        assert!(first.ends_within(limit), "{name}: the first function has not ended");
        assert!(second.ends_within(limit), "{name}: the second function was not called");
        let start = Instant::now();
        while word(COPIED) != 77 {
            assert!(start.elapsed() < limit, "{name}: the copy has stopped");
        }
    });
    all_succeed(TEST, outputs);
}

/// F326
#[test]
fn functions_of_a_graph_are_called_after_a_fault_elsewhere() {
    let _one = one_at_a_time();
    fresh!(functions_of_a_graph_are_called_after_a_fault_elsewhere, {
        let (a, b) = (Site::created(), Site::created());
        // One after another: a driver calls the functions of a context on one thread.
        let first = Called::for_milliseconds(work().as_millis() as u64);
        let second = Called::for_milliseconds(0);
        let executable = within(a.context, || {
            let graph: CUgraph = made!(cuGraphCreate(0));
            let params = |of: &'static Called| CUDA_HOST_NODE_PARAMS {
                r#fn: Some(called),
                userData: of.data(),
            };
            let (mut node, none) = (null_mut(), std::ptr::null());
            let (one, other) = (params(first), params(second));
            ok!(cuGraphAddHostNode(&raw mut node, graph, none, 0, &raw const one));
            let before = node;
            ok!(cuGraphAddHostNode(&raw mut node, graph, &raw const before, 1, &raw const other));
            let executable: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
            executable
        });
        ok!(cuGraphLaunch(executable, a.stream));
        while first.begun.load(SeqCst) == 0 {
            thread::yield_now();
        }
        b.fault();
        assert_eq!(code!(cuStreamSynchronize(a.stream)), LAUNCH_FAILED);
        assert_eq!(second.begun.load(SeqCst), 0);
        assert!(second.ends_within(5 * work()), "the second function was not called");
        assert_eq!(first.ended.load(SeqCst), 1);
    });
}

/// Where all is in one context: makes the site of the work, and that of the fault.
const TOGETHER: [Pair; 4] = [
    ("another stream", || {
        let site = Site::created();
        let other = Site::within(site.context);
        Some((site, other))
    }),
    ("a green context, work in the primary one", || Some((Site::primary(), Site::green().1))),
    ("the primary context, work in a green one", || Some((Site::green().1, Site::primary()))),
    ("two green contexts", || Some((Site::green().1, Site::green().1))),
];

/// F327: a real driver cuts kernels and copies off, this one lets them end.
#[test]
fn a_fault_is_reported_when_all_other_work_of_its_context_is_over() {
    let _one = one_at_a_time();
    const TEST: &str = "a_fault_is_reported_when_all_other_work_of_its_context_is_over";
    has!(cuGreenCtxCreate, cuCtxFromGreenCtx);
    let outputs = each_alone(module_path!(), TEST, &TOGETHER, |(name, make)| {
        let Some((a, b)) = make() else { return };
        let function = Called::for_milliseconds(work().as_millis() as u64);
        let functions: CUstream = within(a.context, || made!(cuStreamCreate(1)));
        a.count();
        ok!(cuLaunchHostFunc(functions, Some(called), function.data()));
        while function.begun.load(SeqCst) == 0 {
            thread::yield_now();
        }
        let start = Instant::now();
        b.trap();
        assert_eq!(code!(cuStreamSynchronize(b.stream)), LAUNCH_FAILED, "{name}");
        let report = start.elapsed();
        assert!(!counts(), "{name}: the kernel goes on, reported after {report:?}");
        assert!(!software() || report > work() / 2, "{name}: reported after {report:?}");
    });
    all_succeed(TEST, outputs);
}

/// What ends A: makes A, and ends it.
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
        let start = Instant::now();
        assert_eq!(end(&a), SUCCESS, "{name}");
        let last = word(COUNTED);
        assert!(start.elapsed() < work() / 2, "{name} took {:?}", start.elapsed());
        thread::sleep(LOOK);
        assert_eq!(word(COUNTED), last, "{name}: the kernel goes on");
    });
    all_succeed(TEST, outputs);
}

/// Which file descriptor the memory of a process has that its parent sees too.
const SHARED: &str = "CUSCOPE_TEST_SHARED";

/// Maps the first page of a file for itself and others.
fn map(file: i32) -> *mut c_void {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at an address of the system's choice disturbs nothing.
    let at = unsafe { libc::mmap(null_mut(), 4096, protection, libc::MAP_SHARED, file, 0) };
    assert_ne!(at, libc::MAP_FAILED);
    at
}

/// F328
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
            let nanoseconds = 10 * work().as_nanos() as u64;
            let count = kernel(a.module, c"count");
            assert_eq!(launch(count, a.stream, &[at.addr() as u64, nanoseconds]), SUCCESS);
        });
        while counted.load(SeqCst) < 2 {
            thread::sleep(Duration::from_millis(1));
        }
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

/// F329
#[test]
fn work_that_a_fault_elsewhere_left_goes_on_whatever_else_ends() {
    let _one = one_at_a_time();
    fresh!(work_that_a_fault_elsewhere_left_goes_on_whatever_else_ends, {
        let (a, b) = (Site::created(), Site::created());
        let event: CUevent = within(a.context, || made!(cuEventCreate(0)));
        let host: *mut c_void = within(a.context, || made!(cuMemAllocHost_v2(64)));
        a.count();
        b.fault();
        let start = Instant::now();
        ok!(cuCtxPushCurrent_v2(a.context));
        each_gives!(LAUNCH_FAILED; {
            cuMemHostUnregister(address(0));
            cuMemFreeHost(host);
            cuStreamDestroy_v2(a.stream);
            cuEventDestroy_v2(event);
            cuModuleUnload(a.module);
        });
        ok!(cuCtxDestroy_v2(b.context));
        assert!(start.elapsed() < work() / 2, "{:?}", start.elapsed());
        assert!(counts());
    });
}

/// F329
#[test]
fn work_of_a_green_context_goes_on_after_a_fault_elsewhere_and_its_end() {
    let _one = one_at_a_time();
    fresh!(work_of_a_green_context_goes_on_after_a_fault_elsewhere_and_its_end, {
        has!(cuGreenCtxCreate, cuCtxFromGreenCtx);
        // Else it ends the primary context.
        let _primary = Site::primary();
        let ((green, a), b) = (Site::green(), Site::created());
        a.count();
        b.fault();
        assert!(counts());
        ok!(newer cuGreenCtxDestroy(green));
        assert!(counts());
    });
}

/// What other threads do when A ends: calls with its handles, and an event of it, until they are told to stop.
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

/// The processes mostly died of SIGSEGV on a real driver, and succeeded on the software driver.
fn all_die(test: &str, outputs: Option<Vec<Output>>) {
    for output in outputs.iter().flatten() {
        let died = output.status.signal() == Some(libc::SIGSEGV);
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
        let function = Called::for_milliseconds(2 * work().as_millis() as u64);
        let never = Called::for_milliseconds(0);
        ok!(cuLaunchHostFunc(a.stream, Some(called), function.data()));
        ok!(cuLaunchHostFunc(a.stream, Some(called), never.data()));
        while function.begun.load(SeqCst) == 0 {
            thread::yield_now();
        }
        b.fault();
        let start = Instant::now();
        ok!(cuCtxDestroy_v2(a.context));
        assert!(start.elapsed() < work(), "{:?}", start.elapsed());
        assert!(function.ends_within(5 * work()));
        thread::sleep(LOOK);
        assert_eq!(never.begun.load(SeqCst), 0);
    });
    all_die(TEST, outputs);
}

/// F331
#[test]
fn a_copy_with_pageable_memory_is_over_when_its_call_returns() {
    let _one = one_at_a_time();
    fresh!(a_copy_with_pageable_memory_is_over_when_its_call_returns, {
        let (a, b) = (Site::created(), Site::created());
        let bytes: usize = if software() { 8 << 20 } else { 1 << 30 };
        let memory: CUdeviceptr = within(a.context, || made!(cuMemAlloc_v2(bytes)));
        within(a.context, || ok!(cuMemsetD8_v2(memory, 7, bytes)));
        let uses_tables: i32 =
            made!(cuDeviceGetAttribute(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, device()));
        if uses_tables != 0 {
            crate::skip!("the device uses the program's pages as they are");
        }
        a.count();
        let stream = Sent::new(a.stream);
        let copy = thread::spawn(move || {
            let (stream, mut host) = (stream.take(), vec![0_u8; bytes]);
            let code = code!(cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), memory, bytes, stream));
            (code, host)
        });
        thread::sleep(Duration::from_millis(20));
        b.fault();
        let (code, host) = copy.join().unwrap();
        assert_eq!(code, LAUNCH_FAILED);
        assert!(counts(), "the kernel before the copy has ended");
        thread::sleep(work() + LOOK);
        assert!(!counts());
        // Reads that the compiler makes one by one, in case the device writes.
        let seen = |at: &u8| {
            // SAFETY: a place in memory that lives; any byte is a value.
            unsafe { (&raw const *at).read_volatile() }
        };
        assert!(host.iter().step_by(512).all(|at| seen(at) == 0), "the copy was made later");
    });
}

/// F332
#[test]
fn nothing_tells_a_context_of_a_fault_from_others() {
    let _one = one_at_a_time();
    fresh!(nothing_tells_a_context_of_a_fault_from_others, {
        let (a, b) = suffer();
        let (mut bytes, mut total, mut word, mut id) = (0_usize, 0_usize, 0_u32, 0_u64);
        let (mut number, mut event) = (0_i32, null_mut());
        let mut made_in: CUcontext = null_mut();
        for site in [&a, &b, &a] {
            ok!(cuCtxPushCurrent_v2(site.context));
            each_gives!(LAUNCH_FAILED; {
                cuCtxGetLimit(&raw mut bytes, CU_LIMIT_STACK_SIZE);
                cuMemGetInfo_v2(&raw mut bytes, &raw mut total);
                cuStreamGetFlags(site.stream, &raw mut word);
                cuStreamGetCtx(site.stream, &raw mut made_in);
                cuEventCreate(&raw mut event, 0);
                cuMemHostGetFlags(&raw mut word, address(0));
                cuCtxSynchronize();
            });
            each_gives!(SUCCESS; {
                cuCtxGetFlags(&raw mut word);
                cuCtxGetDevice(&raw mut number);
                cuCtxGetId(site.context, &raw mut id);
                cuCtxGetApiVersion(site.context, &raw mut word);
                cuPointerGetAttribute(
                    (&raw mut made_in).cast(),
                    CU_POINTER_ATTRIBUTE_CONTEXT,
                    address(0).addr() as u64
                );
                cuDevicePrimaryCtxGetState(device(), &raw mut word, &raw mut number);
            });
            assert_eq!(made_in, a.context);
            assert_eq!(pop(), site.context);
        }
    });
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
