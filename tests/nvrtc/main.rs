//! CUDA C++ at run time.

#[path = "../common/mod.rs"]
mod common;
mod nvrtc;
mod nvrtc_failures;
