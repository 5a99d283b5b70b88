//! Modules, their functions and variables, compiler and linker, and libraries.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common;
use crate::common::gpu::{kernel, with_stream};
use crate::common::kernels::{SAXPY, STORE, TRAP};
use crate::skip;
use cuscope::{
    Cubin, Device, Error, Fatbin, In, LaunchConfig, Library, Out, Ptx, ffi,
    function::Carveout,
    jit::{JitCache, JitFallback, JitOptions},
    memory::BufferKind,
    module::LoadingMode,
    settings::{CacheConfig, SharedMemoryConfig},
};
use cuscope_softdriver::faults::{Fault, Which, with_fault};

const PTX: &str = include_str!("../code/signatures.ptx");
/// `broken(out)`: its line 8 is no instruction.
const BROKEN: &str = "
.version 7.0
.target sm_52
.address_size 64
.visible .entry broken(.param .u64 out)
{
    .reg .u32 %r<2>;
    frob.u32 %r1, 1;
    ret;
}
";
const CALLER: &str = ".version 7.0 .target sm_52 .address_size 64
.extern .func (.param .b32 r) thrice(.param .b32 n);
.visible .entry nine(.param .u64 out) {
    .reg .b32 %r<2>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    { .param .b32 a; .param .b32 b; st.param.b32 [a], 3; call (b), thrice, (a); ld.param.b32 %r1, [b]; }
    st.global.u32 [%rd2], %r1;
    ret;
}";
const CALLED: &str = ".version 7.0 .target sm_52 .address_size 64
.visible .func (.param .b32 r) thrice(.param .b32 n) {
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [n];
    mul.lo.s32 %r2, %r1, 3;
    st.param.b32 [r], %r2;
    ret;
}";

fn code<T>(result: Result<T, Error>) -> u32 {
    result.err().expect("an error").code().expect("of the driver").0
}

#[test]
fn functions_are_found_by_name_and_enumerated() {
    with_stream(|gpu, _| {
        let module = gpu.load_ptx(PTX).unwrap();
        let names: Vec<_> =
            module.functions().unwrap().iter().map(|function| function.name().unwrap()).collect();
        assert_eq!(names, ["saxpy", "particle", "count", "scaled"]);
        let by_str = module.function("saxpy").unwrap();
        assert_eq!(by_str.raw(), module.function(c"saxpy").unwrap().raw());
        assert_eq!(by_str.raw(), module.function(String::from("saxpy")).unwrap().raw());
        assert!(by_str.is_loaded().unwrap());
        module.load_functions().unwrap();
        assert_eq!(code(module.function("nope")), 500);
        assert_eq!(code(module.function("")), 1);
        let inside = module.function("sax\0py").unwrap_err();
        assert!(matches!(inside, Error::InvalidArgument { call: "cuModuleGetFunction", .. }));
        let parameters = by_str.parameters().unwrap();
        assert_eq!(
            parameters.iter().map(|p| (p.offset, p.size)).collect::<Vec<_>>(),
            [(0, 4), (4, 4), (8, 8), (16, 8)]
        );
        let unknown = by_str.attribute(ffi::CUfunction_attribute(9999)).unwrap_err();
        assert!(matches!(unknown, Error::InvalidArgument { call: "cuFuncGetAttribute", .. }));
        if common::software() {
            let code = ffi::CUDA_ERROR_UNKNOWN;
            let fault = Fault { which: Which::Nth(1), code, performed: false };
            let (failed, calls) = with_fault(fault, || by_str.parameters());
            assert_eq!(
                (failed.unwrap_err().code(), calls),
                (Some(code), vec!["cuFuncGetParamInfo"])
            );
        }
    });
}

#[test]
fn attributes_of_functions_are_set() {
    with_stream(|gpu, stream| {
        let store = kernel(gpu, STORE, "store");
        let mut out = gpu.on(&stream).zeroed::<u32>(1).unwrap();
        let mut launch = |bytes| {
            let config = LaunchConfig::new(1, 1).with_shared_bytes(bytes);
            // SAFETY: store(u32 *, u32) with shared memory that it does not use.
            unsafe { gpu.on(&stream).launch_unchecked(&store, config, (&mut out, 1_u32)) }
        };
        let all = ffi::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let most = gpu.device().attribute(all).unwrap().unsigned_abs();
        for bytes in [48 << 10, (48 << 10) + 1, 60_000, most] {
            launch(bytes).unwrap();
        }
        for bytes in [most + 1, u32::MAX] {
            assert_eq!(code(launch(bytes)), 1);
        }
        let dynamic = ffi::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        for refused in [0, 4096, i32::MAX] {
            let refused = store.set_attribute(dynamic, refused);
            assert!(matches!(refused, Err(Error::InvalidArgument { .. })));
        }
        launch(most).unwrap();
        let carveout = ffi::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
        for (set, value) in [(Carveout::Percent(50), 50), (Carveout::Default, -1)] {
            store.set_carveout(set).unwrap();
            assert_eq!(store.attribute(carveout).unwrap(), value);
        }
        assert_eq!(code(store.set_carveout(Carveout::Percent(101))), 1);
        store.set_cache_config(CacheConfig::PreferL1).unwrap();
        store.set_shared_memory_config(SharedMemoryConfig::FourByteBankSize).unwrap();
        assert_eq!(code(store.set_attribute(ffi::CU_FUNC_ATTRIBUTE_NUM_REGS, 8)), 1);
    });
}

#[test]
fn numbers_that_are_no_attributes_do_not_reach_the_driver() {
    with_stream(|gpu, _| {
        let (device, ptx) = (gpu.device(), Ptx::new(STORE).unwrap());
        let library = Library::load(&ptx).unwrap();
        let kernel = library.kernel("store").unwrap();
        let store = gpu.load(&ptx).unwrap().function("store").unwrap();
        let asked = |result: cuscope::Result<i32>| match result {
            Ok(_) => "known",
            Err(Error::InvalidArgument { .. }) => "refused",
            Err(error) => panic!("{error}"),
        };
        let last = ffi::CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE.0;
        for (number, expected) in [(0, "known"), (last + 1, "refused"), (1 << 24, "refused")] {
            let attribute = ffi::CUfunction_attribute(number);
            assert_eq!(asked(store.attribute(attribute)), expected);
            assert_eq!(asked(kernel.attribute(device, attribute)), expected);
        }
        for number in [last + 1, 1 << 24, u32::MAX] {
            let attribute = ffi::CUfunction_attribute(number);
            let of_function = store.set_attribute(attribute, 1).map(|()| 0);
            let of_kernel = kernel.set_attribute(device, attribute, 1).map(|()| 0);
            assert_eq!((asked(of_function), asked(of_kernel)), ("refused", "refused"));
        }
        assert_eq!(asked(device.attribute(ffi::CUdevice_attribute(1 << 24))), "refused");
        assert_eq!(asked(device.attribute(ffi::CU_DEVICE_ATTRIBUTE_WARP_SIZE)), "known");
    });
}

#[test]
fn a_variable_is_one_buffer_at_a_time() {
    with_stream(|gpu, stream| {
        let module = gpu.load_ptx(PTX).unwrap();
        let on = gpu.on(&stream);
        let mut counter = module.variable::<i32>("counter").unwrap();
        assert_eq!((counter.len(), counter.kind()), (1, BufferKind::Variable));
        assert_eq!(gpu.on(&stream).to_vec(&counter).unwrap(), [7]);
        on.fill(&mut counter, 41).unwrap();
        let count = module.kernel::<(&mut [i32],)>("count").unwrap();
        let mut out = gpu.on(&stream).zeroed(1).unwrap();
        // SAFETY: count(int *): one element, and the counter, which nothing else uses meanwhile.
        unsafe { on.launch_unchecked(&count, LaunchConfig::new(1, 1), (&mut out,)) }.unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&out).unwrap(), [41]);
        assert_eq!(gpu.on(&stream).to_vec(&counter).unwrap(), [42]);
        // No second view, whatever its type, until the first is gone.
        assert!(matches!(module.variable::<u32>(c"counter"), Err(Error::VariableLent { .. })));
        drop(counter);
        let mut counter = module.variable::<u32>(c"counter").unwrap();
        // It is an argument, and is held, as any buffer.
        // SAFETY: as above; the kernel writes where it counts, which is one address.
        gpu.scope(|s| {
            let mut held = s.hold(&mut counter);
            s.on(&stream).fill(&mut held, 5)
        })
        .unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&counter).unwrap(), [5]);

        let table = module.variable::<f64>("table").unwrap();
        assert_eq!((table.len(), table.size_bytes()), (8, 64));
        drop(table);
        assert_eq!(
            gpu.on(&stream).to_vec(&module.variable::<[f32; 4]>("scale").unwrap()).unwrap(),
            [[1.0, 2.0, 3.0, 4.0]]
        );
        let wrong = module.variable::<[f32; 3]>("scale").unwrap_err();
        assert!(matches!(wrong, Error::VariableType { bytes: 16, size: 12, .. }), "{wrong}");
        let wrong = module.variable::<[f32; 0]>("scale").unwrap_err();
        assert!(matches!(wrong, Error::VariableType { bytes: 16, size: 0, .. }), "{wrong}");
        assert_eq!(code(module.variable::<f32>("nope")), 500);
        assert_eq!(code(module.variable::<f32>("saxpy")), 1);
        // It keeps the module, which nothing else does.
        drop((module, count));
        assert_eq!(gpu.on(&stream).to_vec(&counter).unwrap(), [5]);
    });
}

#[test]
fn a_module_that_something_holds_is_given_back() {
    with_stream(|gpu, _| {
        let module = gpu.load_ptx(PTX).unwrap();
        let function = module.function("saxpy").unwrap();
        let module = module.try_unload().expect_err("a function holds it");
        drop(function);
        let counter = module.variable::<i32>("counter").unwrap();
        let module = module.try_unload().expect_err("a variable holds it");
        drop(counter);
        module.try_unload().expect("nothing holds it").unwrap();
    });
}

#[test]
fn the_error_is_the_compilers_log_with_the_line() {
    with_stream(|gpu, _| {
        let Err(Error::Load(error)) = gpu.load_ptx(BROKEN) else { panic!("no error of loading") };
        assert!(error.log().contains("line 8"), "{error}");
        assert_eq!(error.ptx_line(), Some((8, "frob.u32 %r1, 1;")));
        assert!(error.to_string().contains("frob.u32 %r1, 1;"), "{error}");
        let short = JitOptions::new().error_log(40);
        let Err(Error::Load(error)) = gpu.load_with(&Ptx::new(BROKEN).unwrap(), &short) else {
            panic!("no error of loading")
        };
        assert!(error.log().len() <= 40, "{error}");
        let none = JitOptions::new().error_log(0);
        let error = gpu.load_with(&Ptx::new(BROKEN).unwrap(), &none).unwrap_err();
        assert_eq!(error.code().unwrap().0, 218);
    });
}

#[test]
fn options_of_the_compiler() {
    with_stream(|gpu, _| {
        // Not in the driver's cache of compiled code, which gives no information (F282).
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let ptx =
            Ptx::new(format!("{}// {}", common::shorter(PTX, SAXPY), now.as_nanos())).unwrap();
        let options = JitOptions::new()
            .max_registers(32)
            .threads_per_block(128)
            .optimization_level(3)
            .target_from_context()
            .fallback(JitFallback::PreferPtx)
            .cache(JitCache::L1)
            .line_info(true)
            .measure_time()
            .verbose();
        let loaded = gpu.load_with(&ptx, &options).unwrap();
        assert!(loaded.log.info.contains("Compiling entry function 'saxpy'"), "{:?}", loaded.log);
        assert!(loaded.log.errors.is_empty() && loaded.log.time.is_some(), "{:?}", loaded.log);
        loaded.module.function("saxpy").unwrap();
        // Of these the real driver dies or hangs (F283, F293), in the linker and for a library too.
        let new = JitOptions::new;
        for deadly in [
            new().max_registers(0),
            new().threads_per_block(0),
            new().threads_per_block(u32::MAX),
            new().max_threads_per_block(u32::MAX),
            new().max_threads_per_block((1 << 20) + 1),
            new().min_blocks_per_multiprocessor(u32::MAX),
            new().loader_threads(u32::MAX),
            new().split_compile(1025),
            new().optimization_level(5),
            new().target(ffi::CUjit_target(u32::MAX)),
        ] {
            let refused = gpu.load_with(&ptx, &deadly).map(drop);
            assert!(matches!(refused, Err(Error::InvalidArgument { .. })), "{deadly:?}");
            let refused = gpu.linker(&deadly).map(drop);
            assert!(matches!(refused, Err(Error::InvalidArgument { .. })), "{deadly:?}");
            let refused = Library::load_with(&ptx, &deadly).map(drop);
            assert!(matches!(refused, Err(Error::InvalidArgument { .. })), "{deadly:?}");
        }
        gpu.load_with(&ptx, &new().max_threads_per_block(1024)).unwrap();
        let debug = JitOptions::new().debug_info(true).optimization_level(3);
        assert_eq!(code(gpu.load_with(&ptx, &debug)), 218);
        gpu.load_with(&ptx, &JitOptions::new().debug_info(true).optimization_level(0)).unwrap();
        gpu.load_with(&ptx, &JitOptions::new().split_compile(2)).unwrap();
        gpu.load_with(&ptx, &JitOptions::new().target(ffi::CU_TARGET_COMPUTE_90)).unwrap();
        let mode = LoadingMode::current().unwrap();
        assert!(matches!(mode, LoadingMode::Lazy | LoadingMode::Eager), "{mode}");
    });
}

#[test]
fn several_inputs_are_linked() {
    with_stream(|gpu, stream| {
        let (caller, called) = (Ptx::new(CALLER).unwrap(), Ptx::new(CALLED).unwrap());
        let options = JitOptions::new().verbose();
        let linker = gpu.linker(&options).unwrap();
        let linker = linker.add(&caller, "caller").unwrap().add(&called, c"called").unwrap();
        let linked = linker.finish().unwrap();
        assert!(linked.log.info.contains("nine"), "{:?}", linked.log);
        let module = gpu.load(&linked.cubin).unwrap();
        let nine = module.kernel::<(&mut [u32],)>("nine").unwrap();
        let mut out = gpu.on(&stream).zeroed(1).unwrap();
        // SAFETY: nine(u32 *): one element.
        unsafe { gpu.on(&stream).launch_unchecked(&nine, LaunchConfig::new(1, 1), (&mut out,)) }
            .unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&out).unwrap(), [9]);

        // A symbol that is missing, and one that is there twice, is named.
        let linker = gpu.linker(&JitOptions::new()).unwrap().add(&caller, "caller").unwrap();
        assert!(format!("{linker:?}").starts_with("Linker(0x"), "{linker:?}");
        let missing = linker.finish().unwrap_err();
        assert_eq!(missing.code().unwrap().0, 300);
        assert!(
            missing.to_string().contains("Undefined reference to 'thrice' in 'caller'"),
            "{missing}"
        );
        let linker = gpu.linker(&JitOptions::new()).unwrap().add(&called, "one").unwrap();
        let twice = linker.add(&called, "other").unwrap_err();
        assert!(
            twice.to_string().contains("Multiple definition of 'thrice' in 'other'"),
            "{twice}"
        );
        // An input that does not compile ends the link with its line.
        let linker = gpu.linker(&JitOptions::new()).unwrap();
        let Err(Error::Load(error)) = linker.add(&Ptx::new(BROKEN).unwrap(), "broken") else {
            panic!("no error of loading")
        };
        assert_eq!(error.ptx_line(), Some((8, "frob.u32 %r1, 1;")));
        assert_eq!(error.driver().call(), "cuLinkAddData_v2");
    });
}

#[test]
fn machine_code_that_was_compiled_to_be_linked_is_linked() {
    // Of the source of `CALLED`.
    const CUBIN: &[u8] = include_bytes!("../code/thrice.cubin");
    let cubin = Cubin::new(CUBIN).unwrap();
    let mut bytes = Vec::from(0x0010_0001_ba55_ed50_u64.to_le_bytes());
    let entry: [u64; 8] =
        [2 | 0x101 << 16 | 64 << 32, CUBIN.len() as u64, 0, 0x5a_0001_0008, 0, 0x11, 0, 0];
    bytes.extend(((64 + CUBIN.len()) as u64).to_le_bytes());
    bytes.extend(entry.into_iter().flat_map(u64::to_le_bytes));
    bytes.extend(CUBIN);
    let fatbin = Fatbin::new(bytes).unwrap();
    with_stream(|gpu, stream| {
        let caller = Ptx::new(CALLER).unwrap();
        let start = || gpu.linker(&JitOptions::new()).unwrap().add(&caller, "caller").unwrap();
        // SAFETY: what NVRTC wrote of `CALLED`.
        let alone = unsafe { start().add_code(&cubin, "thrice") };
        // SAFETY: as above.
        let contained = unsafe { start().add_code(&fatbin, "thrice") };
        for linker in [alone, contained] {
            if common::software() || gpu.device().compute_capability().unwrap().0 != 9 {
                assert_eq!(code(linker), 209);
                continue;
            }
            let module = gpu.load(&linker.unwrap().finish().unwrap().cubin).unwrap();
            let nine = module.kernel::<(&mut [u32],)>("nine").unwrap();
            let mut out = gpu.on(&stream).zeroed(1).unwrap();
            // SAFETY: nine(u32 *): one element.
            unsafe {
                gpu.on(&stream).launch_unchecked(&nine, LaunchConfig::new(1, 1), (&mut out,))
            }
            .unwrap();
            assert_eq!(gpu.on(&stream).to_vec(&out).unwrap(), [9]);
        }
    });
}

/// An unload that fails is told, and not made again.
#[test]
fn the_result_of_an_unload_is_the_answer_of_the_driver() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    with_stream(|gpu, _| {
        let load = || gpu.load_ptx(CALLED).unwrap();
        assert_eq!(load().try_unload().unwrap(), Ok(()));
        let code = ffi::CUDA_ERROR_UNKNOWN;
        let fault = Fault { which: Which::Named("cuModuleUnload"), code, performed: true };
        let module = load();
        let (unloaded, calls) = with_fault(fault, || module.try_unload());
        assert_eq!(unloaded.unwrap().unwrap_err().code(), Some(code));
        assert_eq!(calls.len(), 1, "{calls:?}");
    });
}

/// What is wrong with the options is told by the load itself, not by what comes behind it.
#[test]
fn a_library_with_wrong_options_is_not_loaded() {
    let ptx = Ptx::new(CALLED).unwrap();
    let load = |options: JitOptions| Library::load_with(&ptx, &options).map(drop).unwrap_err();
    let error = load(JitOptions::new().max_registers(0));
    assert!(matches!(error, Error::InvalidArgument { call: "cuLibraryLoadData", .. }), "{error}");
    let Error::Load(error) = load(JitOptions::new().target(ffi::CUjit_target(7))) else {
        panic!("no error of loading")
    };
    // The driver looks at it when it compiles, for the query that the load makes.
    assert_eq!(error.driver().call(), "cuLibraryGetKernel");
    let code = error.driver().code();
    assert_eq!(code, ffi::CUDA_ERROR_INVALID_IMAGE); // F283
    assert!(error.to_string().contains("`target` is 7"), "{error}");
    if common::software() {
        let code = ffi::CUDA_ERROR_UNKNOWN;
        let fault = Fault { which: Which::Named("cuLibraryLoadData"), code, performed: false };
        let (loaded, calls) = with_fault(fault, || Library::load(&ptx));
        assert_eq!(loaded.unwrap_err().code(), Some(code));
        assert_eq!(calls.last(), Some(&"cuLibraryLoadData"), "{calls:?}");
    }
    let [one, other] = [(); 2].map(|()| Library::load(&ptx).unwrap());
    assert!(one == one.clone() && one != other);
}

#[test]
fn objects_and_archives_that_are_none_are_refused() {
    with_stream(|gpu, _| {
        let start = || gpu.linker(&JitOptions::new()).unwrap();
        let none = [b'?'; 256];
        // SAFETY: what is no ELF file is refused by its first bytes (F289).
        let object = unsafe { start().add_object(&none, "it") };
        // SAFETY: what is no archive, likewise.
        let archive = unsafe { start().add_archive(&none, "it") };
        assert_eq!((code(object), code(archive)), (999, 999));
        if common::software() {
            // An archive, although without a file, is no object.
            let archive = b"!<arch>\n";
            // SAFETY: the software driver checks what it reads.
            assert_eq!(code(unsafe { start().add_object(archive, "it") }), 999);
            // SAFETY: as above.
            assert!(unsafe { start().add_archive(archive, "it") }.is_ok());
        }
    });
}

#[test]
fn modules_and_libraries_come_from_files_with_options() {
    let file = common::temporary("modules.ptx");
    std::fs::write(&file, PTX).unwrap();
    let ptx = Ptx::from_file(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let options = JitOptions::new().max_registers(32).line_info(true);
    let (library, log) = Library::load_with(&ptx, &options).unwrap();
    assert!(log.errors.is_empty(), "{log:?}");
    let kernel = library.kernel("saxpy").unwrap();
    with_stream(|gpu, stream| {
        type Saxpy = (u32, f32, In<f32>, Out<f32>);
        let module = gpu.load_with(&ptx, &options).unwrap().module;
        for saxpy in [module.kernel::<Saxpy>("saxpy"), kernel.typed::<Saxpy>(gpu)] {
            let saxpy = saxpy.unwrap();
            let registers = saxpy.function().attribute(ffi::CU_FUNC_ATTRIBUTE_NUM_REGS).unwrap();
            assert!(registers <= 32, "{registers}");
            let x = gpu.on(&stream).from_slice(&[1.0_f32; 300]).unwrap();
            let mut y = gpu.on(&stream).from_slice(&[0.5_f32; 300]).unwrap();
            // cudarc's blocks have 1024 threads, these 256.
            let config = LaunchConfig::for_num_elems(300).unwrap();
            assert_eq!((config.grid.x, config.block.x, config.shared_bytes), (2, 256, 0));
            // SAFETY: saxpy(unsigned n, float a, const float *x, float *y), over `n` elements.
            unsafe { gpu.on(&stream).launch_unchecked(&saxpy, config, (300, 2.0, &x, &mut y)) }
                .unwrap();
            assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [2.5; 300]);
        }
    });
}

#[test]
fn code_without_kernels_has_no_functions() {
    let ptx = ".version 8.0\n.target sm_70\n.address_size 64\n.visible .global .u32 number;\n";
    let library = Library::load(&Ptx::new(ptx).unwrap()).unwrap();
    assert!(library.kernels().unwrap().is_empty());
    with_stream(|gpu, _| assert!(gpu.load_ptx(ptx).unwrap().functions().unwrap().is_empty()));
}

#[test]
fn a_library_is_used_in_every_context() {
    let library = Library::load(&Ptx::new(PTX).unwrap()).unwrap();
    let (device, kernel) = (Device::get(0).unwrap(), library.kernel("count").unwrap());
    assert_eq!(library.kernels().unwrap().len(), 4);
    assert_eq!((kernel.name().unwrap(), kernel.library()), ("count".to_owned(), library.clone()));
    assert_eq!(code(library.kernel("nope")), 500);
    assert_eq!(code(library.managed("counter")), 500);
    assert_eq!(code(library.unified_function("saxpy")), 1);
    // Set before it is a function anywhere, for all that it becomes.
    kernel.set_carveout(device, Carveout::Percent(10)).unwrap();
    kernel.set_cache_config(device, CacheConfig::PreferEqual).unwrap();
    let dynamic = ffi::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    let refused = kernel.set_attribute(device, dynamic, 50_000);
    assert!(matches!(refused, Err(Error::InvalidArgument { .. })));
    for _ in 0..2 {
        with_stream(|gpu, stream| {
            let function = kernel.function(gpu).unwrap();
            let mut out = gpu.on(&stream).zeroed::<i32>(1).unwrap();
            let counter = library.variable::<i32>(gpu, "counter").unwrap();
            assert!(matches!(
                library.variable::<i32>(gpu, "counter"),
                Err(Error::VariableLent { .. })
            ));
            for expected in [7, 8] {
                // SAFETY: count(int *): one element, and the counter of this context.
                unsafe {
                    gpu.on(&stream).launch_unchecked(
                        &function,
                        LaunchConfig::new(1, 1),
                        (&mut out,),
                    )
                }
                .unwrap();
                assert_eq!(
                    gpu.on(&stream).to_vec(&out).unwrap(),
                    [expected],
                    "each context has its own"
                );
            }
            assert_eq!(gpu.on(&stream).to_vec(&counter).unwrap(), [9]);
            assert!(!library.raw_module(gpu).unwrap().is_null());
        });
    }
    let library = library.try_unload().expect_err("a kernel holds it");
    drop(kernel);
    library.try_unload().expect("nothing holds it").unwrap();
}

#[test]
fn a_graph_keeps_a_library_loaded() {
    with_stream(|gpu, mut stream| {
        let library = Library::load(&Ptx::new(STORE).unwrap()).unwrap();
        let mut x = gpu.on(&stream).zeroed::<u32>(1).unwrap();
        let store = library.kernel("store").unwrap().function(gpu).unwrap();
        let captured = gpu.capture(&mut stream, |c| {
            let mut x = c.hold(&mut x);
            for value in [1, 2_u32] {
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe {
                    c.stream().launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut x, value))
                }?;
            }
            Ok(())
        });
        let graph = captured.unwrap();
        drop(store);
        let library = library.try_unload().expect_err("the graph holds it");
        gpu.on(&stream).replay(&graph, &mut x).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [2]);
        drop(graph);
        library.try_unload().expect("nothing holds it").unwrap();
    });
}

#[test]
fn a_bad_library_is_an_error_when_it_is_loaded() {
    let Err(Error::Load(error)) = Library::load(&Ptx::new(BROKEN).unwrap()) else {
        panic!("no error of loading")
    };
    assert_eq!((error.driver().call(), error.driver().code().0), ("cuLibraryGetKernel", 218));
    assert_eq!(error.ptx_line(), Some((8, "frob.u32 %r1, 1;")));
    let (library, log) =
        Library::load_with(&Ptx::new(TRAP).unwrap(), &JitOptions::new().verbose()).unwrap();
    assert_eq!(log.errors, "");
    library.kernel("fault").unwrap();
}
