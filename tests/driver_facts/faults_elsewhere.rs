//! Work that goes on in other contexts when a kernel faults in one: F326, F327, F329, F331, F332. A is the context whose
//! work goes on, B the one of the fault. The tests run one after another, as they take their time on one device.

use crate::common::{HANG, assert_success, one_at_a_time, software, until};
use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CString, c_void};
use std::process::Output;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

/// `count(words, ns)`: stores 1, 2, 3 … in the first word until the second is not 0, or for `ns` nanoseconds; then 1 in the
/// third.
const COUNT: &str = "
.version 7.0
.target sm_52
.address_size 64
.visible .entry count(.param .u64 words, .param .u64 ns)
{
    .reg .pred %p<3>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<7>;
    ld.param.u64 %rd1, [words];
    ld.param.u64 %rd2, [ns];
    cvta.to.global.u64 %rd3, %rd1;
    mov.u32 %r1, 0;
    mov.u64 %rd4, %globaltimer;
again:
    add.u32 %r1, %r1, 1;
    st.volatile.global.u32 [%rd3], %r1;
    ld.volatile.global.u32 %r2, [%rd3 + 4];
    setp.ne.u32 %p2, %r2, 0;
    @%p2 bra over;
    mov.u64 %rd5, %globaltimer;
    sub.u64 %rd6, %rd5, %rd4;
    setp.lt.u64 %p1, %rd6, %rd2;
    @%p1 bra again;
over:
    st.volatile.global.u32 [%rd3 + 8], 1;
    ret;
}
";

/// `stop_if(stop)`: traps if it is told to.
const STOP_IF: &str = "
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

/// `count`, and `stop_if`.
fn kernels() -> CString {
    CString::new([COUNT, STOP_IF].concat()).unwrap()
}

/// A page of the program, to be registered: what is left of a context does not unmap it.
#[repr(align(4096))]
pub(crate) struct Page(pub(crate) [AtomicU32; 1024]);

static PAGE: Page = Page([const { AtomicU32::new(0) }; 1024]);

/// The words of the kernel `count`, which counts, is told to end, and says that it came to its end, and the one that a copy
/// writes.
pub(crate) const COUNTED: usize = 0;
pub(crate) const TOLD: usize = 1;
pub(crate) const ENDED: usize = 2;
pub(crate) const COPIED: usize = 256;

pub(crate) fn word(index: usize) -> u32 {
    PAGE.0[index].load(SeqCst)
}

pub(crate) fn address(index: usize) -> *mut c_void {
    PAGE.0[index].as_ptr().cast()
}

/// How long work runs that nothing ends sooner: a real driver takes up to 0.8 s to report a fault, and longer where other
/// processes use the device.
fn work() -> Duration {
    Duration::from_millis(if software() { 700 } else { 4000 })
}

/// How long it is looked whether memory changes. A real device may take some milliseconds to write.
pub(crate) const LOOK: Duration = Duration::from_millis(150);

/// Whether the kernel still counts.
pub(crate) fn counts() -> bool {
    let (first, begin) = (word(COUNTED), Instant::now());
    // The device is others' too for a while, or at a halt for a fault of theirs.
    while word(COUNTED) == first && begin.elapsed() < HANG {
        thread::sleep(LOOK / 10);
    }
    word(COUNTED) != first
}

/// Whether the kernel counts no more.
fn stopped() -> bool {
    let first = word(COUNTED);
    thread::sleep(LOOK);
    word(COUNTED) == first
}

/// Called by a stream: notes when it begins and when it has ended, and runs until it is told to end, or for some time.
pub(crate) struct Called {
    pub(crate) begun: AtomicU32,
    pub(crate) ended: AtomicU32,
    told: AtomicBool,
    time: Option<Duration>,
}

impl Called {
    /// Without a time, it runs until it is told to end.
    pub(crate) fn with(time: Option<Duration>) -> &'static Self {
        let [begun, ended] = [const { AtomicU32::new(0) }; 2];
        Box::leak(Box::new(Self { begun, ended, told: AtomicBool::new(false), time }))
    }

    pub(crate) fn until_told() -> &'static Self {
        Self::with(None)
    }

    pub(crate) fn shortly() -> &'static Self {
        Self::with(Some(Duration::ZERO))
    }

    /// Has it end.
    pub(crate) fn tell(&self) {
        self.told.store(true, SeqCst);
    }

    pub(crate) fn data(&'static self) -> *mut c_void {
        (&raw const *self).cast_mut().cast()
    }

    /// Waits until it is called.
    pub(crate) fn begins(&self) {
        until("the begin of a function", || self.begun.load(SeqCst) > 0);
    }

    /// Waits until the call has ended.
    pub(crate) fn ends(&self) {
        until("the end of a function", || self.ended.load(SeqCst) > 0);
    }
}

pub(crate) unsafe extern "C" fn called(data: *mut c_void) {
    // SAFETY: the tests pass what is leaked.
    let called = unsafe { &*data.cast::<Called>() };
    called.begun.fetch_add(1, SeqCst);
    match called.time {
        Some(time) => thread::sleep(time),
        None => until("the word to end", || called.told.load(SeqCst)),
    }
    called.ended.fetch_add(1, SeqCst);
}

/// A context with kernels in it that ran once: the first launch may wait for what the context holds.
pub(crate) struct Site {
    pub(crate) context: CUcontext,
    pub(crate) module: CUmodule,
    pub(crate) stream: CUstream,
}

impl Site {
    /// In a context, which is on no stack then.
    pub(crate) fn within(context: CUcontext) -> Self {
        within(context, || {
            let module = made!(cuModuleLoadData(kernels().as_ptr().cast()));
            let stream = made!(cuStreamCreate(1));
            assert_eq!(launch(kernel(module, c"stop_if"), stream, &[0]), SUCCESS);
            Self { context, module, stream }
        })
    }

    /// In a new context.
    pub(crate) fn created() -> Self {
        Self::within(create_context_unpushed())
    }

    /// In the primary context.
    pub(crate) fn primary() -> Self {
        let device = device();
        Self::within(made!(cuDevicePrimaryCtxRetain(device)))
    }

    /// In a green context of all multiprocessors.
    pub(crate) fn green() -> (CUgreenCtx, Self) {
        let device = device();
        let green: CUgreenCtx = made!(newer cuGreenCtxCreate(null_mut(), device, 1));
        (green, Self::within(made!(newer cuCtxFromGreenCtx(green))))
    }

    /// In a new context of the second device; none with one device only.
    pub(crate) fn elsewhere() -> Option<Self> {
        let _first = device();
        let count: i32 = made!(cuDeviceGetCount());
        (count > 1).then(|| {
            let second = made!(cuDeviceGet(1));
            let context = made!(cuCtxCreate_v2(0, second));
            assert_eq!(pop(), context);
            Self::within(context)
        })
    }

    /// Registers the page, waits for all that was before, and begins to count in it until it is told to end.
    pub(crate) fn count(&self) {
        self.count_for(HANG);
    }

    /// The same for so long.
    fn count_for(&self, time: Duration) {
        within(self.context, || {
            ok!(cuMemHostRegister_v2(address(0), size_of::<Page>(), 3));
            let count = kernel(self.module, c"count");
            let at = |nanoseconds| [address(COUNTED).addr() as u64, nanoseconds];
            assert_eq!(launch(count, self.stream, &at(0)), SUCCESS);
            ok!(cuCtxSynchronize());
            PAGE.0[ENDED].store(0, SeqCst);
            assert_eq!(launch(count, self.stream, &at(time.as_nanos() as u64)), SUCCESS);
        });
        until("the count", || word(COUNTED) >= 2);
    }

    /// Has a kernel trap.
    pub(crate) fn trap(&self) {
        let stop_if = within(self.context, || kernel(self.module, c"stop_if"));
        assert_eq!(launch(stop_if, self.stream, &[1]), SUCCESS);
    }

    /// Has a kernel trap and waits for the report.
    pub(crate) fn fault(&self) {
        self.trap();
        assert_eq!(code!(cuStreamSynchronize(self.stream)), LAUNCH_FAILED);
    }
}

/// A counts when a kernel in B traps.
pub(crate) fn suffer() -> (Site, Site) {
    let (a, b) = (Site::created(), Site::created());
    a.count();
    b.fault();
    (a, b)
}

/// All of a test's processes succeeded.
pub(crate) fn all_succeed(test: &str, outputs: Option<Vec<Output>>) {
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
        let (first, second) = (Called::until_told(), Called::shortly());
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
        assert!(counts(), "{name}: the kernel has stopped, or was waited for");
        assert_eq!(second.begun.load(SeqCst), 0, "{name}");
        assert_eq!(word(COPIED), 0, "{name}");
        first.tell();
        first.ends();
        second.ends();
        PAGE.0[TOLD].store(1, SeqCst);
        until("the copy", || word(COPIED) == 77);
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
        let (first, second) = (Called::until_told(), Called::shortly());
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
        first.begins();
        b.fault();
        assert_eq!(code!(cuStreamSynchronize(a.stream)), LAUNCH_FAILED);
        assert_eq!(second.begun.load(SeqCst), 0);
        first.tell();
        second.ends();
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
        let function = Called::with(Some(work()));
        let functions: CUstream = within(a.context, || made!(cuStreamCreate(1)));
        a.count_for(work());
        ok!(cuLaunchHostFunc(functions, Some(called), function.data()));
        function.begins();
        b.trap();
        assert_eq!(code!(cuStreamSynchronize(b.stream)), LAUNCH_FAILED, "{name}");
        let over = word(ENDED) == 1 && function.ended.load(SeqCst) == 1;
        assert!(stopped(), "{name}: the kernel goes on");
        assert!(!software() || over, "{name}: reported before the end of the other work");
    });
    all_succeed(TEST, outputs);
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
        ok!(cuCtxPushCurrent_v2(a.context));
        each_gives!(LAUNCH_FAILED; {
            cuMemHostUnregister(address(0));
            cuMemFreeHost(host);
            cuStreamDestroy_v2(a.stream);
            cuEventDestroy_v2(event);
            cuModuleUnload(a.module);
        });
        ok!(cuCtxDestroy_v2(b.context));
        assert!(counts(), "the kernel has stopped, or was waited for");
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

/// Copies device memory to pageable memory of as many bytes: all of them, or 3 of 4 bytes of its rows.
type ToHost = (&'static str, fn(CUdeviceptr, &mut [u8], CUstream) -> CUresult);

/// Bytes from row to row of [`TO_HOST`].
const PITCH: usize = 4096;

const TO_HOST: [ToHost; 3] = [
    ("cuMemcpyDtoHAsync", |from, to, stream| {
        code!(cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, to.len(), stream))
    }),
    ("cuMemcpy2DAsync", |from, to, stream| {
        let rows = CUDA_MEMCPY2D {
            srcMemoryType: CU_MEMORYTYPE_DEVICE,
            srcDevice: from,
            srcPitch: PITCH,
            dstMemoryType: CU_MEMORYTYPE_HOST,
            dstHost: to.as_mut_ptr().cast(),
            WidthInBytes: PITCH / 4 * 3,
            Height: to.len() / PITCH,
            ..all_zeros()
        };
        code!(cuMemcpy2DAsync_v2(&raw const rows, stream))
    }),
    ("cuMemcpy3DAsync", |from, to, stream| {
        let planes = CUDA_MEMCPY3D {
            srcMemoryType: CU_MEMORYTYPE_DEVICE,
            srcDevice: from,
            srcPitch: PITCH,
            srcHeight: 16,
            dstMemoryType: CU_MEMORYTYPE_HOST,
            dstHost: to.as_mut_ptr().cast(),
            WidthInBytes: PITCH / 4 * 3,
            Height: 8,
            Depth: to.len() / PITCH / 16,
            ..all_zeros()
        };
        code!(cuMemcpy3DAsync_v2(&raw const planes, stream))
    }),
];

/// F331
#[test]
fn a_copy_with_pageable_memory_is_over_when_its_call_returns() {
    let _one = one_at_a_time();
    const TEST: &str = "a_copy_with_pageable_memory_is_over_when_its_call_returns";
    let outputs = each_alone(module_path!(), TEST, &TO_HOST, |&(name, to_host)| {
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
            let code = to_host(memory, &mut host, stream);
            (code, host)
        });
        thread::sleep(Duration::from_millis(20));
        b.fault();
        let (code, host) = copy.join().unwrap();
        assert_eq!(code, LAUNCH_FAILED, "{name}");
        assert!(counts(), "{name}: the kernel before the copy has ended");
        PAGE.0[TOLD].store(1, SeqCst);
        until("the end of the kernel", || word(ENDED) == 1);
        thread::sleep(LOOK);
        // Reads that the compiler makes one by one, in case the device writes.
        let seen = |at: &u8| {
            // SAFETY: a place in memory that lives; any byte is a value.
            unsafe { (&raw const *at).read_volatile() }
        };
        assert!(host.iter().step_by(512).all(|at| seen(at) == 0), "{name}: copied later");
    });
    all_succeed(TEST, outputs);
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
