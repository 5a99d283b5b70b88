//! A launch takes a `Function` or a `Kernel`.
//!
//! **Why:** What else has code has no handle that the driver could launch in this context. It is a part of
//! `arguments-lowered`.
//!
//! **Mend:** Look it up in the module, get it from the library's kernel, or bind it. See
//! `ui-tests/mended/launch_of_no_kernel.rs`.
//!
//! **Mistake** (E0277):

use cuscope::library::LibraryKernel;
use cuscope::{Detached, Function, LaunchConfig, Module, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    of_library: &LibraryKernel,
    module: &Module<'ctx>,
    detached: &Detached<Function<'static>>,
) -> Result {
    let config = LaunchConfig::new(1, 1);
    // SAFETY: the kernel has no parameters, and uses no memory.
    unsafe { gpu.on(stream).launch_unchecked(of_library, config, ()) }?;
    // SAFETY: as above.
    unsafe { gpu.on(stream).launch_unchecked(module, config, ()) }?;
    // SAFETY: as above.
    unsafe { gpu.on(stream).launch_unchecked(detached, config, ()) }
}

fn main() {}
