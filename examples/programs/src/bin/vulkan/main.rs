//! Memory and a semaphore that Vulkan and CUDA share. `cargo run -p cuscope-examples --bin vulkan`
//!
//! Vulkan fills a buffer, a kernel computes on the same memory, and Vulkan copies the result to the host. No side copies
//! the buffer for the other, and the host waits only at the end: a timeline semaphore counts the turns.
#![allow(unsafe_code, reason = "calls Vulkan, imports its memory, and launches a kernel")]

#[cfg(unix)]
mod interop;

#[cfg(unix)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    interop::run()
}

#[cfg(not(unix))]
fn main() {
    println!("skipped: this program shares memory by file descriptors");
}
