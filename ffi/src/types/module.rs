//! Loading code: modules, libraries and the linker.

use core::ffi::{c_uint, c_void};

enumeration! {
    /// An option of the compiler of PTX.
    pub enum CUjit_option: c_uint {
        /// Registers of a thread, at most: a `c_uint`.
        CU_JIT_MAX_REGISTERS = 0,
        /// In: threads of a block to compile for; out: those compiled for.
        CU_JIT_THREADS_PER_BLOCK = 1,
        /// Out: milliseconds that it took, a `c_float`.
        CU_JIT_WALL_TIME = 2,
        /// A buffer for messages: `*mut c_char`.
        CU_JIT_INFO_LOG_BUFFER = 3,
        /// In: its size in bytes; out: how much was written. A `c_uint` in place of a pointer.
        CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
        /// A buffer for errors: `*mut c_char`.
        CU_JIT_ERROR_LOG_BUFFER = 5,
        /// In: its size in bytes; out: how much was written. A `c_uint` in place of a pointer.
        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
        /// How much to optimise: 0 to 4.
        CU_JIT_OPTIMIZATION_LEVEL = 7,
        /// Compile for the device of the current context. The default.
        CU_JIT_TARGET_FROM_CUCONTEXT = 8,
        /// The architecture to compile for: a [`CUjit_target`].
        CU_JIT_TARGET = 9,
        /// The way out without a cubin that fits: a [`CUjit_fallback`].
        CU_JIT_FALLBACK_STRATEGY = 10,
        /// Whether to make debug information.
        CU_JIT_GENERATE_DEBUG_INFO = 11,
        /// Whether messages are verbose.
        CU_JIT_LOG_VERBOSE = 12,
        /// Whether to make line numbers.
        CU_JIT_GENERATE_LINE_INFO = 13,
        /// How to cache: a [`CUjit_cacheMode`].
        CU_JIT_CACHE_MODE = 14,
        /// Not used any more.
        CU_JIT_NEW_SM3X_OPT = 15,
        /// For NVIDIA's own use.
        CU_JIT_FAST_COMPILE = 16,
        /// Names of variables that are at given addresses.
        CU_JIT_GLOBAL_SYMBOL_NAMES = 17,
        /// The addresses of those variables.
        CU_JIT_GLOBAL_SYMBOL_ADDRESSES = 18,
        /// How many those are.
        CU_JIT_GLOBAL_SYMBOL_COUNT = 19,
        /// Link-time optimisation; not supported any more.
        CU_JIT_LTO = 20,
        /// Denormal numbers as zero, at link time; not supported any more.
        CU_JIT_FTZ = 21,
        /// Precise division, at link time; not supported any more.
        CU_JIT_PREC_DIV = 22,
        /// Precise square roots, at link time; not supported any more.
        CU_JIT_PREC_SQRT = 23,
        /// Fused multiply and add, at link time; not supported any more.
        CU_JIT_FMA = 24,
        /// Names of kernels to keep, at link time; not supported any more.
        CU_JIT_REFERENCED_KERNEL_NAMES = 25,
        /// How many kernels to keep; not supported any more.
        CU_JIT_REFERENCED_KERNEL_COUNT = 26,
        /// Names of variables to keep, at link time; not supported any more.
        CU_JIT_REFERENCED_VARIABLE_NAMES = 27,
        /// How many variables to keep; not supported any more.
        CU_JIT_REFERENCED_VARIABLE_COUNT = 28,
        /// Drop unused variables, at link time; not supported any more.
        CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES = 29,
        /// Whether to make position-independent code.
        CU_JIT_POSITION_INDEPENDENT_CODE = 30,
        /// Blocks on a multiprocessor to compile for, at least.
        CU_JIT_MIN_CTA_PER_SM = 31,
        /// Threads of a block, at most.
        CU_JIT_MAX_THREADS_PER_BLOCK = 32,
        /// Whether options count more than directives in PTX.
        CU_JIT_OVERRIDE_DIRECTIVE_VALUES = 33,
        /// How many threads compile.
        CU_JIT_SPLIT_COMPILE = 34,
        /// How many threads load binaries.
        CU_JIT_BINARY_LOADER_THREAD_COUNT = 35,
        // skipped CU_JIT_NUM_OPTIONS: counts the names above, differently in every header
    }
    /// An architecture to compile for.
    pub enum CUjit_target: c_uint {
        /// Compute capability 3.0.
        CU_TARGET_COMPUTE_30 = 30,
        /// Compute capability 3.2.
        CU_TARGET_COMPUTE_32 = 32,
        /// Compute capability 3.5.
        CU_TARGET_COMPUTE_35 = 35,
        /// Compute capability 3.7.
        CU_TARGET_COMPUTE_37 = 37,
        /// Compute capability 5.0.
        CU_TARGET_COMPUTE_50 = 50,
        /// Compute capability 5.2.
        CU_TARGET_COMPUTE_52 = 52,
        /// Compute capability 5.3.
        CU_TARGET_COMPUTE_53 = 53,
        /// Compute capability 6.0.
        CU_TARGET_COMPUTE_60 = 60,
        /// Compute capability 6.1.
        CU_TARGET_COMPUTE_61 = 61,
        /// Compute capability 6.2.
        CU_TARGET_COMPUTE_62 = 62,
        /// Compute capability 7.0.
        CU_TARGET_COMPUTE_70 = 70,
        /// Compute capability 7.2.
        CU_TARGET_COMPUTE_72 = 72,
        /// Compute capability 7.5.
        CU_TARGET_COMPUTE_75 = 75,
        /// Compute capability 8.0.
        CU_TARGET_COMPUTE_80 = 80,
        /// Compute capability 8.6.
        CU_TARGET_COMPUTE_86 = 86,
        /// Compute capability 8.7.
        CU_TARGET_COMPUTE_87 = 87,
        /// Compute capability 8.9.
        CU_TARGET_COMPUTE_89 = 89,
        /// Compute capability 9.0.
        CU_TARGET_COMPUTE_90 = 90,
        /// Compute capability 10.0.
        CU_TARGET_COMPUTE_100 = 100,
        /// Compute capability 11.0.
        CU_TARGET_COMPUTE_110 = 110,
        /// Compute capability 10.3.
        CU_TARGET_COMPUTE_103 = 103,
        /// Compute capability 10.7.
        CU_TARGET_COMPUTE_107 = 107,
        /// Compute capability 12.0.
        CU_TARGET_COMPUTE_120 = 120,
        /// Compute capability 12.1.
        CU_TARGET_COMPUTE_121 = 121,
        /// Compute capability 9.0, with what this architecture alone has.
        CU_TARGET_COMPUTE_90A = 0x1005a,
        /// Compute capability 10.0, with what this architecture alone has.
        CU_TARGET_COMPUTE_100A = 0x10064,
        /// Compute capability 11.0, with what this architecture alone has.
        CU_TARGET_COMPUTE_110A = 0x1006e,
        /// Compute capability 10.3, with what this architecture alone has.
        CU_TARGET_COMPUTE_103A = 0x10067,
        /// Compute capability 10.7, with what this architecture alone has.
        CU_TARGET_COMPUTE_107A = 0x1006b,
        /// Compute capability 12.0, with what this architecture alone has.
        CU_TARGET_COMPUTE_120A = 0x10078,
        /// Compute capability 12.1, with what this architecture alone has.
        CU_TARGET_COMPUTE_121A = 0x10079,
        /// Compute capability 10.0, with what its family has.
        CU_TARGET_COMPUTE_100F = 0x20064,
        /// Compute capability 11.0, with what its family has.
        CU_TARGET_COMPUTE_110F = 0x2006e,
        /// Compute capability 10.3, with what its family has.
        CU_TARGET_COMPUTE_103F = 0x20067,
        /// Compute capability 10.7, with what its family has.
        CU_TARGET_COMPUTE_107F = 0x2006b,
        /// Compute capability 12.0, with what its family has.
        CU_TARGET_COMPUTE_120F = 0x20078,
        /// Compute capability 12.1, with what its family has.
        CU_TARGET_COMPUTE_121F = 0x20079,
    }
    /// The way out where no cubin fits.
    pub enum CUjit_fallback: c_uint {
        /// Compile PTX.
        CU_PREFER_PTX = 0,
        /// Use a cubin that is compatible.
        CU_PREFER_BINARY = 1,
    }
    /// How loads are cached.
    pub enum CUjit_cacheMode: c_uint {
        /// In no way of its own.
        CU_JIT_CACHE_OPTION_NONE = 0,
        /// In L2 alone.
        CU_JIT_CACHE_OPTION_CG = 1,
        /// In L1 as well.
        CU_JIT_CACHE_OPTION_CA = 2,
    }
    /// The kind of an input of the linker.
    pub enum CUjitInputType: c_uint {
        /// A cubin.
        CU_JIT_INPUT_CUBIN = 0,
        /// PTX.
        CU_JIT_INPUT_PTX = 1,
        /// A fatbin.
        CU_JIT_INPUT_FATBINARY = 2,
        /// An object file of the host with device code.
        CU_JIT_INPUT_OBJECT = 3,
        /// An archive of object files.
        CU_JIT_INPUT_LIBRARY = 4,
        /// Intermediate code for link-time optimisation; not supported any more.
        CU_JIT_INPUT_NVVM = 5,
        // skipped CU_JIT_NUM_INPUT_TYPES: counts the names above, differently in every header
    }
    /// How a library is loaded.
    pub enum CUlibraryOption: c_uint {
        /// Its table: a [`CUlibraryHostUniversalFunctionAndDataTable`].
        CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE = 0,
        /// The code stays where it is as long as the library is loaded, so that no copy is needed.
        CU_LIBRARY_BINARY_IS_PRESERVED = 1,
        // skipped CU_LIBRARY_NUM_OPTIONS: counts the names above, differently in every header
    }
}

/// Tables of functions and variables that device code and host share.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlibraryHostUniversalFunctionAndDataTable {
    /// The functions.
    pub functionTable: *mut c_void,
    /// Bytes of the functions' table.
    pub functionWindowSize: usize,
    /// The variables.
    pub dataTable: *mut c_void,
    /// Bytes of the variables' table.
    pub dataWindowSize: usize,
}

enumeration! {
    /// When kernels are loaded.
    pub enum CUmoduleLoadingMode: c_uint {
        /// With their module.
        CU_MODULE_EAGER_LOADING = 0x1,
        /// When they are first needed.
        CU_MODULE_LAZY_LOADING = 0x2,
    }
}

/// Added to a [`CUjit_target`]: the architecture with what it alone has.
pub const CU_COMPUTE_ACCELERATED_TARGET_BASE: c_uint = 0x10000;
/// Added to a [`CUjit_target`]: the architecture with what its family has.
pub const CU_COMPUTE_FAMILY_TARGET_BASE: c_uint = 0x20000;
