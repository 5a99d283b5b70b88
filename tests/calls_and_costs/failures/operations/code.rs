//! Modules, libraries, compiler and linker.

use super::{Operation, device, pushed};
use crate::common::kernels::STORE;
use cuscope::{
    Error, Library, Ptx, ffi,
    jit::JitOptions,
    module::LoadingMode,
    settings::{CacheConfig, SharedMemoryConfig},
};

operations! {
    "options of the compiler" => pushed(|gpu| {
        gpu.load_with(&Ptx::new(STORE)?, &JitOptions::new().verbose()).map(drop)
    });
    "functions of a module" => pushed(|gpu| {
        let module = gpu.load_ptx(STORE)?;
        for function in module.functions()? {
            function.name()?;
            function.parameters()?;
            drop(function.arguments::<cuscope::memory::InCall>()?);
            function.load()?;
            function.is_loaded()?;
            function.set_attribute(ffi::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50)?;
            function.set_cache_config(CacheConfig::PreferL1)?;
            function.set_shared_memory_config(SharedMemoryConfig::FourByteBankSize)?;
        }
        module.kernel::<(&mut [u32], u32)>("store").map(drop)
    });
    "a variable of a module" => pushed(|gpu| {
        let module = gpu.load_ptx(include_str!("../../../code/signatures.ptx"))?;
        module.variable::<u32>("counter").map(drop)
    });
    "unload a module" => pushed(|gpu| gpu.load_ptx(STORE)?.try_unload().expect("it is alone"));
    "how code is loaded" => LoadingMode::current().map(drop);
    "a library" => {
        let library = Library::load(&Ptx::new(include_str!("../../../code/signatures.ptx"))?)?;
        for kernel in library.kernels()? {
            kernel.name()?;
            let carveout = ffi::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
            kernel.set_attribute(device()?, carveout, 50)?;
            kernel.set_cache_config(device()?, CacheConfig::PreferL1)?;
            kernel.attribute(device()?, ffi::CU_FUNC_ATTRIBUTE_NUM_REGS)?;
        }
        pushed(|gpu| {
            library.kernel("saxpy")?.typed::<(u32, f32, &[f32], &mut [f32])>(gpu)?;
            library.raw_module(gpu)?;
            library.variable::<u32>(gpu, "counter").map(drop)
        })?;
        library.try_unload().expect("it is alone")
    };
    "what a library has not" => {
        let library = Library::load(&Ptx::new(STORE)?)?;
        let none = |error: Error| match error.code() {
            Some(ffi::CUDA_ERROR_NOT_FOUND | ffi::CUDA_ERROR_INVALID_VALUE) => Ok(()),
            _ => Err(error),
        };
        library.managed("none").map(drop).or_else(none)?;
        library.unified_function("none").map(drop).or_else(none)
    };
    "the linker" => pushed(|gpu| {
        let linker = gpu.linker(&JitOptions::new())?.add(&Ptx::new(STORE)?, "store")?;
        gpu.load(&linker.finish()?.cubin).map(drop)
    });
}
