//! The functions of `nvrtc.h`, under the version of CUDA that had each first: 1000 x major + 10 x minor.

use crate::types::*;
use core::ffi::{c_char, c_int, c_uint, c_void};

/// Hands the functions that every NVRTC from 11.8 on has to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! nvrtc_functions { ($with:path) => { $with! {
    /// The name of a code, as a string that is never freed; of an unknown code too.
    7000 fn nvrtcGetErrorString(result: nvrtcResult) -> *const c_char;
    /// The version of this NVRTC.
    7000 fn nvrtcVersion(major: *mut c_int, minor: *mut c_int) -> nvrtcResult;
    /// How many architectures this NVRTC can compile for.
    11020 fn nvrtcGetNumSupportedArchs(numArchs: *mut c_int) -> nvrtcResult;
    /// Writes the architectures that this NVRTC can compile for, in rising order: 90 for `compute_90`.
    11020 fn nvrtcGetSupportedArchs(supportedArchs: *mut c_int) -> nvrtcResult;
    /// Creates a program from its source, its name, and headers with the names by which they are included. The name may be null.
    7000 fn nvrtcCreateProgram(prog: *mut nvrtcProgram, src: *const c_char, name: *const c_char, numHeaders: c_int, headers: *const *const c_char, includeNames: *const *const c_char) -> nvrtcResult;
    /// Destroys a program, and makes the handle null.
    7000 fn nvrtcDestroyProgram(prog: *mut nvrtcProgram) -> nvrtcResult;
    /// Compiles a program.
    7000 fn nvrtcCompileProgram(prog: nvrtcProgram, numOptions: c_int, options: *const *const c_char) -> nvrtcResult;
    /// The size of the PTX in bytes, with its NUL; 1 if there is none.
    7000 fn nvrtcGetPTXSize(prog: nvrtcProgram, ptxSizeRet: *mut usize) -> nvrtcResult;
    /// Writes the PTX, with its NUL.
    7000 fn nvrtcGetPTX(prog: nvrtcProgram, ptx: *mut c_char) -> nvrtcResult;
    /// The size of the cubin in bytes; 0 if there is none.
    11010 fn nvrtcGetCUBINSize(prog: nvrtcProgram, cubinSizeRet: *mut usize) -> nvrtcResult;
    /// Writes the cubin.
    11010 fn nvrtcGetCUBIN(prog: nvrtcProgram, cubin: *mut c_char) -> nvrtcResult;
    /// The size of the compiler's log in bytes, with its NUL.
    7000 fn nvrtcGetProgramLogSize(prog: nvrtcProgram, logSizeRet: *mut usize) -> nvrtcResult;
    /// Writes the compiler's log, with its NUL: of a compilation that succeeded too.
    7000 fn nvrtcGetProgramLog(prog: nvrtcProgram, log: *mut c_char) -> nvrtcResult;
    /// Notes the name of a kernel or variable in C++, before compilation; a template of that name is instantiated.
    8000 fn nvrtcAddNameExpression(prog: nvrtcProgram, name_expression: *const c_char) -> nvrtcResult;
    /// The name in the PTX of what was noted; the string lives as long as the program.
    8000 fn nvrtcGetLoweredName(prog: nvrtcProgram, name_expression: *const c_char, lowered_name: *mut *const c_char) -> nvrtcResult;
} } }
nvrtc_functions!(declare);

/// Hands the functions that came after NVRTC 11.8 to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! nvrtc_newer_functions { ($with:path) => { $with! {
    /// The size of the LTO-IR in bytes; 0 if there is none.
    12000 fn nvrtcGetLTOIRSize(prog: nvrtcProgram, LTOIRSizeRet: *mut usize) -> nvrtcResult;
    /// Writes the LTO-IR, which the option `-dlto` makes.
    12000 fn nvrtcGetLTOIR(prog: nvrtcProgram, LTOIR: *mut c_char) -> nvrtcResult;
    /// The size of the OptiX-IR in bytes; 0 if there is none.
    12000 fn nvrtcGetOptiXIRSize(prog: nvrtcProgram, optixirSizeRet: *mut usize) -> nvrtcResult;
    /// Writes the OptiX-IR, which the option `--optix-ir` makes.
    12000 fn nvrtcGetOptiXIR(prog: nvrtcProgram, optixir: *mut c_char) -> nvrtcResult;
    /// The size of the memory for precompiled headers, in bytes.
    12080 fn nvrtcGetPCHHeapSize(ret: *mut usize) -> nvrtcResult;
    /// Sets the size of the memory for precompiled headers, in bytes; frees what there was.
    12080 fn nvrtcSetPCHHeapSize(size: usize) -> nvrtcResult;
    /// Gives the fate of the precompiled header that a compilation was to make.
    12080 fn nvrtcGetPCHCreateStatus(prog: nvrtcProgram) -> nvrtcResult;
    /// The size of the memory for precompiled headers that a program needs, in bytes.
    12080 fn nvrtcGetPCHHeapSizeRequired(prog: nvrtcProgram, size: *mut usize) -> nvrtcResult;
    /// Sets a function that compilation asks whether to go on.
    12080 fn nvrtcSetFlowCallback(prog: nvrtcProgram, callback: nvrtcFlowCallback, payload: *mut c_void) -> nvrtcResult;
    /// The size of the Tile IR in bytes; 0 if there is none.
    13020 fn nvrtcGetTileIRSize(prog: nvrtcProgram, TileIRSizeRet: *mut usize) -> nvrtcResult;
    /// Writes the Tile IR.
    13020 fn nvrtcGetTileIR(prog: nvrtcProgram, TileIR: *mut c_char) -> nvrtcResult;
    /// Writes the headers of CUDA that libnvrtc-builtins holds to a folder. The log may be null.
    13030 fn nvrtcInstallBundledHeaders(installPath: *const c_char, flags: c_uint, errorLog: *mut *const c_char) -> nvrtcResult;
    /// Gives the headers that libnvrtc-builtins holds. The log may be null.
    13030 fn nvrtcGetBundledHeadersInfo(info: *mut nvrtcBundledHeadersInfo, errorLog: *mut *const c_char) -> nvrtcResult;
    /// Removes a folder of headers with all that is in it. The log may be null.
    13030 fn nvrtcRemoveBundledHeaders(installPath: *const c_char, errorLog: *mut *const c_char) -> nvrtcResult;
} } }
nvrtc_newer_functions!(lookup);

/// Hands the functions that a later NVRTC dropped to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! nvrtc_dropped_functions { ($with:path) => { $with! {
    /// The size of the NVVM-IR in bytes. Superseded by `nvrtcGetLTOIRSize`.
    11040 until 13000 fn nvrtcGetNVVMSize(prog: nvrtcProgram, nvvmSizeRet: *mut usize) -> nvrtcResult;
    /// Writes the NVVM-IR. Superseded by `nvrtcGetLTOIR`.
    11040 until 13000 fn nvrtcGetNVVM(prog: nvrtcProgram, nvvm: *mut c_char) -> nvrtcResult;
} } }
nvrtc_dropped_functions!(lookup);
