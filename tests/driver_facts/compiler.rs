//! The driver's compiler and its linker: F282, F283, F289, F536, F591, F656.

use crate::modules::{BAD, TEXT, alone, place};
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CStr, CString, c_void};
use std::ptr::{null_mut, without_provenance_mut};

const CALLER: &CStr = c".version 7.0
.target sm_52
.address_size 64
.extern .func helper();
.visible .entry caller() { call helper; ret; }
";
const HELPER: &CStr = c".version 7.0
.target sm_52
.address_size 64
.visible .func helper() { ret; }
";

const INVALID_SOURCE: CUresult = CUDA_ERROR_INVALID_SOURCE;

/// Options of the compiler, a log of errors among them.
struct Options {
    options: Vec<CUjit_option>,
    values: Vec<*mut c_void>,
    log: Vec<u8>,
}

impl Options {
    fn new(more: &[(CUjit_option, usize)]) -> Self {
        let mut log = vec![0_u8; 4096];
        let mut options = vec![CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = vec![log.as_mut_ptr().cast(), without_provenance_mut(log.len())];
        options.extend(more.iter().map(|(option, _)| option));
        values.extend(more.iter().map(|&(_, value)| without_provenance_mut::<c_void>(value)));
        Options { options, values, log }
    }

    fn load(&mut self, image: &CStr) -> CUresult {
        let mut module = null_mut();
        let (options, values) = (self.options.as_mut_ptr(), self.values.as_mut_ptr());
        let count = self.options.len() as u32;
        code!(cuModuleLoadDataEx(&raw mut module, image.as_ptr().cast(), count, options, values))
    }

    fn log(&self) -> String {
        CStr::from_bytes_until_nul(&self.log).unwrap().to_str().unwrap().to_owned()
    }
}

/// F282
#[test]
fn the_logs_of_the_compiler_are_cut_to_their_buffers() {
    let _alone = alone();
    let (place, _) = place();
    let mut options = Options::new(&[]);
    assert_eq!(options.load(BAD), INVALID_PTX);
    assert!(options.log().contains("line 4; error   : "), "{}", options.log());
    assert_eq!(options.values[1].addr(), options.log().len());
    let mut info = vec![0_u8; 4096];
    let mut options = Options::new(&[(CU_JIT_LOG_VERBOSE, 1), (CU_JIT_WALL_TIME, 0)]);
    options.options.extend([CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES]);
    options.values.extend([info.as_mut_ptr().cast(), without_provenance_mut(info.len())]);
    // Code in the driver's cache of compiled code is not compiled, and gives no information.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let new = CString::new(format!("{}// {}", TEXT.to_str().unwrap(), now.as_nanos())).unwrap();
    assert_eq!(options.load(&new), SUCCESS);
    assert_eq!(options.log(), "");
    let text = CStr::from_bytes_until_nul(&info).unwrap().to_str().unwrap();
    assert!(text.contains("Compiling entry function 'third' for 'sm_"), "{text}");
    assert!(f32::from_bits(options.values[3].addr() as u32) > 0.0);
    place.destroy();
}

/// A kernel that has so many values at a time.
fn large(values: usize, directive: &str) -> CString {
    let each = |line: &dyn Fn(usize) -> String| (0..values).map(line).collect::<String>();
    let loads = each(&|i| format!("ld.volatile.global.f32 %f{i}, [%rd1+{}];\n", 4 * i));
    let stores =
        each(&|i| format!("st.volatile.global.f32 [%rd1+{}], %f{};\n", 4 * i, values - 1 - i));
    let text = format!(
        ".version 7.0\n.target sm_52\n.address_size 64\n\
         .visible .entry large(.param .u64 p) {directive} {{\n\
         .reg .b64 %rd<2>; .reg .f32 %f<{values}>;\n\
         ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1;\n{loads}{stores}ret; }}\n"
    );
    CString::new(text).unwrap()
}

/// The registers that the kernel of a module is told to have.
fn registers(module: CUmodule) -> i32 {
    made!(cuFuncGetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, kernel(module, c"large")))
}

/// F536
#[test]
fn a_kernel_has_at_most_the_registers_that_are_allowed() {
    let _alone = alone();
    let (place, _) = place();
    let loaded = |text: &CStr, limits: &[(CUjit_option, usize)]| {
        let mut options = Options::new(limits);
        let (count, image) = (options.options.len() as u32, text.as_ptr().cast());
        let (options, values) = (options.options.as_mut_ptr(), options.values.as_mut_ptr());
        registers(made!(cuModuleLoadDataEx(image, count, options, values)))
    };
    let limit = [(CU_JIT_MAX_REGISTERS, 32)];
    assert!(loaded(&large(100, ""), &[]) > 32);
    assert!(loaded(&large(100, ""), &limit) <= 32);
    assert!(loaded(&large(100, ".maxnreg 40"), &[]) <= 40);
    // The linker has the same option.
    for (at_start, at_input) in [(1, 0), (0, 1)] {
        let mut values = [without_provenance_mut::<c_void>(32)];
        let (mut options, values) = ([CU_JIT_MAX_REGISTERS], values.as_mut_ptr());
        let options = options.as_mut_ptr();
        let mut state = null_mut();
        ok!(cuLinkCreate_v2(at_start, options, values, &raw mut state));
        let text = large(100, "");
        let data = text.as_ptr().cast_mut().cast();
        let (kind, size) = (CU_JIT_INPUT_PTX, text.count_bytes() + 1);
        let name = c"large".as_ptr();
        ok!(cuLinkAddData_v2(state, kind, data, size, name, at_input, options, values));
        let mut image = null_mut();
        ok!(cuLinkComplete(state, &raw mut image, null_mut()));
        assert!(registers(made!(cuModuleLoadData(image))) <= 32);
        ok!(cuLinkDestroy(state));
    }
    place.destroy();
}

/// F283
#[test]
fn options_of_the_compiler_have_their_codes() {
    let _alone = alone();
    let (place, _) = place();
    for (option, value, code) in [
        (CU_JIT_MAX_REGISTERS, 16, SUCCESS),
        (CU_JIT_MAX_REGISTERS, 0, INVALID_VALUE),
        (CU_JIT_THREADS_PER_BLOCK, 128, SUCCESS),
        (CU_JIT_OPTIMIZATION_LEVEL, 0, SUCCESS),
        (CU_JIT_OPTIMIZATION_LEVEL, 100, SUCCESS),
        (CU_JIT_TARGET_FROM_CUCONTEXT, 0, SUCCESS),
        (CU_JIT_TARGET, 12_345, INVALID_VALUE),
        (CU_JIT_FALLBACK_STRATEGY, 2, SUCCESS),
        (CU_JIT_GENERATE_DEBUG_INFO, 1, SUCCESS),
        (CU_JIT_GENERATE_LINE_INFO, 1, SUCCESS),
        (CU_JIT_CACHE_MODE, 2, SUCCESS),
        (CU_JIT_CACHE_MODE, 3, INVALID_VALUE),
        (CU_JIT_NEW_SM3X_OPT, 1, INVALID_PTX),
        (CU_JIT_FAST_COMPILE, 1, SUCCESS),
        (CU_JIT_GLOBAL_SYMBOL_NAMES, 0, INVALID_VALUE),
        (CU_JIT_GLOBAL_SYMBOL_ADDRESSES, 0, INVALID_VALUE),
        (CU_JIT_GLOBAL_SYMBOL_COUNT, 0, INVALID_VALUE),
        (CU_JIT_REFERENCED_KERNEL_NAMES, 0, INVALID_VALUE),
        (CU_JIT_REFERENCED_KERNEL_COUNT, 0, SUCCESS),
        (CU_JIT_REFERENCED_VARIABLE_NAMES, 0, INVALID_VALUE),
        (CU_JIT_LTO, 1, SUCCESS),
        (CU_JIT_POSITION_INDEPENDENT_CODE, 1, SUCCESS),
        (CU_JIT_MIN_CTA_PER_SM, 4, SUCCESS),
        (CU_JIT_MAX_THREADS_PER_BLOCK, 128, SUCCESS),
        (CU_JIT_OVERRIDE_DIRECTIVE_VALUES, 1, SUCCESS),
        (CU_JIT_SPLIT_COMPILE, 2, SUCCESS),
        (CUjit_option(1000), 0, INVALID_VALUE),
    ] {
        assert_eq!(Options::new(&[(option, value)]).load(TEXT), code, "{option:?} = {value}");
    }
    let mut both = Options::new(&[(CU_JIT_GENERATE_DEBUG_INFO, 1), (CU_JIT_OPTIMIZATION_LEVEL, 3)]);
    assert_eq!(both.load(TEXT), INVALID_PTX);
    // A library is compiled later.
    let mut none = Options::new(&[(CU_JIT_TARGET, 7)]);
    let count = none.options.len() as u32;
    let (list, values) = (none.options.as_mut_ptr(), none.values.as_mut_ptr());
    let (text, mut kernel) = (TEXT.as_ptr().cast(), null_mut());
    let (no_options, no_values) = (null_mut(), null_mut());
    let library: CUlibrary =
        made!(cuLibraryLoadData(text, list, values, count, no_options, no_values, 0));
    let name = c"".as_ptr();
    assert_eq!(code!(cuLibraryGetKernel(&raw mut kernel, library, name)), INVALID_IMAGE);
    ok!(cuLibraryUnload(library));
    place.destroy();
}

/// F289
#[test]
fn the_linker_names_what_is_missing_and_what_is_there_twice() {
    let _alone = alone();
    let (place, _) = place();
    let mut state = null_mut();
    pop();
    assert_eq!(code!(cuLinkCreate_v2(0, null_mut(), null_mut(), &raw mut state)), INVALID_CONTEXT);
    ok!(cuCtxPushCurrent_v2(place.context));
    let begin = |options: &mut Options| {
        let (list, values) = (options.options.as_mut_ptr(), options.values.as_mut_ptr());
        let mut state = null_mut();
        ok!(cuLinkCreate_v2(options.options.len() as u32, list, values, &raw mut state));
        state
    };
    let add = |state, text: &CStr, name: &str| {
        let (kind, name) = (CU_JIT_INPUT_PTX, CString::new(name).unwrap());
        let data = text.as_ptr().cast_mut().cast();
        let size = text.to_bytes_with_nul().len();
        code!(cuLinkAddData_v2(state, kind, data, size, name.as_ptr(), 0, null_mut(), null_mut()))
    };
    let complete = |state| {
        let (mut image, mut size) = (null_mut(), 0);
        (code!(cuLinkComplete(state, &raw mut image, &raw mut size)), image, size)
    };
    let mut options = Options::new(&[]);
    let state = begin(&mut options);
    assert_eq!(add(state, CALLER, "a"), SUCCESS);
    // No context need be current.
    pop();
    assert_eq!(add(state, HELPER, "b"), SUCCESS);
    let (code, image, size) = complete(state);
    assert_eq!(code, SUCCESS);
    assert!(size > 0);
    assert_eq!(complete(state).0, INVALID_HANDLE);
    assert_eq!(add(state, HELPER, "late"), INVALID_VALUE);
    ok!(cuCtxPushCurrent_v2(place.context));
    let module: CUmodule = made!(cuModuleLoadData(image.cast_const()));
    let _: CUfunction = made!(cuModuleGetFunction(module, c"caller".as_ptr()));
    ok!(cuLinkDestroy(state));

    let mut options = Options::new(&[]);
    let state = begin(&mut options);
    assert_eq!(add(state, CALLER, "a"), SUCCESS);
    assert_eq!(complete(state).0, INVALID_SOURCE);
    assert_eq!(options.log(), "error   : Undefined reference to 'helper' in 'a'");
    ok!(cuLinkDestroy(state));

    let mut options = Options::new(&[]);
    let state = begin(&mut options);
    assert_eq!(add(state, HELPER, "a"), SUCCESS);
    assert_eq!(add(state, HELPER, "b"), INVALID_SOURCE);
    assert_eq!(
        options.log(),
        "error   : Multiple definition of 'helper' in 'b', first defined in 'a'"
    );
    assert_eq!(complete(state).0, INVALID_SOURCE);
    ok!(cuLinkDestroy(state));

    // An input that does not compile is left out, and the rest is linked.
    let mut options = Options::new(&[]);
    let state = begin(&mut options);
    assert_eq!(add(state, BAD, "bad"), INVALID_PTX);
    assert!(options.log().contains("line 4; error   : "), "{}", options.log());
    assert_eq!((add(state, HELPER, "b"), complete(state).0), (SUCCESS, SUCCESS));
    ok!(cuLinkDestroy(state));
    assert_eq!(code!(cuLinkDestroy(null_mut())), INVALID_HANDLE);
    place.destroy();
}

/// A text with a variable and a function of this linkage that have a value, and a kernel that writes both values.
fn text_with(linkage: &str, value: u32, kernel: &str) -> CString {
    let text = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n\
         {linkage} .global .align 4 .u32 v = {value};\n\
         {linkage} .func (.reg .u32 r) f() {{ mov.u32 r, {value}; ret; }}\n\
         .visible .entry {kernel}(.param .u64 p) {{ .reg .u64 a; .reg .u32 x;\n\
         ld.param.u64 a, [p]; ld.global.u32 x, [v]; st.global.u32 [a], x;\n\
         call (x), f; st.global.u32 [a+4], x; ret; }}\n"
    );
    CString::new(text).unwrap()
}

/// F591
#[test]
fn local_symbols_of_a_link_stay_apart_and_weak_ones_become_one() {
    let _alone = alone();
    let (place, _) = place();
    let memory: CUdeviceptr = made!(cuMemAlloc_v2(8));
    // The symbols that the kernel of each input sees.
    for (linkages, seen) in [
        (["", ""], Some([1, 2])),
        ([".weak", ".weak"], Some([1, 1])),
        ([".weak", ".visible"], Some([2, 2])),
        ([".visible", ".weak"], Some([1, 1])),
        (["", ".visible"], Some([1, 2])),
        ([".visible", ""], Some([1, 2])),
        (["", ".weak"], Some([1, 2])),
        ([".weak", ""], Some([1, 2])),
        ([".visible", ".visible"], None),
    ] {
        let mut state = null_mut();
        ok!(cuLinkCreate_v2(0, null_mut(), null_mut(), &raw mut state));
        let texts = [text_with(linkages[0], 1, "one"), text_with(linkages[1], 2, "two")];
        let added = texts.each_ref().map(|text| {
            let (data, size) = (text.as_ptr().cast_mut().cast(), text.count_bytes() + 1);
            let (none, kind, name) = (null_mut(), CU_JIT_INPUT_PTX, c"input".as_ptr());
            code!(cuLinkAddData_v2(state, kind, data, size, name, 0, none, null_mut()))
        });
        let mut image = null_mut();
        let completed = code!(cuLinkComplete(state, &raw mut image, null_mut()));
        let Some(seen) = seen else {
            assert_eq!((added, completed), ([SUCCESS, INVALID_SOURCE], INVALID_SOURCE));
            ok!(cuLinkDestroy(state));
            continue;
        };
        assert_eq!((added, completed), ([SUCCESS; 2], SUCCESS), "{linkages:?}");
        let module: CUmodule = made!(cuModuleLoadData(image.cast_const()));
        for (name, seen) in [c"one", c"two"].into_iter().zip(seen) {
            assert_eq!(launch(kernel(module, name), null_mut(), &[memory]), SUCCESS);
            let mut values = [0_u32; 2];
            ok!(cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), memory, 8));
            assert_eq!(values, [seen; 2], "{linkages:?}, {name:?}");
        }
        ok!(cuModuleUnload(module));
        ok!(cuLinkDestroy(state));
    }
    ok!(cuMemFree_v2(memory));
    place.destroy();
}

/// F656
#[test]
fn a_link_of_nothing_is_complete() {
    let _alone = alone();
    let (place, _) = place();
    let mut options = Options::new(&[]);
    let (list, values) = (options.options.as_mut_ptr(), options.values.as_mut_ptr());
    let mut state = null_mut();
    ok!(cuLinkCreate_v2(0, list, values, &raw mut state));
    let (mut image, mut size) = (null_mut(), 0);
    ok!(cuLinkComplete(state, &raw mut image, &raw mut size));
    assert!(!image.is_null() && size > 0);
    ok!(cuLinkDestroy(state));
    place.destroy();
}
