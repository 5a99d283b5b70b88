//! Kernels of modules, and what is set of them.

use crate::entry::Answer;
use crate::model::device::{MAX_SHARED, MAX_THREADS};
use crate::model::module::{Module, TARGET};
use crate::registry::Registry;
use crate::{sticky, sync};
use core::ffi::{c_int, c_uint};
use cuscope_ptx as ptx;
use cuscope_sys::*;
use std::ffi::CString;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Shared memory of a block, for those that opt in.
pub(crate) const MAX_OPT_IN: usize = 232_448;

/// Kernels that were asked for.
pub(crate) static FUNCTIONS: LazyLock<Registry<Function>> = LazyLock::new(|| Registry::new(0x45));

/// A kernel of a module.
pub(crate) struct Function {
    pub(crate) module: Arc<Module>,
    /// Its index.
    pub(crate) kernel: usize,
    pub(crate) settings: Mutex<Settings>,
    /// The settings of the older calls.
    pub(crate) former: Mutex<Former>,
    /// Whether its code was brought to the device (F271).
    pub(crate) loaded: AtomicBool,
    pub(crate) name: CString,
}

impl Function {
    pub(crate) fn new(module: Arc<Module>, kernel: usize, settings: Settings) -> Self {
        let name = name_of(&module.code.kernels[kernel]);
        let (settings, loaded) = (Mutex::new(settings), AtomicBool::new(false));
        let former = Mutex::default();
        Self { module, kernel, settings, former, loaded, name }
    }

    /// Its code.
    pub(crate) fn kernel(&self) -> &ptx::Kernel {
        &self.module.code.kernels[self.kernel]
    }

    /// The most dynamic shared memory that a launch may ask for (F310).
    pub(crate) fn max_dynamic(&self) -> usize {
        usize::try_from(sync::lock(&self.settings).dynamic).unwrap_or(0)
    }

    /// The extents of clusters that the kernel has whatever a launch says, in its code or set of it.
    pub(crate) fn cluster(&self) -> Option<[u32; 3]> {
        let set = sync::lock(&self.settings).cluster.map(|extent| extent.unsigned_abs());
        (!set.contains(&0)).then_some(set)
    }

    /// Whether a cluster may have more than 8 blocks.
    pub(crate) fn large_clusters(&self) -> bool {
        sync::lock(&self.settings).non_portable != 0
    }

    /// Brings its code to the device.
    pub(crate) fn load(&self) {
        self.loaded.store(true, Ordering::Release);
    }
}

/// The settings of a function that `cuLaunch` and its like use (F528 to F530).
#[derive(Clone, Default)]
pub(crate) struct Former {
    /// The extents of the blocks; zeros, with which nothing is launched, until they are set.
    pub(crate) block: [c_uint; 3],
    /// The bytes of dynamic shared memory.
    pub(crate) shared: c_uint,
    /// The bytes of the arguments.
    pub(crate) size: usize,
    /// Those that were set.
    pub(crate) arguments: Vec<u8>,
}

/// The name as a string of C. Names of PTX have no NUL.
pub(crate) fn name_of(kernel: &ptx::Kernel) -> CString {
    CString::new(kernel.name.as_str()).unwrap_or_default()
}

/// The settings of a kernel (F273, F310).
#[derive(Clone)]
pub(crate) struct Settings {
    dynamic: c_int,
    carveout: c_int,
    cluster: [c_int; 3],
    non_portable: c_int,
    scheduling: c_int,
}

impl Settings {
    /// As a kernel has them at first.
    pub(crate) fn new(kernel: &ptx::Kernel) -> Self {
        let dynamic = MAX_SHARED.saturating_sub(kernel.static_shared) as c_int;
        let cluster = kernel.block.cluster.unwrap_or_default().map(|extent| extent as c_int);
        Self { dynamic, carveout: -1, cluster, non_portable: 0, scheduling: 0 }
    }

    /// One attribute.
    pub(crate) fn get(
        &self,
        code: &ptx::Module,
        kernel: &ptx::Kernel,
        attribute: CUfunction_attribute,
    ) -> Answer<c_int> {
        Ok(match attribute {
            CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK => {
                kernel.block.max_threads.unwrap_or(MAX_THREADS).min(MAX_THREADS) as c_int
            }
            CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES => kernel.static_shared as c_int,
            CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES => {
                crate::model::module::constant_bytes(code) as c_int
            }
            CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES => kernel.local_bytes as c_int,
            CU_FUNC_ATTRIBUTE_NUM_REGS => kernel.registers as c_int,
            CU_FUNC_ATTRIBUTE_PTX_VERSION => code.target as c_int,
            CU_FUNC_ATTRIBUTE_BINARY_VERSION => TARGET as c_int,
            CU_FUNC_ATTRIBUTE_CACHE_MODE_CA => 0,
            CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET => kernel.block.explicit_cluster.into(),
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => self.dynamic,
            CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => self.carveout,
            CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH => self.cluster[0],
            CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT => self.cluster[1],
            CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH => self.cluster[2],
            CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED => self.non_portable,
            CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => self.scheduling,
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        })
    }

    /// Sets one attribute.
    pub(crate) fn set(
        &mut self,
        kernel: &ptx::Kernel,
        attribute: CUfunction_attribute,
        value: c_int,
    ) -> Answer {
        let most = MAX_OPT_IN.saturating_sub(kernel.static_shared) as c_int;
        let (place, good) = match attribute {
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => {
                (&mut self.dynamic, (0..=most).contains(&value))
            }
            CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => {
                (&mut self.carveout, (-1..=100).contains(&value))
            }
            CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH => (&mut self.cluster[0], value >= 0),
            CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT => (&mut self.cluster[1], value >= 0),
            CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH => (&mut self.cluster[2], value >= 0),
            CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED => (&mut self.non_portable, true),
            CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
                (&mut self.scheduling, (0..=2).contains(&value))
            }
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        };
        if !good {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        *place = value;
        Ok(())
    }
}

/// The function of a handle; 400 for what is none (F42).
pub(crate) fn function(handle: CUfunction) -> Answer<Arc<Function>> {
    sticky::check_found(FUNCTIONS.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE))
}
