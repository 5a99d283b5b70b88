//! Points that a kernel moves and OpenGL draws. `cargo run -p cuscope-examples --bin opengl`
//!
//! The points lie in a buffer of OpenGL. Each frame maps it, and neither side copies it for the other or waits for it on the
//! host. OpenGL draws without a window, and the last frame is printed.

#[cfg(target_os = "linux")]
mod draw;
#[cfg(target_os = "linux")]
mod headless;

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    draw::run()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("skipped: this program draws by EGL, without a window");
}
