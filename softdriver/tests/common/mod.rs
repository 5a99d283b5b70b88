//! Helpers over the driver's functions.
#![allow(dead_code, unused_macros, unused_imports, reason = "each test file uses a part")]

pub(crate) use cuscope_softdriver::*;
pub(crate) use cuscope_sys::{
    CUcontext, CUdeviceptr, CUevent, CUfunction, CUgraph, CUgraphExec, CUgraphNode, CUmodule,
    CUresult, CUstream,
};
use std::ffi::{CString, c_void};
use std::process::Command;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The code of a call.
macro_rules! code {
    ($name:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: what tests pass are handles, which the driver looks up, null, and pointers to
        // locals that outlive what the driver does with them.
        unsafe { $name($($argument),*) }.0
    };
}

/// A call that must succeed.
macro_rules! ok {
    ($name:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(code!($name($($argument),*)), 0, stringify!($name))
    };
}

/// Returns the first result of a call that must succeed.
macro_rules! made {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: what the driver makes are integers and pointers, for which zero is a value.
        let mut out = unsafe { std::mem::zeroed() };
        ok!($name(&raw mut out, $($argument),*));
        out
    }};
}

/// A process-wide test: nothing else of this binary runs at the same time.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new context on a device, current.
pub(crate) fn context_on(device: i32) -> CUcontext {
    ok!(cuInit(0));
    made!(cuCtxCreate_v2(0, device))
}

/// A new context, current.
pub(crate) fn context() -> CUcontext {
    context_on(0)
}

/// A stream that the null stream does not wait for.
pub(crate) fn stream() -> CUstream {
    made!(cuStreamCreate(1))
}

/// A kernel of a file in `tests/kernels`.
pub(crate) fn kernel(file: &str, name: &str) -> CUfunction {
    let path = format!("{}/tests/kernels/{file}.ptx", env!("CARGO_MANIFEST_DIR"));
    let path = CString::new(path).unwrap();
    let module = made!(cuModuleLoad(path.as_ptr()));
    let name = CString::new(name).unwrap();
    made!(cuModuleGetFunction(module, name.as_ptr()))
}

/// Launches one thread; the arguments are the parameters' bytes.
pub(crate) fn launch(function: CUfunction, stream: CUstream, arguments: &[u64]) -> u32 {
    launch_many(function, 1, 1, stream, arguments)
}

/// Launches `grid` blocks of `block` threads.
pub(crate) fn launch_many(
    function: CUfunction,
    grid: u32,
    block: u32,
    stream: CUstream,
    arguments: &[u64],
) -> u32 {
    let mut pointers: Vec<*mut c_void> =
        arguments.iter().map(|value| (&raw const *value).cast_mut().cast()).collect();
    let none = null_mut();
    let params = pointers.as_mut_ptr();
    code!(cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, params, none))
}

/// Device memory with these values.
pub(crate) fn device_memory(values: &[u32]) -> CUdeviceptr {
    let memory = made!(cuMemAlloc_v2(size_of_val(values)));
    ok!(cuMemcpyHtoD_v2(memory, values.as_ptr().cast(), size_of_val(values)));
    ok!(cuStreamSynchronize(null_mut()));
    memory
}

/// The first `count` values at an address.
pub(crate) fn values(memory: CUdeviceptr, count: usize) -> Vec<u32> {
    let mut values = vec![0; count];
    ok!(cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), memory, 4 * count));
    values
}

/// Keeps a stream busy until `open` is called or the gate is dropped.
pub(crate) struct Gate(Option<std::sync::mpsc::Sender<()>>);

impl Gate {
    /// Enqueues a function of the host that waits.
    pub(crate) fn new(stream: CUstream) -> Self {
        extern "C" fn wait(gate: *mut c_void) {
            // SAFETY: the box that `new` handed over, once.
            let gate = unsafe { Box::from_raw(gate.cast::<std::sync::mpsc::Receiver<()>>()) };
            let _ = gate.recv();
        }
        let (open, gate) = std::sync::mpsc::channel();
        ok!(cuLaunchHostFunc(stream, Some(wait), Box::into_raw(Box::new(gate)).cast()));
        Self(Some(open))
    }

    /// Lets the stream go on.
    pub(crate) fn open(mut self) {
        self.0.take();
    }
}

/// Runs the test `name` again in a process of its own, and `body` there; true in that process's
/// parent, once it has succeeded.
pub(crate) fn in_a_child(name: &str, body: impl FnOnce()) {
    const MARK: &str = "CUSCOPE_TEST_CHILD";
    if std::env::var_os(MARK).is_some_and(|of| of == name) {
        return body();
    }
    let exe = std::env::current_exe().unwrap();
    let mut child = Command::new(exe);
    let child = child.args(["--exact", name, "--nocapture"]).env(MARK, name);
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
