//! Modules: loading, unloading, and finding kernels and variables.

use crate::entry::Answer;
use crate::model::function::FUNCTIONS;
use crate::model::function::{Function, Settings};
use crate::model::life::Life;
use crate::model::memory::space::Kind;
use crate::model::memory::space::SPACE;
use crate::registry::Registry;
use crate::{entry, sync};
use cuscope_ptx as ptx;
use cuscope_ptx::{GlobalSpace, ParseError, ParseErrorKind};
use cuscope_sys::*;
use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::{Arc, Mutex};

/// The compute capability, as PTX writes it: code for a newer one does not run.
pub(crate) const TARGET: u32 = 90;

/// Loaded modules.
pub(crate) static MODULES: LazyLock<Registry<Module>> = LazyLock::new(|| Registry::new(0x44));

/// A loaded module.
pub(crate) struct Module {
    pub(crate) handle: usize,
    pub(crate) life: Arc<Life>,
    pub(crate) code: Arc<ptx::Module>,
    /// The addresses of its variables.
    pub(crate) addresses: Vec<u64>,
    /// The library that it is a part of: it cannot be unloaded alone.
    pub(crate) library: Option<usize>,
    /// The handles of its kernels that were asked for, by index.
    functions: Mutex<HashMap<usize, usize>>,
}

impl Module {
    /// The handle of a kernel, the same each time; `settings` are those that it has at first.
    pub(crate) fn function(self: &Arc<Self>, kernel: usize, settings: Option<Settings>) -> usize {
        let mut functions = sync::lock(&self.functions);
        *functions.entry(kernel).or_insert_with(|| {
            let module = self.clone();
            let settings = settings.unwrap_or_else(|| Settings::new(&self.code.kernels[kernel]));
            FUNCTIONS.insert(|_| Function::new(module, kernel, settings)).0
        })
    }

    /// Ends what was taken out of the registry, once all work of the context is finished (F50).
    pub(crate) fn end(&self) {
        for (_, handle) in sync::lock(&self.functions).drain() {
            FUNCTIONS.remove(handle);
        }
        self.life.settle();
        free(&self.addresses);
    }

    /// Writes address and size of a variable; one of the results may be unwanted. The name of a kernel is
    /// INVALID_VALUE.
    pub(crate) fn write_variable(
        &self,
        name: &[u8],
        address_to: *mut CUdeviceptr,
        bytes_to: *mut usize,
    ) -> Answer {
        let kernel = self.code.kernels.iter().any(|kernel| kernel.name.as_bytes() == name);
        if kernel || name.is_empty() || (address_to.is_null() && bytes_to.is_null()) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let mut variables = self.code.globals.iter().zip(&self.addresses);
        let found = variables.find(|(variable, _)| variable.name.as_bytes() == name);
        let (variable, &address) = found.ok_or(CUDA_ERROR_NOT_FOUND)?;
        entry::write_optional(address_to, address);
        entry::write_optional(bytes_to, variable.size);
        Ok(())
    }
}

/// Bytes of a module's constants, each behind the one before.
pub(crate) fn constant_bytes(code: &ptx::Module) -> usize {
    let constants = code.globals.iter().filter(|variable| variable.space == GlobalSpace::Const);
    constants.fold(0, |end, one| end.next_multiple_of(one.align.max(1)) + one.size)
}

/// The code for an error in PTX (F63).
pub(crate) fn code(error: &ParseError) -> CUresult {
    match error.kind {
        ParseErrorKind::UnsupportedVersion => CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        _ => CUDA_ERROR_INVALID_PTX,
    }
}

/// Brings code to a context, once all work of that is finished (F50).
pub(crate) fn instantiate(
    life: Arc<Life>,
    code: Arc<ptx::Module>,
    library: Option<usize>,
) -> Answer<Arc<Module>> {
    life.synchronize()?;
    let space = &*SPACE;
    let mut addresses = Vec::new();
    for variable in &code.globals {
        match space.allocate(&life, variable.size.max(1), Kind::Variable) {
            Ok(address) => addresses.push(address),
            Err(error) => {
                free(&addresses);
                return Err(error);
            }
        }
    }
    for (i, &address) in addresses.iter().enumerate() {
        let bytes = code.initial_bytes(i, &addresses);
        let variable = space.exactly(address, Kind::Variable)?;
        variable.storage.store(0, &bytes[..bytes.len().min(variable.size)]);
    }
    let functions = Mutex::default();
    let make = |handle| Module { handle, life, code, addresses, library, functions };
    Ok(MODULES.insert(make).1)
}

/// Frees variables.
fn free(addresses: &[u64]) {
    let space = &*SPACE;
    for &address in addresses {
        if let Ok(variable) = space.exactly(address, Kind::Variable)
            && space.retire(&variable).is_ok()
        {
            space.take(&variable);
        }
    }
}
