//! Variables of loaded code that are lent.

use super::Owner;
use crate::context::Context;
use crate::driver::fork;
use ffi::CUdeviceptr;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The addresses of variables that are lent.
#[derive(Default)]
pub(crate) struct Leases(Mutex<HashSet<CUdeviceptr>>);

/// A variable while it is lent. Its code stays loaded.
pub(crate) struct Lease {
    address: CUdeviceptr,
    leases: Arc<Leases>,
    owner: Owner,
}

impl Lease {
    /// Lends the variable at an address, unless it is lent already.
    #[inline]
    pub(crate) fn new(address: CUdeviceptr, leases: &Arc<Leases>, owner: Owner) -> Option<Lease> {
        let mut lent = leases.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lease = || Lease { address, leases: leases.clone(), owner };
        lent.insert(address).then(lease)
    }

    #[inline]
    pub(crate) fn context(&self) -> &Context {
        self.owner.context()
    }
}

impl Drop for Lease {
    #[cold]
    #[inline]
    fn drop(&mut self) {
        if let Some(mut lent) = fork::lock(&self.leases.0) {
            lent.remove(&self.address);
        }
    }
}
