//! The settings that a context remembers; a green context has those of the primary one
//! (F132).

use crate::model::coredump;
use crate::model::limits::Limits;
use cuscope_sys::*;

/// Limits and preferences of a context.
pub(crate) struct Settings {
    pub(crate) limits: Limits,
    /// How kernels would like memory to be divided.
    pub(crate) cache: CUfunc_cache,
    /// The settings of its core dumps.
    pub(crate) coredump: coredump::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        let (limits, coredump) = (Limits::default(), coredump::Settings::default());
        Self { limits, cache: CU_FUNC_CACHE_PREFER_NONE, coredump }
    }
}
