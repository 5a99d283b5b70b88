//! Images, modules, their functions, and the linker.

use super::table::Table;
use cuscope::memory::InCall;
use cuscope::{
    Cubin, Fatbin, Function, Ptx, PushedGuard, ffi,
    function::Carveout,
    jit::JitOptions,
    module::LoadingMode,
    settings::{CacheConfig, SharedMemoryConfig},
};
use std::path::Path;

const LOAD: &str = "cuModuleLoadDataEx";
const PTX: &str = include_str!("../../code/signatures.ptx");
const CUBIN: &[u8] = include_bytes!("../../code/signatures.cubin");
/// Parameters of `saxpy`, and the question past the last one, which says that it is the last (F92).
pub(super) const PARAMETERS: [&str; 5] = ["cuFuncGetParamInfo"; 5];
pub(super) const COMPARED: &str = "compares the kernel's parameters, once";

/// A fatbin of nothing but PTX.
fn fatbin() -> Vec<u8> {
    let mut code = PTX.as_bytes().to_vec();
    code.resize((PTX.len() + 1).next_multiple_of(8), 0);
    let mut entry = Vec::from(1_u16.to_le_bytes());
    entry.extend(0x101_u16.to_le_bytes());
    entry.extend(72_u32.to_le_bytes());
    entry.extend((code.len() as u64).to_le_bytes());
    entry.extend([0, 64, 0x0001_0007, 75, 0, 0].into_iter().flat_map(u32::to_le_bytes));
    entry.extend(0x11_u64.to_le_bytes());
    entry.resize(72, 0);
    entry.extend(code);
    let mut fatbin = Vec::from(0xba55_ed50_u32.to_le_bytes());
    fatbin.extend([1_u16, 16].into_iter().flat_map(u16::to_le_bytes));
    fatbin.extend((entry.len() as u64).to_le_bytes());
    fatbin.extend(entry);
    fatbin
}

pub(crate) fn code(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Code");
    let file = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("code").join(name);
    let (ptx, cubin) = (file("signatures.ptx"), file("signatures.cubin"));
    let fat = file("signatures.lz4.fatbin");
    // The file is read and checked; what loads it comes after, as data.
    let given = t.row("Ptx::from_file", &[], || Ptx::from_file(&ptx)).unwrap();
    t.row("Cubin::from_file", &[], || Cubin::from_file(&cubin)).unwrap();
    t.row("Fatbin::from_file", &[], || Fatbin::from_file(&fat)).unwrap();
    t.row("Fatbin::new", &[], || Fatbin::new(fatbin())).unwrap();

    let module = t.row("PushedGuard::load", &[LOAD], || gpu.load(&given)).unwrap();
    let options = JitOptions::new();
    t.row("PushedGuard::load_with", &[LOAD], || gpu.load_with(&given, &options)).unwrap();
    t.row("PushedGuard::load_ptx", &[LOAD], || gpu.load_ptx(PTX)).unwrap();
    let around = ["cuCtxPushCurrent_v2", LOAD, "cuCtxPopCurrent_v2"];
    t.row("Context::load", &around, || gpu.context().load(&given)).unwrap();
    t.row("Context::load_ptx", &around, || gpu.context().load_ptx(PTX)).unwrap();
    t.row("PushedGuard::load_ptx_file", &[LOAD], || gpu.load_ptx_file(&ptx)).unwrap();
    t.row("PushedGuard::load_fatbin", &[LOAD], || gpu.load_fatbin(fatbin())).unwrap();
    let guarded = gpu.load_guarded(PTX).unwrap();
    t.row("PushedGuard::load_guarded", &[LOAD], || gpu.load_guarded(PTX)).unwrap();
    t.row("PushedGuard::load_guarded_image", &[LOAD], || gpu.load_guarded_image(&given)).unwrap();
    let looks =
        ["cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuCtxGetCurrent", LOAD, "cuCtxPopCurrent_v2"];
    let why = "the guard asks which context is current";
    t.unlike("Context::load_guarded", &around, &looks, why, || gpu.context().load_guarded(PTX))
        .unwrap();
    t.unlike("Context::load_guarded_image", &around, &looks, why, || {
        gpu.context().load_guarded_image(&given)
    })
    .unwrap();
    t.row("GuardedModule::kernel", &["cuModuleGetFunction"], || {
        guarded.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy")
    })
    .unwrap();
    t.row("GuardedModule::function", &["cuModuleGetFunction"], || guarded.function("saxpy"))
        .unwrap();
    // Machine code, which the software driver does not run.
    // The device's architecture is a part of the message.
    let why = ["cuCtxGetCurrent", LOAD, "cuDeviceGetAttribute", "cuDeviceGetAttribute"];
    let refused = t.row("PushedGuard::load_cubin, refused", &why, || gpu.load_cubin(CUBIN));
    assert!(refused.is_err());
    let text = std::ffi::CString::new(PTX).unwrap();
    // SAFETY: PTX that ends in NUL.
    t.row("PushedGuard::load_unchecked", &[LOAD], || unsafe {
        gpu.load_unchecked(text.as_ptr().cast(), &options)
    })
    .unwrap();
    t.row("LoadingMode::current", &["cuModuleGetLoadingMode"], LoadingMode::current).unwrap();

    let saxpy =
        t.row("Module::function", &["cuModuleGetFunction"], || module.function("saxpy")).unwrap();
    let all: Vec<&str> = ["cuModuleGetFunction"].into_iter().chain(PARAMETERS).collect();
    t.unlike("Module::kernel, 4 parameters", &all[..1], &all, COMPARED, || {
        module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy")
    })
    .unwrap();
    let every = ["cuModuleGetFunctionCount", "cuModuleEnumerateFunctions"];
    let len = t.row("Module::functions", &every, || module.functions()).unwrap().len();
    assert_eq!(len, 4);
    let every: Vec<&str> = every.into_iter().chain(["cuFuncLoad"; 4]).collect();
    t.row("Module::load_functions, 4 functions", &every, || module.load_functions()).unwrap();
    t.row("Module::variable", &["cuModuleGetGlobal_v2"], || {
        module.variable::<u32>("counter").map(drop)
    })
    .unwrap();
    functions(t, &saxpy);
    t.row("Module, dropped with its functions", &["cuModuleUnload"], || drop((module, saxpy)));
    let module = gpu.load(&given).unwrap();
    t.row("Module::try_unload", &["cuModuleUnload"], || module.try_unload()).unwrap().unwrap();
    linker(t, gpu, &given);
}

fn functions(t: &mut Table, saxpy: &Function<'_>) {
    let set = "cuFuncSetAttribute";
    let attribute = ffi::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
    t.row("Function::name", &["cuFuncGetName"], || saxpy.name()).unwrap();
    t.row("Function::parameters, 4 parameters", &PARAMETERS, || saxpy.parameters()).unwrap();
    t.row("Function::arguments, 4 parameters", &PARAMETERS, || {
        saxpy.arguments::<InCall>().map(drop)
    })
    .unwrap();
    t.row("Function::is_loaded", &["cuFuncIsLoaded"], || saxpy.is_loaded()).unwrap();
    t.row("Function::load", &["cuFuncLoad"], || saxpy.load()).unwrap();
    t.row("Function::attribute", &["cuFuncGetAttribute"], || saxpy.attribute(attribute)).unwrap();
    t.row("Function::set_attribute", &[set], || saxpy.set_attribute(attribute, 50)).unwrap();
    t.row("Function::set_carveout", &[set], || saxpy.set_carveout(Carveout::Percent(50))).unwrap();
    t.row("Function::set_cache_config", &["cuFuncSetCacheConfig"], || {
        saxpy.set_cache_config(CacheConfig::PreferL1)
    })
    .unwrap();
    t.row("Function::set_shared_memory_config", &["cuFuncSetSharedMemConfig"], || {
        saxpy.set_shared_memory_config(SharedMemoryConfig::FourByteBankSize)
    })
    .unwrap();
}

fn linker(t: &mut Table, gpu: &PushedGuard<'_>, ptx: &Ptx) {
    t.heading("The linker");
    let (add, destroy) = ("cuLinkAddData_v2", "cuLinkDestroy");
    let options = JitOptions::new();
    let create = || gpu.linker(&options).unwrap();
    let linker =
        t.row("PushedGuard::linker", &["cuLinkCreate_v2"], || gpu.linker(&options)).unwrap();
    let linker = t.row("Linker::add", &[add], || linker.add(ptx, "it")).unwrap();
    t.row("Linker::finish", &["cuLinkComplete", destroy], || linker.finish()).unwrap();
    let linker = create();
    // SAFETY: what a compiler wrote.
    let added = t.row("Linker::add_code", &[add], || unsafe { linker.add_code(ptx, "it") });
    drop(added.unwrap());
    // Code that the software driver does not link.
    let linker = create();
    // SAFETY: machine code of NVIDIA's compiler; it is refused.
    let refused = t.row("Linker::add_object, refused", &[add, destroy], || unsafe {
        linker.add_object(CUBIN, "it")
    });
    assert!(refused.is_err());
    let linker = create();
    // SAFETY: as above.
    let refused = t.row("Linker::add_archive, refused", &[add, destroy], || unsafe {
        linker.add_archive(CUBIN, "it")
    });
    assert!(refused.is_err());
}
