//! Libraries and their kernels.

use super::code::{COMPARED, PARAMETERS};
use super::table::Table;
use cuscope::{
    Library, Ptx, PushedGuard, ffi, function::Carveout, jit::JitOptions, library::LibraryKernel,
    settings::CacheConfig,
};

pub(crate) fn libraries(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Libraries");
    let ptx = Ptx::new(include_str!("../../code/signatures.ptx")).unwrap();
    let get = "cuLibraryGetKernel";
    let (load, why) = (["cuLibraryLoadData", get], "loading reports no errors (F284)");
    let library =
        t.unlike("Library::load", &load[..1], &load, why, || Library::load(&ptx)).unwrap();
    let options = JitOptions::new();
    t.unlike("Library::load_with", &load[..1], &load, why, || Library::load_with(&ptx, &options))
        .unwrap();
    let saxpy = t.row("Library::kernel", &[get], || library.kernel("saxpy")).unwrap();
    t.row("Library::kernels", &["cuLibraryGetKernelCount", "cuLibraryEnumerateKernels"], || {
        library.kernels()
    })
    .unwrap();
    t.row("Library::variable", &["cuLibraryGetGlobal"], || {
        library.variable::<u32>(gpu, "counter").map(drop)
    })
    .unwrap();
    // It has none of them.
    // The names that it has are a part of the message.
    let names = ["cuLibraryGetKernelCount", "cuLibraryEnumerateKernels"];
    let refused = [&["cuLibraryGetManaged"][..], &names, &["cuKernelGetName"; 4]].concat();
    let refused = t.row("Library::managed, refused", &refused, || library.managed("counter"));
    assert!(refused.is_err());
    let refused =
        t.row("Library::unified_function, refused", &["cuLibraryGetUnifiedFunction"], || {
            library.unified_function("saxpy")
        });
    assert!(refused.is_err());
    t.row("Library::raw_module", &["cuLibraryGetModule"], || library.raw_module(gpu)).unwrap();
    kernels(t, gpu, &saxpy);
    drop(saxpy);
    t.row("Library::try_unload", &["cuLibraryUnload"], || library.try_unload()).unwrap().unwrap();
    let library = Library::load(&ptx).unwrap();
    t.row("Library, dropped", &["cuLibraryUnload"], || drop(library));
}

fn kernels(t: &mut Table, gpu: &PushedGuard<'_>, saxpy: &LibraryKernel) {
    let function = "cuKernelGetFunction";
    t.row("LibraryKernel::function", &[function], || saxpy.function(gpu)).unwrap();
    let all: Vec<&str> = [function, "cuKernelGetName"].into_iter().chain(PARAMETERS).collect();
    t.unlike("LibraryKernel::typed, 4 parameters", &all[..1], &all, COMPARED, || {
        saxpy.typed::<(u32, f32, &[f32], &mut [f32])>(gpu)
    })
    .unwrap();
    t.unlike("LibraryKernel::library", &["cuKernelGetLibrary"], &[], "cuscope stores it", || {
        saxpy.library()
    });
    t.row("LibraryKernel::name", &["cuKernelGetName"], || saxpy.name()).unwrap();
    let (device, set) = (gpu.device(), "cuKernelSetAttribute");
    let attribute = ffi::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
    t.row("LibraryKernel::attribute", &["cuKernelGetAttribute"], || {
        saxpy.attribute(device, attribute)
    })
    .unwrap();
    t.row("LibraryKernel::set_attribute", &[set], || saxpy.set_attribute(device, attribute, 50))
        .unwrap();
    t.row("LibraryKernel::set_carveout", &[set], || {
        saxpy.set_carveout(device, Carveout::Percent(50))
    })
    .unwrap();
    t.row("LibraryKernel::set_cache_config", &["cuKernelSetCacheConfig"], || {
        saxpy.set_cache_config(device, CacheConfig::PreferL1)
    })
    .unwrap();
}
