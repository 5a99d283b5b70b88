//! Libraries: code of no context, brought to each that uses it.

use crate::entry::Answer;
use crate::model::function::FUNCTIONS;
use crate::model::function::Settings;
use crate::model::life::Life;
use crate::model::module::MODULES;
use crate::model::module::Module;
use crate::model::{function, module};
use crate::registry::Registry;
use crate::sync;
use cuscope_ptx as ptx;
use cuscope_sys::*;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock};

/// Loaded libraries.
pub(crate) static LIBRARIES: LazyLock<Registry<Library>> = LazyLock::new(|| Registry::new(0x4a));

/// A loaded library.
pub(crate) struct Library {
    pub(crate) handle: usize,
    /// Its code, or the code that whoever asks for some is told (F284).
    pub(crate) code: Answer<Arc<ptx::Module>>,
    /// The addresses of its managed variables, which are those of all contexts, once somebody asked: 0 for others.
    pub(crate) managed: OnceLock<Vec<u64>>,
    /// The modules that it is in contexts, by handle.
    pub(crate) modules: Mutex<Vec<usize>>,
    /// The handles of its kernels that were asked for, by index.
    pub(crate) kernels: Mutex<HashMap<usize, usize>>,
}

/// Their kernels that were asked for.
pub(crate) static KERNELS: LazyLock<Registry<Kernel>> = LazyLock::new(|| Registry::new(0x4b));

/// A kernel of a library.
pub(crate) struct Kernel {
    pub(crate) library: Arc<Library>,
    index: usize,
    pub(crate) name: CString,
    /// Its settings, by device.
    pub(crate) settings: Mutex<HashMap<usize, Settings>>,
}

impl Kernel {
    pub(crate) fn code(&self) -> Answer<&ptx::Kernel> {
        Ok(&self.library.code()?.kernels[self.index])
    }

    pub(crate) fn settings(&self, device: usize) -> Answer<Settings> {
        let settings = sync::lock(&self.settings).get(&device).cloned();
        Ok(settings.unwrap_or(Settings::new(self.code()?)))
    }
}

impl Library {
    pub(crate) fn code(&self) -> Answer<&Arc<ptx::Module>> {
        self.code.as_ref().map_err(|&code| code)
    }

    /// The module that it is in a context, which is brought there if it is not (F286).
    pub(crate) fn module_in(&self, life: &Arc<Life>) -> Answer<Arc<Module>> {
        let code = self.code()?.clone();
        let mut modules = sync::lock(&self.modules);
        let mut loaded = modules.iter().filter_map(|&handle| MODULES.get(handle));
        if let Some(module) = loaded.find(|module| module.life.is(life)) {
            return Ok(module);
        }
        let managed = self.managed(&modules)?;
        let module = module::instantiate(life.clone(), code, Some((self.handle, managed)))?;
        modules.push(module.handle);
        Ok(module)
    }

    /// The addresses of its managed variables; with its modules locked, as one thread allocates them.
    fn managed(&self, _: &MutexGuard<'_, Vec<usize>>) -> Answer<&[u64]> {
        if let Some(managed) = self.managed.get() {
            return Ok(managed);
        }
        let new = module::managed(self.code()?)?;
        Ok(self.managed.get_or_init(|| new))
    }

    /// Address and size of a managed variable; NOT_FOUND for others (F651).
    pub(crate) fn managed_variable(&self, name: &[u8]) -> Answer<(u64, usize)> {
        let modules = sync::lock(&self.modules);
        let mut variables = self.code()?.globals.iter().zip(self.managed(&modules)?);
        let found = variables.find(|(one, _)| one.managed && one.name.as_bytes() == name);
        let (variable, &address) = found.ok_or(CUDA_ERROR_NOT_FOUND)?;
        Ok((address, variable.size))
    }

    /// The handle of a kernel, the same each time.
    pub(crate) fn kernel(self: &Arc<Self>, index: usize) -> Answer<usize> {
        let name = function::name_of(&self.code()?.kernels[index]);
        let mut kernels = sync::lock(&self.kernels);
        Ok(*kernels.entry(index).or_insert_with(|| {
            let (library, settings) = (self.clone(), Mutex::default());
            KERNELS.insert(|_| Kernel { library, index, name, settings }).0
        }))
    }
}

pub(crate) fn find_kernel(handle: CUkernel) -> Answer<Arc<Kernel>> {
    KERNELS.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)
}

/// Whether a handle is that of a kernel of a library: it can be launched as a function can (F280).
pub(crate) fn is_kernel(handle: CUkernel) -> bool {
    KERNELS.get(handle.addr()).is_some()
}

/// Returns the function that a kernel is in a context.
pub(crate) fn function_in(handle: CUkernel, life: &Arc<Life>) -> Answer<CUfunction> {
    let kernel = find_kernel(handle)?;
    let module = kernel.library.module_in(life)?;
    let handle = module.function(kernel.index, Some(kernel.settings(life.device)?));
    if let Some(function) = FUNCTIONS.get(handle) {
        function.load();
    }
    Ok(std::ptr::without_provenance_mut(handle))
}
