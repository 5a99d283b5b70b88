//! How PTX is compiled.
#![allow(unsafe_code, reason = "a setter whose addresses the driver trusts is unsafe")]

use crate::error::{Error, Result};
use crate::image::MOST;
use crate::name::Name;
use ffi::{CUjit_option, CUjit_target};
use std::ffi::{CString, c_void};

/// What to compile for; the constants are those of [`ffi`], such as [`ffi::CU_TARGET_COMPUTE_90`].
pub type JitTarget = CUjit_target;

/// What to do where no machine code fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JitFallback {
    /// Compile PTX.
    PreferPtx,
    /// Take compatible machine code.
    PreferBinary,
}

/// How loads of global memory are cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JitCache {
    /// As the instructions say.
    None,
    /// In L2 alone.
    L2,
    /// In L1 too.
    L1,
}

/// Options of the driver's compiler and linker: a builder. What is not set is left to the driver. Machine code
/// is loaded as it is, whatever they say.
///
/// ```
/// # use cuscope::JitOptions;
/// let options = JitOptions::new().optimization_level(3).max_registers(64).line_info(true).verbose();
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct JitOptions {
    /// Options with a number.
    pub(super) numbers: Vec<(CUjit_option, usize)>,
    /// Options with a list of names, behind them the one with their number.
    pub(super) names: Vec<(CUjit_option, CUjit_option, Vec<CString>)>,
    /// The addresses of global symbols, as many as names.
    pub(super) addresses: Vec<*mut c_void>,
    pub(super) error_log: u32,
    pub(super) info_log: u32,
    pub(super) time: bool,
    /// What the driver must not see.
    pub(super) refused: Option<&'static str>,
}

// SAFETY: the addresses are numbers to this crate, which never follows them.
unsafe impl Send for JitOptions {}
// SAFETY: as for `Send`.
unsafe impl Sync for JitOptions {}

impl Default for JitOptions {
    fn default() -> Self {
        JitOptions {
            numbers: Vec::new(),
            names: Vec::new(),
            addresses: Vec::new(),
            error_log: Self::LOG_BYTES,
            info_log: 0,
            time: false,
            refused: None,
        }
    }
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $option:ident;)*) => { $(
        $(#[$doc])*
        pub fn $name(self, number: u32) -> Self {
            self.with_positive(ffi::$option, number)
        }
    )* };
}

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident: $option:ident;)*) => { $(
        $(#[$doc])*
        pub fn $name(self, on: bool) -> Self {
            self.with(ffi::$option, on.into())
        }
    )* };
}

impl JitOptions {
    /// Bytes of a log, unless they are set.
    pub const LOG_BYTES: u32 = 16 * 1024;

    /// The driver's own choices, and a log of errors.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets an option once: the last value counts.
    fn with(mut self, option: CUjit_option, value: usize) -> Self {
        self.numbers.retain(|&(set, _)| set != option);
        self.numbers.push((option, value));
        self
    }

    /// As `with`. The driver divides by some of these numbers without a look, when their arithmetic has overflowed
    /// too (F283, F293).
    fn with_positive(mut self, option: CUjit_option, number: u32) -> Self {
        if number == 0 || u64::from(number) > MOST {
            self.refused =
                Some("an option of the compiler is not from 1 to 2^20, where it has to be");
        }
        self.with(option, number as usize)
    }

    // What is not from 1 to 2^20 is an error when the options are used.
    numbers! {
        /// The most registers that a thread may use; more are spilled to local memory.
        max_registers: CU_JIT_MAX_REGISTERS;
        /// The least threads of a block to compile for, which bounds the registers.
        threads_per_block: CU_JIT_THREADS_PER_BLOCK;
        /// The least blocks that a multiprocessor is to hold, which bounds the registers.
        min_blocks_per_multiprocessor: CU_JIT_MIN_CTA_PER_SM;
        /// The most threads that a block of the kernels may have.
        max_threads_per_block: CU_JIT_MAX_THREADS_PER_BLOCK;
        /// Threads that load machine code, since CUDA 13; older drivers answer `CUDA_ERROR_INVALID_VALUE`.
        loader_threads: CU_JIT_BINARY_LOADER_THREAD_COUNT;
    }

    flags! {
        /// Code for debuggers; only at optimisation level 0.
        debug_info: CU_JIT_GENERATE_DEBUG_INFO;
        /// Line numbers in the code, for profilers.
        line_info: CU_JIT_GENERATE_LINE_INFO;
        /// Optimises across what is linked; deprecated by the driver.
        link_time_optimization: CU_JIT_LTO;
        /// Flushes subnormal numbers to 0, where what is linked is optimised as one.
        flush_subnormals: CU_JIT_FTZ;
        /// Precise division, as above.
        precise_division: CU_JIT_PREC_DIV;
        /// Precise square roots, as above.
        precise_square_root: CU_JIT_PREC_SQRT;
        /// Fused multiply and add, as above.
        fused_multiply_add: CU_JIT_FMA;
        /// Leaves out device variables that no kernel uses, as above.
        drop_unused_variables: CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES;
        /// Code that may be loaded anywhere.
        position_independent: CU_JIT_POSITION_INDEPENDENT_CODE;
        /// What these options say goes before what the PTX says.
        override_directives: CU_JIT_OVERRIDE_DIRECTIVE_VALUES;
        /// Internal to NVIDIA: compiles faster. Not documented by the driver.
        fast_compile: CU_JIT_FAST_COMPILE;
        /// Internal to NVIDIA: an H200's driver refuses PTX with it. Not documented by the driver.
        new_sm3x_optimizer: CU_JIT_NEW_SM3X_OPT;
    }

    /// How much is optimised: 0 to 4, which is the driver's own choice.
    pub fn optimization_level(mut self, level: u32) -> Self {
        if level > 4 {
            self.refused = Some("the level of optimisation is more than 4");
        }
        self.with(ffi::CU_JIT_OPTIMIZATION_LEVEL, level as usize)
    }

    /// For another architecture than the context's device: for a [`Linker`](crate::Linker), and to see whether
    /// code compiles.
    pub fn target(mut self, target: JitTarget) -> Self {
        // A capability, and above it a mark of what an architecture or a family alone has.
        if target.0 > 0x3_ffff {
            self.refused =
                Some("the target of the compiler is none: take one of `ffi::CU_TARGET_…`");
        }
        self.with(ffi::CU_JIT_TARGET, target.0 as usize)
    }

    /// For the device of the context: the driver's own choice.
    pub fn target_from_context(mut self) -> Self {
        self.numbers.retain(|&(set, _)| set != ffi::CU_JIT_TARGET);
        self.with(ffi::CU_JIT_TARGET_FROM_CUCONTEXT, 0)
    }

    /// What to do where no machine code fits.
    pub fn fallback(self, fallback: JitFallback) -> Self {
        let raw = match fallback {
            JitFallback::PreferPtx => ffi::CU_PREFER_PTX,
            JitFallback::PreferBinary => ffi::CU_PREFER_BINARY,
        };
        self.with(ffi::CU_JIT_FALLBACK_STRATEGY, raw.0 as usize)
    }

    /// How loads of global memory are cached.
    pub fn cache(self, cache: JitCache) -> Self {
        let raw = match cache {
            JitCache::None => ffi::CU_JIT_CACHE_OPTION_NONE,
            JitCache::L2 => ffi::CU_JIT_CACHE_OPTION_CG,
            JitCache::L1 => ffi::CU_JIT_CACHE_OPTION_CA,
        };
        self.with(ffi::CU_JIT_CACHE_MODE, raw.0 as usize)
    }

    /// Threads that compile, 0 for as many as there are processors, and at most 1024.
    pub fn split_compile(mut self, threads: u32) -> Self {
        if threads > 1024 {
            self.refused = Some("more than 1024 threads are to compile");
        }
        self.with(ffi::CU_JIT_SPLIT_COMPILE, threads as usize)
    }

    /// Tells registers, memory and time of each kernel in the log of information.
    pub fn verbose(self) -> Self {
        let bytes = self.info_log.max(Self::LOG_BYTES);
        self.info_log(bytes).with(ffi::CU_JIT_LOG_VERBOSE, 1)
    }

    /// Bytes for the log of errors; the rest is cut off.
    pub fn error_log(mut self, bytes: u32) -> Self {
        self.error_log = bytes;
        self
    }

    /// Bytes for the log of information; the rest is cut off, and 0 is no log.
    pub fn info_log(mut self, bytes: u32) -> Self {
        self.info_log = bytes;
        self
    }

    /// Measures the time of compiler and linker.
    pub fn measure_time(mut self) -> Self {
        self.time = true;
        self
    }

    /// The kernels that are used, where what is linked is optimised as one; the others are left out.
    /// Deprecated by the driver.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a name with a NUL inside.
    pub fn referenced_kernels<N: Name>(self, names: impl IntoIterator<Item = N>) -> Result<Self> {
        self.with_names(
            ffi::CU_JIT_REFERENCED_KERNEL_NAMES,
            ffi::CU_JIT_REFERENCED_KERNEL_COUNT,
            names,
        )
    }

    /// The variables that are used, as above.
    ///
    /// # Errors
    /// As above.
    pub fn referenced_variables<N: Name>(self, names: impl IntoIterator<Item = N>) -> Result<Self> {
        let count = ffi::CU_JIT_REFERENCED_VARIABLE_COUNT;
        self.with_names(ffi::CU_JIT_REFERENCED_VARIABLE_NAMES, count, names)
    }

    /// Symbols that code refers to and that are to have these addresses.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a name with a NUL inside.
    ///
    /// # Safety
    /// 1. The addresses are what the code takes them for, as long as it is loaded.
    pub unsafe fn global_symbols<N: Name>(
        self,
        symbols: impl IntoIterator<Item = (N, *mut c_void)>,
    ) -> Result<Self> {
        let (names, addresses): (Vec<_>, Vec<_>) = symbols.into_iter().unzip();
        let (list, count) = (ffi::CU_JIT_GLOBAL_SYMBOL_NAMES, ffi::CU_JIT_GLOBAL_SYMBOL_COUNT);
        let mut options = self.with_names(list, count, names)?;
        options.addresses = addresses;
        Ok(options)
    }

    fn with_names<N: Name>(
        mut self,
        list: CUjit_option,
        count: CUjit_option,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self> {
        let owned = |name: N| Ok(name.with_nul(crate::image::LOAD)?.into_owned());
        let names = names.into_iter().map(owned).collect::<Result<Vec<_>, Error>>()?;
        self.names.retain(|(set, ..)| *set != list);
        if !names.is_empty() {
            self.names.push((list, count, names));
        }
        Ok(self)
    }
}
