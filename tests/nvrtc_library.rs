//! CUDA C++ at run time.

mod common;
mod nvrtc;
mod nvrtc_failures;
