//! The kernels, source by source: how each is launched, and what the host computes.

pub(crate) mod approximate;
pub(crate) mod assembly;
pub(crate) mod atomics;
pub(crate) mod blas;
pub(crate) mod block;
pub(crate) mod flow;
pub(crate) mod flushed;
pub(crate) mod functions;
pub(crate) mod grid;
pub(crate) mod half;
pub(crate) mod hash;
pub(crate) mod histogram;
pub(crate) mod integer;
pub(crate) mod matrix;
pub(crate) mod physics;
pub(crate) mod random;
pub(crate) mod reduce;
pub(crate) mod rounding;
pub(crate) mod scan;
pub(crate) mod signal;
pub(crate) mod sort;
pub(crate) mod spaces;
pub(crate) mod stencil;
pub(crate) mod warp;
