//! Modules: loading, unloading, and finding kernels and variables.

use crate::entry::Answer;
use crate::model::function::FUNCTIONS;
use crate::model::function::{Function, Settings};
use crate::model::life::Life;
use crate::model::memory::allocation::{Allocation, Kind};
use crate::model::memory::space::SPACE;
use crate::registry::Registry;
use crate::{entry, sync};
use cuscope_ptx as ptx;
use cuscope_ptx::{GlobalSpace, ParseError, ParseErrorKind};
use cuscope_sys::*;
use std::collections::HashMap;
use std::iter;
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
    /// Those of them that end with it: not managed ones of a library.
    own: Vec<u64>,
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
        free(&self.own);
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

/// Bytes of a module's constants, each after the one before.
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

/// Allocates the variables that are managed or not, 0 for the others.
fn allocate(life: &Arc<Life>, code: &ptx::Module, managed: bool) -> Answer<Vec<u64>> {
    let kind = if managed { Kind::ManagedVariable } else { Kind::Variable };
    let mut addresses = Vec::new();
    for variable in &code.globals {
        let address = match variable.managed == managed {
            true => SPACE.allocate(life, variable.size.max(1), kind),
            false => Ok(0),
        };
        addresses.push(address.inspect_err(|_| free(&addresses))?);
    }
    Ok(addresses)
}

/// Gives variables their first bytes; `own` has the addresses of those that are meant, and 0 for the others.
fn initialise(code: &ptx::Module, own: &[u64], addresses: &[u64]) -> Answer {
    for (i, &address) in own.iter().enumerate().filter(|&(_, &address)| address != 0) {
        let bytes = code.initial_bytes(i, addresses);
        let variable = find(address)?;
        variable.storage.store(0, &bytes[..bytes.len().min(variable.size)]);
    }
    Ok(())
}

/// The managed variables of a library, for all contexts: the addresses, and 0 for other variables (F651).
pub(crate) fn managed(code: &ptx::Module) -> Answer<Vec<u64>> {
    let addresses = allocate(&Life::of_device(0), code, true)?;
    initialise(code, &addresses, &addresses)?;
    Ok(addresses)
}

/// Brings code to a context, once all work of that is finished (F50). The code of a library has managed variables already.
pub(crate) fn instantiate(
    life: Arc<Life>,
    code: Arc<ptx::Module>,
    library: Option<(usize, &[u64])>,
) -> Answer<Arc<Module>> {
    life.synchronize()?;
    let mut own = allocate(&life, &code, false)?;
    let of_library = match library {
        Some((_, managed)) => managed,
        None => &[],
    };
    if library.is_none() {
        let managed = allocate(&life, &code, true).inspect_err(|_| free(&own))?;
        own.iter_mut().zip(managed).for_each(|(own, managed)| *own = (*own).max(managed));
    }
    let of_library = of_library.iter().copied().chain(iter::repeat(0));
    let addresses: Vec<_> =
        own.iter().zip(of_library).map(|(&own, other)| own.max(other)).collect();
    initialise(&code, &own, &addresses)?;
    let (functions, library) = (Mutex::default(), library.map(|(handle, _)| handle));
    let make = |handle| Module { handle, life, code, addresses, own, library, functions };
    Ok(MODULES.insert(make).1)
}

/// The variable at an address.
fn find(address: u64) -> Answer<Arc<Allocation>> {
    SPACE
        .exactly(address, Kind::Variable)
        .or_else(|_| SPACE.exactly(address, Kind::ManagedVariable))
}

/// Frees variables.
pub(crate) fn free(addresses: &[u64]) {
    for &address in addresses {
        if let Ok(variable) = find(address)
            && SPACE.retire(&variable).is_ok()
        {
            SPACE.take(&variable);
        }
    }
}
