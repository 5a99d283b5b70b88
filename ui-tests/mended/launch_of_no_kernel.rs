//! The mend of `ui-tests/launch_of_no_kernel.rs`. Look it up in the module, get it from the library's kernel, or
//! bind it.

use cuscope::library::LibraryKernel;
use cuscope::{Detached, Function, LaunchConfig, Module, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    of_library: &LibraryKernel,
    module: &Module<'ctx>,
    detached: &Detached<Function<'static>>,
) -> Result {
    let config = LaunchConfig::new(1, 1);
    // SAFETY: the kernel has no parameters, and uses no memory.
    unsafe { gpu.on(stream).launch_unchecked(&of_library.function(gpu)?, config, ()) }?;
    // SAFETY: as above.
    unsafe { gpu.on(stream).launch_unchecked(&module.function("nothing")?, config, ()) }?;
    // SAFETY: as above.
    unsafe { gpu.on(stream).launch_unchecked(gpu.bind(detached)?, config, ()) }
}

fn main() {}
