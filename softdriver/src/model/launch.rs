//! Launches of kernels and host functions.
#![allow(unsafe_code, reason = "a host function of the caller is called")]

use crate::entry::Answer;
use crate::host_function;
use crate::model::access::DeviceMemory;
use crate::model::device::{MAX_BLOCK, MAX_GRID, MAX_THREADS};
use crate::model::function::FUNCTIONS;
use crate::model::function::Function;
use crate::model::launch_attributes::{Attributes, Values};
use crate::model::life::Life;
use crate::model::memory::allocation::Kind;
use crate::model::memory::space::SPACE;
use crate::model::numbers::Numbers;
use crate::{check, entry, print, schedule, sticky, summary, sync};
use core::ffi::{c_uint, c_void};
use cuscope_ptx as ptx;
use cuscope_ptx::Kernel;
use cuscope_sys::*;
use std::ptr;
use std::sync::{Arc, Mutex, OnceLock};

/// The bytes in which the blocks of a cooperative launch wait for one another.
const WORKSPACE: usize = 256;
/// The markers in `extra`.
pub(crate) const END: usize = 0;
/// After it: the buffer.
pub(crate) const BUFFER_POINTER: usize = 1;
/// After it: a pointer to the size of the buffer.
pub(crate) const BUFFER_SIZE: usize = 2;

/// Refuses extents and sizes that no launch may have (F61).
pub(crate) fn check_shape(
    function: &Function,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic: usize,
) -> Answer {
    let kernel = function.kernel();
    let fits = |extents: [u32; 3], most: [u32; 3]| {
        extents.iter().zip(most).all(|(&extent, most)| (1..=most).contains(&extent))
    };
    let threads = block.iter().fold(1_u64, |all, &extent| all.saturating_mul(extent.into()));
    let most = kernel.block.max_threads.unwrap_or(MAX_THREADS).min(MAX_THREADS);
    let good = fits(grid, MAX_GRID)
        && fits(block, MAX_BLOCK)
        && threads <= u64::from(most)
        && kernel.block.required.is_none_or(|shape| shape == block)
        && dynamic <= function.max_dynamic();
    if good { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) }
}

/// The parameters, from either form (F93).
fn parameters(
    kernel: &Kernel,
    pointers: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Answer<Vec<u8>> {
    let mut bytes = vec![0; kernel.param_bytes];
    match (pointers.is_null(), extra.is_null()) {
        (false, false) => return Err(CUDA_ERROR_INVALID_VALUE),
        (true, false) => packed(&mut bytes, extra)?,
        (true, true) if !kernel.params.is_empty() => return Err(CUDA_ERROR_INVALID_VALUE),
        (true, true) => {}
        (false, true) => {
            for (i, param) in kernel.params.iter().enumerate() {
                let from = entry::element(pointers, i)?.cast::<u8>();
                for (j, byte) in bytes[param.offset..][..param.size].iter_mut().enumerate() {
                    *byte = entry::element(from, j)?;
                }
            }
        }
    }
    Ok(bytes)
}

/// The parameters from a packed buffer: too few bytes pass, too many do not (F93).
fn packed(bytes: &mut [u8], extra: *mut *mut c_void) -> Answer {
    let (mut buffer, mut size) = (ptr::null::<u8>(), 0);
    for i in (0..).step_by(2) {
        match entry::element(extra, i)?.addr() {
            END => break,
            BUFFER_POINTER => buffer = entry::element(extra, i + 1)?.cast(),
            BUFFER_SIZE => size = entry::read(entry::element(extra, i + 1)?.cast::<usize>())?,
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    if size == 0 && !bytes.is_empty() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if size > bytes.len() {
        return Err(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    }
    for (i, byte) in bytes.iter_mut().take(size).enumerate() {
        *byte = entry::element(buffer, i)?;
    }
    Ok(())
}

/// A kernel with all that it needs to run.
pub(crate) struct Launch {
    /// The handle of the kernel.
    handle: usize,
    function: Arc<Function>,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: usize,
    params: Vec<u8>,
    /// Whether all blocks run side by side, and can wait for one another.
    cooperative: bool,
    /// The attributes that it was given.
    attributes: Values,
    /// The address of each parameter in them, once somebody has asked.
    places: OnceLock<Vec<usize>>,
}

impl Launch {
    /// A launch with a checked shape; reads the parameters.
    pub(crate) fn new(
        handle: CUfunction,
        function: Arc<Function>,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared: u32,
        pointers: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> Answer<Self> {
        let dynamic_shared = dynamic_shared as usize;
        let params = parameters(function.kernel(), pointers, extra)?;
        let (handle, places) = (handle.addr(), OnceLock::new());
        let (cooperative, attributes) = (false, Values::default());
        Ok(Self {
            handle,
            function,
            grid,
            block,
            dynamic_shared,
            params,
            cooperative,
            attributes,
            places,
        })
    }

    /// Whether its blocks can wait for one another.
    pub(crate) fn is_cooperative(&self) -> bool {
        self.cooperative
    }

    /// Its attributes.
    pub(crate) fn attributes(&self) -> &Values {
        &self.attributes
    }

    /// The launch with attributes that a call has read and checked.
    pub(crate) fn given(mut self, attributes: &Attributes) -> Self {
        self.cooperative = attributes.cooperative;
        self.attributes = attributes.values.clone();
        self
    }

    /// The same launch with other attributes.
    pub(crate) fn with_attributes(&self, attributes: Values) -> Answer<Self> {
        Ok(Self {
            handle: self.handle,
            function: self.function.clone(),
            grid: self.grid,
            block: self.block,
            dynamic_shared: self.dynamic_shared,
            params: self.params.clone(),
            cooperative: attributes.attributes()?.cooperative,
            attributes,
            places: OnceLock::new(),
        })
    }

    /// Refuses attributes that do not go with its shape.
    pub(crate) fn check_attributes(&self) -> Answer {
        let attributes = self.attributes.attributes()?;
        let (function, grid) = (&*self.function, self.grid);
        attributes.check_cooperative(function, grid, self.block, self.dynamic_shared)?;
        attributes.check_cluster(function, grid)
    }

    /// Returns the parameters of a node that launches it; the pointers lead into it.
    pub(crate) fn params(&self) -> CUDA_KERNEL_NODE_PARAMS {
        let params = self.function.kernel().params.iter();
        let place = |offset: usize| self.params.as_ptr().wrapping_add(offset).expose_provenance();
        let places = self.places.get_or_init(|| params.map(|param| place(param.offset)).collect());
        CUDA_KERNEL_NODE_PARAMS {
            func: ptr::without_provenance_mut(self.handle),
            gridDimX: self.grid[0],
            gridDimY: self.grid[1],
            gridDimZ: self.grid[2],
            blockDimX: self.block[0],
            blockDimY: self.block[1],
            blockDimZ: self.block[2],
            sharedMemBytes: self.dynamic_shared as c_uint,
            kernelParams: places.as_ptr().cast_mut().cast(),
            extra: ptr::null_mut(),
            kern: ptr::null_mut(),
            ctx: self.life().context_handle(),
        }
    }

    /// The name of the kernel.
    pub(crate) fn name(&self) -> &str {
        &self.function.kernel().name
    }

    /// The context of the kernel.
    pub(crate) fn life(&self) -> &Arc<Life> {
        &self.function.module.life
    }

    /// 400 if its module was unloaded.
    pub(crate) fn check_loaded(&self) -> Answer {
        FUNCTIONS.get(self.handle).map(drop).ok_or(CUDA_ERROR_INVALID_HANDLE)
    }

    /// Runs the kernel to its end, in a graph with these numbers; its fault stays.
    pub(crate) fn run(&self, numbers: &Numbers) -> Answer {
        let life = &self.function.module.life;
        if !self.cooperative {
            return DeviceMemory::new(life, numbers).noted(|memory| self.run_on(memory, 0));
        }
        let space = &*SPACE;
        let workspace = space.allocate(life, WORKSPACE, Kind::Heap)?;
        // It has zeros, with which the blocks begin.
        space.exactly(workspace, Kind::Heap).iter().for_each(|one| check::zeroed(one));
        let answer =
            DeviceMemory::new(life, numbers).noted(|memory| self.run_on(memory, workspace));
        if let Ok(one) = space.exactly(workspace, Kind::Heap)
            && space.retire(&one).is_ok()
        {
            space.take(&one);
        }
        answer
    }

    /// The same on memory, with the address of the grid's workspace.
    fn run_on(&self, memory: &dyn ptx::run::Memory, workspace: u64) -> Answer {
        let module = &*self.function.module;
        let output = Texts { launch: self, accident: Mutex::default() };
        let launch = ptx::run::Launch {
            module: &module.code,
            kernel: self.function.kernel,
            grid: self.grid,
            block: self.block,
            cluster: self.attributes.attributes()?.cluster().or(self.function.cluster()),
            dynamic_shared: self.dynamic_shared,
            params: &self.params,
            globals: &module.addresses,
            memory,
            workspace,
            output: &output,
            workers: workers(),
            most_steps: u64::MAX,
        };
        let answer = ptx::run::run(&launch);
        let fault =
            answer.err().filter(|&fault| fault != ptx::run::Fault::CutOff).map(sticky::code);
        let accident = output.accident.into_inner().unwrap_or_else(|broken| broken.into_inner());
        summary::launched(self.name(), fault, accident.as_ref(), &module.code);
        answer.map_err(sticky::code)
    }
}

/// How many threads run the blocks of a kernel: with a seed one, so that the order is the same
/// each time.
fn workers() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    if schedule::on() {
        return 1;
    }
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Writes the text of kernels to the program's output.
struct Texts<'a> {
    launch: &'a Launch,
    /// Where the kernel faulted.
    accident: Mutex<Option<ptx::run::Accident>>,
}

impl ptx::run::Output for Texts<'_> {
    fn print(&self, text: &[u8]) {
        print::add(text);
    }

    fn complain(&self, text: &str) {
        eprint!("{text}");
    }

    fn faulted(&self, accident: &ptx::run::Accident) {
        *sync::lock(&self.accident) = Some(*accident);
    }

    fn may_leave_out(&self) -> bool {
        check::leaves_out()
    }

    fn leaves_out(&self, accident: &ptx::run::Accident) -> bool {
        let may = check::leave_one_out();
        if may {
            let (launch, code) = (self.launch, sticky::code(accident.fault));
            summary::left_out(launch.name(), code, accident, &launch.function.module.code);
        }
        may
    }

    fn ran(&self, steps: u64) {
        summary::ran(steps);
    }
}

/// A call of a function of the host.
pub(crate) struct HostCall {
    func: unsafe extern "C" fn(*mut c_void),
    /// The address for it.
    user_data: usize,
}

impl HostCall {
    /// A call; INVALID_VALUE without a function.
    pub(crate) fn new(func: CUhostFn, user_data: *mut c_void) -> Answer<Self> {
        let func = func.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(Self { func, user_data: user_data.expose_provenance() })
    }

    /// Returns the parameters of a node that calls it.
    pub(crate) fn params(&self) -> CUDA_HOST_NODE_PARAMS {
        let user_data = ptr::with_exposed_provenance_mut(self.user_data);
        CUDA_HOST_NODE_PARAMS { r#fn: Some(self.func), userData: user_data }
    }

    /// Calls; driver calls in it are refused (F23).
    pub(crate) fn run(&self) {
        host_function::run(|| {
            let user_data = ptr::with_exposed_provenance_mut(self.user_data);
            // SAFETY: the caller promises that the function may be called with its argument, on any
            // thread: once, or at each run of the graph that the call is in.
            unsafe { (self.func)(user_data) };
        });
    }
}
