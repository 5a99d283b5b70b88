//! Thin helpers over the declared functions, so that the tests read like the table.

pub(crate) use cuscope::ffi::{
    CUDA_ERROR_CONTEXT_IS_DESTROYED as CONTEXT_IS_DESTROYED,
    CUDA_ERROR_FILE_NOT_FOUND as FILE_NOT_FOUND, CUDA_ERROR_ILLEGAL_ADDRESS as ILLEGAL_ADDRESS,
    CUDA_ERROR_INVALID_CONTEXT as INVALID_CONTEXT, CUDA_ERROR_INVALID_DEVICE as INVALID_DEVICE,
    CUDA_ERROR_INVALID_HANDLE as INVALID_HANDLE, CUDA_ERROR_INVALID_IMAGE as INVALID_IMAGE,
    CUDA_ERROR_INVALID_PTX as INVALID_PTX,
    CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION as INVALID_RESOURCE_CONFIGURATION,
    CUDA_ERROR_INVALID_RESOURCE_TYPE as INVALID_RESOURCE_TYPE,
    CUDA_ERROR_INVALID_VALUE as INVALID_VALUE, CUDA_ERROR_LAUNCH_FAILED as LAUNCH_FAILED,
    CUDA_ERROR_MAP_FAILED as MAP_FAILED, CUDA_ERROR_NOT_FOUND as NOT_FOUND,
    CUDA_ERROR_NOT_INITIALIZED as NOT_INITIALIZED, CUDA_ERROR_NOT_PERMITTED as NOT_PERMITTED,
    CUDA_ERROR_NOT_READY as NOT_READY, CUDA_ERROR_NOT_SUPPORTED as NOT_SUPPORTED,
    CUDA_ERROR_OUT_OF_MEMORY as OUT_OF_MEMORY, CUDA_ERROR_UNKNOWN as UNKNOWN,
    CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY as UNSUPPORTED_EXEC_AFFINITY,
    CUDA_ERROR_UNSUPPORTED_LIMIT as UNSUPPORTED_LIMIT,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION as UNSUPPORTED_PTX_VERSION, CUDA_SUCCESS as SUCCESS,
};
pub(crate) use cuscope::ffi::{
    CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUmodule, CUresult, CUstream,
};

use crate::common::{HANG, respawn_with, software};
use std::ffi::{CStr, c_int, c_void};
use std::process::Output;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// The code that a call answers with: `code!(cuCtxPopCurrent_v2(&raw mut top))`.
macro_rules! code {
    ($name:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: A pointer that a test passes is null where the driver looks for null, or is to a
        // variable of the right type that outlives what the driver does with it: asynchronous
        // calls are waited for in the test, or only look at memory before they return. Handles are
        // the driver's own, or null, which it recognises. The exceptions, such as handles of a destroyed
        // context (F13 to F16, F42), what never was one (F6), and damaged images (F113, F290), are made in
        // processes of their own, whose death is an answer.
        unsafe { cuscope::ffi::$name($($argument),*) }
    };
}

/// As `code!`, for a function that is looked up; a test asks [`has!`] first.
macro_rules! newer {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        let function = cuscope::ffi::$name().expect("the driver has it");
        // SAFETY: As for `code!`.
        unsafe { function($($argument),*) }
    }};
}

/// Leaves the test if the driver lacks one of the functions: `has!(cuGreenCtxCreate)`.
macro_rules! has {
    ($($name:ident),* $(,)?) => {
        $(if let Err(needs) = cuscope::ffi::$name() {
            $crate::skip!("{needs}");
        })*
    };
}

/// A call that must succeed.
macro_rules! ok {
    (newer $name:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(newer!($name($($argument),*)), $crate::raw::SUCCESS, stringify!($name))
    };
    ($name:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(code!($name($($argument),*)), $crate::raw::SUCCESS, stringify!($name))
    };
}

/// Returns the value that a call, which must succeed, writes to its first argument: `made!(cuStreamCreate(0))`.
macro_rules! made {
    (newer $name:ident($($argument:expr),* $(,)?)) => {{
        let mut out = $crate::raw::all_zeros();
        ok!(newer $name(&raw mut out, $($argument),*));
        out
    }};
    ($name:ident($($argument:expr),* $(,)?)) => {{
        let mut out = $crate::raw::all_zeros();
        ok!($name(&raw mut out, $($argument),*));
        out
    }};
}

/// Calls that must all answer with one code: `each_gives!(code; { cuA(…); cuB(…); })`.
macro_rules! each_gives {
    ($code:expr; { $($name:ident($($argument:expr),* $(,)?);)* }) => {
        $(assert_eq!(code!($name($($argument),*)), $code, stringify!($name));)*
    };
}

/// Leaves the test on a device of a compute capability below 9.0.
macro_rules! needs_accelerator {
    () => {
        let mut major = 0;
        let asked = CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
        ok!(cuDeviceGetAttribute(&raw mut major, asked, $crate::raw::device()));
        if major < 9 {
            crate::skip!("the device is of a compute capability below 9.0");
        }
    };
}

pub(crate) mod captures;
pub(crate) mod rows;
pub(crate) mod texels;

/// Null, or 0.
pub(crate) fn all_zeros<T>() -> T {
    // SAFETY: what a function of C takes and writes is a number, a structure of numbers, a pointer, or
    // a function that may be null: of each, zeros are a value. The tests ask for nothing else.
    unsafe { std::mem::zeroed() }
}

/// The functions that rows F1 and F20 were asked of. Not `cuInit`, nor what writes through a null pointer
/// before it looks at anything: `cuGetErrorName`, `cuGetErrorString`, and
/// `cuThreadExchangeStreamCaptureMode`.
const ASKED: [&str; 73] = [
    "cuCtxCreate_v2",
    "cuCtxDestroy_v2",
    "cuCtxGetApiVersion",
    "cuCtxGetCurrent",
    "cuCtxGetDevice",
    "cuCtxGetFlags",
    "cuCtxGetId",
    "cuCtxPopCurrent_v2",
    "cuCtxPushCurrent_v2",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetPCIBusId",
    "cuDeviceGetUuid_v2",
    "cuDevicePrimaryCtxGetState",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxReset_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxSetFlags_v2",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncGetAttribute",
    "cuGraphAddMemsetNode",
    "cuGraphCreate",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuLaunchHostFunc",
    "cuLaunchKernel",
    "cuMemAllocAsync",
    "cuMemAllocHost_v2",
    "cuMemAlloc_v2",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemGetAddressRange_v2",
    "cuMemGetInfo_v2",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoD_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyDtoH_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyHtoD_v2",
    "cuMemsetD16Async",
    "cuMemsetD16_v2",
    "cuMemsetD32Async",
    "cuMemsetD32_v2",
    "cuMemsetD8Async",
    "cuMemsetD8_v2",
    "cuModuleGetFunction",
    "cuModuleGetGlobal_v2",
    "cuModuleLoad",
    "cuModuleLoadData",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuPointerGetAttribute",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamGetCtx",
    "cuStreamGetFlags",
    "cuStreamQuery",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// Calls every function of `ASKED` with null and 0 throughout, and hands `answer` its name and code.
///
/// For a process in which no call gets as far as its arguments. Allocates nothing.
pub(crate) fn call_every_function(mut answer: impl FnMut(&'static str, CUresult)) {
    macro_rules! call {
        ($($(#[$meta:meta])* $since:literal fn $name:ident($($argument:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
            $(if ASKED.contains(&stringify!($name)) {
                answer(stringify!($name), code!($name($(all_zeros::<$ty>()),*)));
            })*
        };
    }
    // The types as the declarations name them.
    use cuscope::ffi::*;
    use std::ffi::*;
    cuscope::ffi::driver_functions!(call);
}

/// The first device of a driver that is initialised.
pub(crate) fn device() -> CUdevice {
    ok!(cuInit(0));
    made!(cuDeviceGet(0))
}

/// A new context, which the creation has pushed on this thread's stack.
pub(crate) fn create_context() -> CUcontext {
    made!(cuCtxCreate_v2(0, device()))
}

/// A new context that is on no stack.
pub(crate) fn create_context_unpushed() -> CUcontext {
    let context = create_context();
    assert_eq!(pop(), context);
    context
}

/// The top of this thread's stack, or null.
pub(crate) fn current() -> CUcontext {
    made!(cuCtxGetCurrent())
}

/// Pops what is on top of this thread's stack.
pub(crate) fn pop() -> CUcontext {
    made!(cuCtxPopCurrent_v2())
}

/// Returns the result of `body` with `context` on top of the stack; null is what is there already.
pub(crate) fn within<R>(context: CUcontext, body: impl FnOnce() -> R) -> R {
    ok!(cuCtxPushCurrent_v2(context));
    let result = body();
    assert_eq!(pop(), context);
    result
}

/// A stream that the legacy one does not wait for.
pub(crate) fn free_stream() -> CUstream {
    made!(cuStreamCreate(cuscope::ffi::CUstream_flags::CU_STREAM_NON_BLOCKING.bits()))
}

/// Makes calls that captures of the tests beside this one refuse otherwise (F141).
fn unrefused<R>(calls: impl FnOnce() -> R) -> R {
    let mut mode = cuscope::ffi::CU_STREAM_CAPTURE_MODE_RELAXED;
    ok!(cuThreadExchangeStreamCaptureMode(&raw mut mode));
    let result = calls();
    ok!(cuThreadExchangeStreamCaptureMode(&raw mut mode));
    result
}

/// A handle on its way to another thread.
pub(crate) struct Sent<T>(T);

// SAFETY: A handle is a number that only the driver follows, and it takes every handle from every
// thread (F11); a test that sends one keeps what it stands for alive or wants it destroyed.
unsafe impl<T> Send for Sent<T> {}

impl<T> Sent<T> {
    /// Wraps a handle.
    pub(crate) fn new(handle: T) -> Self {
        Self(handle)
    }

    /// The handle. A method, since a closure that names the field captures that alone.
    pub(crate) fn take(self) -> T {
        self.0
    }
}

/// The kernels that the tests run. Every parameter is 64 bits wide.
pub(crate) const KERNELS: &CStr = c"
.version 7.0
.target sm_52
.address_size 64

.visible .global .align 4 .u32 answer = 42;

.visible .entry nothing()
{
    ret;
}

.visible .entry store_value(.param .u64 address, .param .u64 value)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [address];
    ld.param.u64 %rd2, [value];
    cvta.to.global.u64 %rd3, %rd1;
    cvt.u32.u64 %r1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
}

.visible .entry spin(.param .u64 nanoseconds)
{
    .reg .pred %p<2>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [nanoseconds];
    mov.u64 %rd2, %globaltimer;
again:
    mov.u64 %rd3, %globaltimer;
    sub.s64 %rd4, %rd3, %rd2;
    setp.lt.u64 %p1, %rd4, %rd1;
    @%p1 bra again;
    ret;
}

.visible .entry hold(.param .u64 gate)
{
    .reg .pred %p<3>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [gate];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u64 %rd2, %globaltimer;
again:
    ld.volatile.global.u32 %r1, [%rd1];
    setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
    mov.u64 %rd3, %globaltimer;
    sub.s64 %rd4, %rd3, %rd2;
    setp.lt.u64 %p2, %rd4, 120000000000;
    @%p2 bra again;
    ret;
}

.visible .entry stop_here()
{
    trap;
    ret;
}
";

/// The kernels, loaded into the current context.
pub(crate) fn load_kernels() -> CUmodule {
    made!(cuModuleLoadData(KERNELS.as_ptr().cast()))
}

/// One of the kernels.
pub(crate) fn kernel(module: CUmodule, name: &CStr) -> CUfunction {
    made!(cuModuleGetFunction(module, name.as_ptr()))
}

/// The answer to a launch of one thread.
pub(crate) fn launch(function: CUfunction, stream: CUstream, arguments: &[u64]) -> CUresult {
    launch_shaped(function, [1; 3], [1; 3], 0, stream, arguments)
}

/// The answer to a launch.
pub(crate) fn launch_shaped(
    function: CUfunction,
    [grid_x, grid_y, grid_z]: [u32; 3],
    [block_x, block_y, block_z]: [u32; 3],
    shared_bytes: u32,
    stream: CUstream,
    arguments: &[u64],
) -> CUresult {
    // The driver only reads what these point to, and has done so when the launch returns.
    let mut arguments: Vec<*mut c_void> =
        arguments.iter().map(|value| (&raw const *value).cast_mut().cast()).collect();
    code!(cuLaunchKernel(
        function,
        grid_x,
        grid_y,
        grid_z,
        block_x,
        block_y,
        block_z,
        shared_bytes,
        stream,
        arguments.as_mut_ptr(),
        null_mut(),
    ))
}

/// How long a kernel runs that must still be running when a test looks.
pub(crate) const LONG: Duration = Duration::from_millis(300);

/// `LONG` as the argument of the kernel `spin`.
pub(crate) const LONG_NANOSECONDS: u64 = 300_000_000;

/// A context with one of everything in it. Made and left with no context current.
pub(crate) struct Place {
    pub(crate) context: CUcontext,
    pub(crate) module: CUmodule,
    pub(crate) stream: CUstream,
    pub(crate) event: CUevent,
    /// 4096 bytes on the device.
    pub(crate) memory: CUdeviceptr,
    /// 4096 bytes of page-locked memory.
    pub(crate) host: *mut c_void,
}

impl Place {
    /// Bytes of `memory` and of `host`.
    pub(crate) const BYTES: usize = 4096;

    /// Makes a context and what belongs to it.
    pub(crate) fn new() -> Self {
        let context = create_context();
        let place = unrefused(|| {
            let place = Self {
                context,
                module: load_kernels(),
                stream: free_stream(),
                event: made!(cuEventCreate(0)),
                memory: made!(cuMemAlloc_v2(Self::BYTES)),
                host: made!(cuMemAllocHost_v2(Self::BYTES)),
            };
            ok!(cuMemsetD8_v2(place.memory, 0, Self::BYTES));
            // A fill does not wait: one that comes late would undo what another context has written (F633).
            ok!(cuCtxSynchronize());
            place
        });
        assert_eq!(pop(), context);
        place
    }

    /// One of the kernels of this context.
    pub(crate) fn kernel(&self, name: &CStr) -> CUfunction {
        kernel(self.module, name)
    }

    /// The first 32 bits of the device memory.
    pub(crate) fn value(&self) -> u32 {
        within(self.context, || {
            let mut value = 0_u32;
            ok!(cuMemcpyDtoH_v2((&raw mut value).cast(), self.memory, size_of::<u32>()));
            value
        })
    }

    /// Destroys the context, and with it whatever is left in it.
    pub(crate) fn destroy(self) {
        ok!(cuCtxDestroy_v2(self.context));
    }
}

/// A place whose context is current.
pub(crate) fn place() -> Place {
    let place = Place::new();
    ok!(cuCtxPushCurrent_v2(place.context));
    place
}

/// Lets the stream of a place work for `LONG`.
pub(crate) fn busy(place: &Place) {
    assert_eq!(launch(place.kernel(c"spin"), place.stream, &[LONG_NANOSECONDS]), SUCCESS);
}

/// Lets the stream of a place work until the gate is opened.
pub(crate) fn hold(place: &Place) -> Gate {
    within(place.context, || Gate::new(place.module, place.stream))
}

/// Keeps a kernel at work until it is opened, or dropped, which has to be before its context ends. So a test of what does
/// not wait needs no clock, which a busy machine would let run out.
pub(crate) struct Gate(*mut c_void);

impl Gate {
    /// A gate for the kernel `hold`, which the caller launches with this address. Needs a current context.
    pub(crate) fn closed() -> (Gate, u64) {
        let word: *mut c_void = unrefused(|| made!(cuMemAllocHost_v2(size_of::<u32>())));
        // SAFETY: page-locked memory for a word, which the context keeps and nothing else knows yet.
        unsafe { word.cast::<u32>().write(0) };
        (Gate(word), word.expose_provenance() as u64)
    }

    /// Lets a stream of the current context work, by a kernel of its module.
    pub(crate) fn new(module: CUmodule, stream: CUstream) -> Gate {
        let (gate, word) = Gate::closed();
        assert_eq!(launch(kernel(module, c"hold"), stream, &[word]), SUCCESS);
        gate
    }

    /// Lets the kernel end.
    pub(crate) fn open(self) {}
}

impl Drop for Gate {
    fn drop(&mut self) {
        // SAFETY: memory of the context, which has not ended. The kernel reads it at the same time.
        unsafe { AtomicU32::from_ptr(self.0.cast()) }.store(1, Ordering::Release);
    }
}

/// Which case a process is for.
const CASE: &str = "CUSCOPE_TEST_CASE";

/// Runs each of a test's cases in a process of its own, and gives what became of these; nothing inside of
/// them. A process that hangs ends by SIGALRM. On the software driver four run side by side; a GPU has one at a time.
pub(crate) fn each_alone<T>(
    module: &str,
    test: &str,
    cases: &[T],
    body: impl Fn(&T),
) -> Option<Vec<Output>> {
    let alone = |i: usize| respawn_with(module, test, &[(CASE, &i.to_string())]);
    let (alone, indices) = (&alone, Vec::from_iter(0..cases.len()));
    let side_by_side = |indices: &[usize]| {
        thread::scope(|scope| {
            let threads = indices.iter().map(|&i| scope.spawn(move || alone(i)));
            let threads: Vec<_> = threads.collect();
            let outputs = threads.into_iter().map(|thread| thread.join().expect("it starts"));
            outputs.collect::<Vec<_>>()
        })
    };
    let at_once = if software() { 4 } else { 1 };
    let outputs: Option<Vec<_>> = indices.chunks(at_once).flat_map(side_by_side).collect();
    if outputs.is_none() {
        let case = std::env::var(CASE).expect("a process of its own has a case");
        die_quietly(60);
        body(&cases[case.parse::<usize>().expect("a case is a number")]);
    }
    outputs
}

/// The signal that [`die_quietly`] ends a process with.
#[cfg(unix)]
pub(crate) const TOO_LONG: c_int = libc::SIGALRM;
#[cfg(not(unix))]
pub(crate) const TOO_LONG: c_int = libc::SIGABRT;

/// Ends this process if it lasts longer, and leaves no file of it if it dies. The software driver has an answer to
/// everything, and is given longer on a busy machine.
pub(crate) fn die_quietly(seconds: u32) {
    let seconds = if software() { HANG.as_secs() as u32 } else { seconds };
    #[cfg(unix)]
    {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the call takes no memory but the limit, which it only reads.
        unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) };
        // SAFETY: the call takes no memory.
        unsafe { libc::alarm(seconds) };
    }
    // Windows has no timer that ends a process. It writes no file of one that dies.
    #[cfg(not(unix))]
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(seconds.into()));
        std::process::abort();
    });
}

/// Whether the device is the one that was measured.
pub(crate) fn like_h200() -> bool {
    use cuscope::ffi::{
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as MAJOR,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT as MULTIPROCESSORS,
    };
    let attribute = |which| made!(cuDeviceGetAttribute(which, device()));
    attribute(MAJOR) == 9 && attribute(MULTIPROCESSORS) == 132
}
