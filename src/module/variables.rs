//! Variables of modules, lent as buffers.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::brand::Brand;
use crate::call::{answer, name};
use crate::error::{Error, Result};
use crate::memory::{Allocation, DeviceBuffer, Element};
use crate::module::Module;
use crate::name::Text;
use crate::owned::{Lease, Leases, Owner};
use ffi::CUdeviceptr;
use std::marker::PhantomData;
use std::sync::Arc;

const CALL: &str = name!(cuModuleGetGlobal_v2);

/// Returns the variable as a buffer, if it consists of whole elements and is not lent.
pub(crate) fn lend<'ctx, T: Element>(
    call: &'static str,
    (address, bytes): (CUdeviceptr, usize),
    leases: &Arc<Leases>,
    owner: Owner,
) -> Result<DeviceBuffer<'ctx, T>> {
    let (size, align) = (size_of::<T>(), align_of::<T>());
    if size == 0 || bytes == 0 || bytes % size != 0 || address % align as CUdeviceptr != 0 {
        return Err(Error::VariableType { call, bytes, size });
    }
    let lease = Lease::new(address, leases, owner).ok_or(Error::VariableLent { call })?;
    let inner = Allocation::lent(address, lease);
    Ok(DeviceBuffer { inner, len: bytes / size, _brand: Brand::new(), data: PhantomData })
}

impl<'ctx> Module<'ctx> {
    /// Lends a variable, `__device__` or `__constant__`, as a buffer of its elements.
    ///
    /// You can copy and fill the buffer, pass it to kernels and hold it in scopes, like any buffer. Dropping
    /// the buffer gives the variable back. Until then no second buffer of it can exist, so there are never two
    /// exclusive views.
    ///
    /// Kernels of the module may use the variable by its name. The contract of
    /// [`launch_unchecked`](crate::SyncStream::launch_unchecked) covers these uses: nothing else may use the variable
    /// meanwhile.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_FOUND` if there is no such variable, `CUDA_ERROR_INVALID_VALUE` for the name of a
    /// kernel; [`Error::VariableType`] if its size is not a multiple of the element's; [`Error::VariableLent`];
    /// [`Error::InvalidArgument`] for a name that contains a NUL.
    #[doc(alias = "cuModuleGetGlobal")]
    #[doc(alias = "cudaGetSymbolAddress")]
    #[doc(alias = "cudaMemcpyToSymbol")]
    pub fn variable<T: Element>(&self, name: impl Text) -> Result<DeviceBuffer<'ctx, T>> {
        let name = name.with_nul(CALL)?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: `address` and `bytes` are valid for one value each, the module is loaded, `name` ends in
        // NUL; needs no current context (F38).
        unsafe {
            answer!(cuModuleGetGlobal_v2(
                &raw mut address,
                &raw mut bytes,
                self.raw(),
                name.as_ptr()
            ))
        }
        .explain(|_| Some(self.names().no_variable(&name)))?;
        lend(CALL, (address, bytes), &self.inner.leases, Owner::Module(self.inner.clone()))
    }
}
