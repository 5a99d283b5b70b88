//! The driver's functions as in C, each call checked.

use crate::bench::{ALLOCATION, Candidate, KERNELS_C, LEN, NO_SUCH, Run};
use crate::bench::{BLOCK, ONE_DEVICE, SMALL_STEP, Turns, bytes, run, step_of, steps};
use crate::threads::Work;
use cuscope::ffi::{
    self, CUcontext, CUdeviceptr, CUevent, CUfunction, CUgraphExec, CUmodule, CUstream,
};
use std::ffi::{CStr, c_void};
use std::ptr::{self, null_mut};

pub fn ok(code: ffi::CUresult) {
    if code != ffi::CUDA_SUCCESS {
        panic!("the driver answers {code:?}");
    }
}

/// A call of the driver, checked.
macro_rules! driver {
    ($name:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: handles are those that the driver gave, and live as long as the process or the measurement; memory
        // has the sizes that a call is told, and is not freed before the stream or the context was waited for; what is
        // written to is a variable of that type; kernels get their parameters, and stay inside of their buffers.
        $crate::c::ok(unsafe { cuscope::ffi::$name($($argument),*) })
    };
}
pub(crate) use driver;

/// The name of a second one, whose times tell what the measurement can tell apart.
pub const AGAIN: &str = "C, again";

pub struct C {
    name: &'static str,
    context: CUcontext,
    stream: CUstream,
    nothing: CUfunction,
    saxpy: CUfunction,
    sum12: CUfunction,
}

// SAFETY: a context, its streams and functions are not tied to a thread, and nothing else is in it that changes.
unsafe impl Sync for C {}

/// What any thread may use.
pub struct Shared<T>(pub T);

// SAFETY: only given what is not tied to a thread: contexts, functions.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// Not the field, which a closure would take out.
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        self.0
    }
}

pub fn stream() -> CUstream {
    let mut stream = null_mut();
    driver!(cuStreamCreate(&mut stream, 1));
    stream
}

fn module() -> CUmodule {
    let mut module = null_mut();
    driver!(cuModuleLoadData(&mut module, KERNELS_C.as_ptr().cast()));
    module
}

fn function(module: CUmodule, name: &CStr) -> CUfunction {
    let mut function = null_mut();
    driver!(cuModuleGetFunction(&mut function, module, name.as_ptr()));
    function
}

fn event() -> CUevent {
    let mut event = null_mut();
    driver!(cuEventCreate(&mut event, 2));
    event
}

fn alloc(bytes: usize) -> CUdeviceptr {
    let mut address = 0;
    driver!(cuMemAlloc_v2(&mut address, bytes));
    driver!(cuMemsetD8_v2(address, 0, bytes));
    wait(null_mut()); // F633
    address
}

fn pinned(bytes: usize) -> *mut c_void {
    let mut address = null_mut();
    driver!(cuMemHostAlloc(&mut address, bytes, 0));
    // SAFETY: so many bytes were allocated, and nobody else has them.
    unsafe { ptr::write_bytes(address.cast::<u8>(), 1, bytes) };
    address
}

/// Memory that is registered and not freed before the process ends.
#[repr(align(4096))]
struct Page([u8; 4096]);

fn context() -> CUcontext {
    let mut context = null_mut();
    driver!(cuCtxCreate_v2(&mut context, 0, 0));
    driver!(cuCtxPopCurrent_v2(&mut null_mut()));
    context
}

fn push(context: CUcontext) {
    driver!(cuCtxPushCurrent_v2(context));
}

fn pop() {
    let mut popped = null_mut();
    driver!(cuCtxPopCurrent_v2(&mut popped));
}

fn record(event: CUevent, stream: CUstream) {
    driver!(cuEventRecord(event, stream));
}

fn wait(stream: CUstream) {
    driver!(cuStreamSynchronize(stream));
}

macro_rules! launch {
    ($function:expr, $stream:expr, [$($name:ident: $value:expr),*]) => {
        launch!($function, $stream, (1, LEN), [$($name: $value),*])
    };
    ($function:expr, $stream:expr, ($grid:expr, $block:expr), [$($name:ident: $value:expr),*]) => {{
        $(let mut $name = $value;)*
        let mut arguments: [*mut c_void; _] = [$((&raw mut $name).cast()),*];
        driver!(cuLaunchKernel(
                $function, $grid, 1, 1, $block, 1, 1, 0, $stream, arguments.as_mut_ptr(), null_mut(),
            ))
    }};
}

fn alloc_async(bytes: usize, stream: CUstream) -> CUdeviceptr {
    let mut address = 0;
    driver!(cuMemAllocAsync(&mut address, bytes, stream));
    address
}

/// A step: returns the output, and frees the input.
fn step(
    saxpy: CUfunction,
    stream: CUstream,
    (len, grid): (u32, u32),
    x: CUdeviceptr,
) -> CUdeviceptr {
    let y = alloc_async(4 * len as usize, stream);
    launch!(saxpy, stream, (grid, BLOCK), [n: len, a: 2.0_f32, x: x, y: y]);
    driver!(cuMemFreeAsync(x, stream));
    y
}

impl C {
    /// In the context that is current.
    pub fn new(name: &'static str) -> C {
        let module = module();
        let function = |name| function(module, name);
        let mut context = null_mut();
        driver!(cuCtxGetCurrent(&mut context));
        C {
            name,
            context,
            stream: stream(),
            nothing: function(c"nothing"),
            saxpy: function(c"saxpy"),
            sum12: function(c"sum12"),
        }
    }

    fn graph(&self, x: CUdeviceptr, y: CUdeviceptr) -> CUgraphExec {
        let (stream, mut graph, mut exec) = (stream(), null_mut(), null_mut());
        let mode = ffi::CU_STREAM_CAPTURE_MODE_RELAXED;
        driver!(cuStreamBeginCapture_v2(stream, mode));
        launch!(self.saxpy, stream, [n: LEN, a: 2.0_f32, x: x, y: y]);
        driver!(cuStreamEndCapture(stream, &mut graph));
        driver!(cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        exec
    }
}

impl Candidate for C {
    fn name(&self) -> &'static str {
        self.name
    }

    fn operation<'a>(&'a self, name: &str) -> Result<Run<'a>, &'static str> {
        let stream = self.stream;
        if let Some(bytes) = bytes(name, "upload_") {
            let (host, device) = (pinned(bytes), alloc(bytes));
            return run!({
                driver!(cuMemcpyHtoDAsync_v2(device, host, bytes, stream));
                wait(stream)
            });
        }
        if let Some(bytes) = bytes(name, "download_") {
            let (host, device) = (pinned(bytes), alloc(bytes));
            return run!({
                driver!(cuMemcpyDtoHAsync_v2(host, device, bytes, stream));
                wait(stream)
            });
        }
        if let Some(size) = step_of(name, "step_") {
            return Ok(Box::new(move |n| {
                let mut x = alloc_async(4 * size.0 as usize, stream);
                let time = steps(n, || x = step(self.saxpy, stream, size, x), || wait(stream));
                driver!(cuMemFreeAsync(x, stream));
                time
            }));
        }
        if let Some((len, grid)) = step_of(name, "kept_") {
            let (mut x, mut y) = (alloc(4 * len as usize), alloc(4 * len as usize));
            return Ok(Box::new(move |n| {
                let step = || {
                    launch!(self.saxpy, stream, (grid, BLOCK), [n: len, a: 2.0_f32, x: x, y: y]);
                    std::mem::swap(&mut x, &mut y);
                };
                steps(n, step, || wait(stream))
            }));
        }
        match name {
            "launch_0" => run!(launch!(self.nothing, stream, [])),
            "launch_4" => {
                let (x, y) = (alloc(256), alloc(256));
                run!(launch!(self.saxpy, stream, [n: LEN, a: 2.0_f32, x: x, y: y]))
            }
            "launch_12" => {
                let out = alloc(4);
                run!(launch!(self.sum12, stream, [
                    o: out, a: 1_u32, b: 2_u32, c: 3_u32, d: 4_u32, e: 5_u32, f: 6_u32, g: 7_u32, h: 8_u32,
                    i: 9_u32, j: 10_u32, k: 11_u32
                ]))
            }
            "launch_wait" => {
                let (x, y) = (alloc(256), alloc(256));
                run!({
                    launch!(self.saxpy, stream, [n: LEN, a: 2.0_f32, x: x, y: y]);
                    wait(stream)
                })
            }
            "event_record" => {
                let event = event();
                run!(record(event, stream))
            }
            "stream_query" => run!({
                // SAFETY: as in `driver`.
                let code = unsafe { ffi::cuStreamQuery(stream) };
                if code != ffi::CUDA_ERROR_NOT_READY {
                    ok(code)
                }
            }),
            "memset" => {
                let y = alloc(256);
                run!(driver!(cuMemsetD32Async(y, 1.0_f32.to_bits(), 64, stream)))
            }
            "enqueue_upload" => {
                let (host, device) = (pinned(64), alloc(64));
                run!(driver!(cuMemcpyHtoDAsync_v2(device, host, 64, stream)))
            }
            "enqueue_upload_registered" => {
                let host = Box::leak(Box::new(Page([1; 4096])));
                driver!(cuMemHostRegister_v2((&raw mut *host).cast(), 4096, 0));
                let device = alloc(64);
                run!(driver!(cuMemcpyHtoDAsync_v2(device, host.0.as_ptr().cast(), 64, stream)))
            }
            "alloc_free" => run!({
                let mut address = 0;
                driver!(cuMemAlloc_v2(&mut address, ALLOCATION));
                driver!(cuMemFree_v2(address));
            }),
            "stream_alloc_free" => run!({
                let mut address = 0;
                driver!(cuMemAllocAsync(&mut address, ALLOCATION, stream));
                driver!(cuMemFreeAsync(address, stream));
            }),
            "peer_256MiB" => {
                let (bytes, mut count, mut far) = (256 << 20, 0, null_mut());
                driver!(cuDeviceGetCount(&mut count));
                if count < 2 {
                    return Err(ONE_DEVICE);
                }
                driver!(cuDevicePrimaryCtxRetain(&mut far, 1));
                push(far);
                let from = alloc(bytes);
                pop();
                let (to, here) = (alloc(bytes), self.context);
                run!({
                    driver!(cuMemcpyPeerAsync(to, here, from, far, bytes, stream));
                    wait(stream)
                })
            }
            "push_pop" => {
                let context = context();
                run!({
                    push(context);
                    pop()
                })
            }
            "nested" => {
                let make = || {
                    let context = context();
                    push(context);
                    let made = (context, self::stream(), event());
                    pop();
                    made
                };
                let (a, b) = (make(), make());
                run!({
                    push(a.0);
                    record(a.2, a.1);
                    push(b.0);
                    record(b.2, b.1);
                    pop();
                    pop()
                })
            }
            "replay" => {
                let exec = self.graph(alloc(256), alloc(256));
                run!(driver!(cuGraphLaunch(exec, stream)))
            }
            _ => Err(NO_SUCH),
        }
    }

    fn on_threads(&self) -> Result<Work<'_>, &'static str> {
        let saxpy = Shared(function(module(), c"saxpy"));
        Ok(Box::new(move |turns: &Turns| {
            push(self.context);
            let saxpy = saxpy.get();
            let (stream, x, y) = (self::stream(), alloc(256), alloc(256));
            turns.take(|| launch!(saxpy, stream, [n: LEN, a: 2.0_f32, x: x, y: y]));
            wait(stream);
            // As the other candidates do: what the driver makes next depends on it.
            driver!(cuStreamDestroy_v2(stream));
            driver!(cuMemFree_v2(x));
            driver!(cuMemFree_v2(y));
            pop();
        }))
    }

    fn steps_on_threads(&self, kept: bool) -> Result<Work<'_>, &'static str> {
        let saxpy = Shared(function(module(), c"saxpy"));
        Ok(Box::new(move |turns: &Turns| {
            push(self.context);
            let (saxpy, stream) = (saxpy.get(), self::stream());
            let mut x = alloc_async(SMALL_STEP.0 as usize * 4, stream);
            if kept {
                let ((n, grid), mut y) =
                    (SMALL_STEP, alloc_async(SMALL_STEP.0 as usize * 4, stream));
                turns.take(|| {
                    launch!(saxpy, stream, (grid, BLOCK), [n: n, a: 2.0_f32, x: x, y: y]);
                    std::mem::swap(&mut x, &mut y);
                });
                driver!(cuMemFreeAsync(y, stream));
            } else {
                turns.take(|| x = step(saxpy, stream, SMALL_STEP, x));
            }
            driver!(cuMemFreeAsync(x, stream));
            wait(stream);
            driver!(cuStreamDestroy_v2(stream));
            pop();
        }))
    }
}
