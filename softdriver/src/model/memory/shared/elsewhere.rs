//! Where the system has no files in memory, nothing is shared.

use crate::entry::Answer;
use crate::model::memory::shared::Place;
use cuscope_sys::*;
use std::convert::Infallible;
use std::ffi::c_int;
use std::ptr::NonNull;

/// There is none.
pub(crate) struct Named(Infallible);

impl Named {
    pub(crate) fn of_size(_name: &str, _len: usize) -> Answer<Self> {
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }

    pub(crate) fn export(&self) -> Answer<c_int> {
        match self.0 {}
    }

    pub(crate) fn import(_descriptor: c_int, _kind: &str) -> Answer<(Self, String)> {
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
}

/// There is none.
pub(crate) struct Shared(Infallible);

impl Shared {
    pub(crate) fn new(_len: usize) -> Answer<Self> {
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }

    pub(crate) fn open(_place: Place, _len: usize) -> Answer<Self> {
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }

    pub(crate) fn place(&self) -> Place {
        match self.0 {}
    }

    pub(crate) fn start(&self) -> NonNull<u8> {
        match self.0 {}
    }
}
