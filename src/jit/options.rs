//! Compiler options for PTX.
#![allow(unsafe_code, reason = "a setter whose addresses the driver trusts is unsafe")]

use crate::error::{Error, Result};
use crate::image::MOST;
use crate::name::Text;
use ffi::{CUjit_option, CUjit_target};
use std::ffi::{CString, c_void};

/// A target to compile for. The constants are in [`ffi`], such as [`ffi::CU_TARGET_COMPUTE_90`].
pub type JitTarget = CUjit_target;

/// The fallback if no machine code fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JitFallback {
    /// Compile PTX.
    PreferPtx,
    /// Use compatible machine code.
    PreferBinary,
}

/// The caching of loads from global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JitCache {
    /// As the instructions specify.
    None,
    /// In L2 only.
    L2,
    /// In L1 too.
    L1,
}

/// Options of the driver's compiler and linker: a builder.
///
/// The driver chooses the options that you do not set. Machine code is loaded unchanged, whatever the options
/// are.
///
/// # Examples
/// ```
/// # use cuscope::jit::JitOptions;
/// let options = JitOptions::new().optimization_level(3).max_registers(64).line_info(true).verbose();
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct JitOptions {
    /// Options with a number.
    pub(super) numbers: Vec<(CUjit_option, usize)>,
    /// Options with a list of names, followed by the option with their number.
    pub(super) names: Vec<(CUjit_option, CUjit_option, Vec<CString>)>,
    /// The addresses of global symbols, one for each name.
    pub(super) addresses: Vec<*mut c_void>,
    pub(super) error_log: u32,
    pub(super) info_log: u32,
    pub(super) time: bool,
    /// The reason to refuse the options before the driver sees them.
    pub(super) refused: Option<&'static str>,
}

// SAFETY: the addresses are numbers to this crate, which never follows them.
unsafe impl Send for JitOptions {}
// SAFETY: as for `Send`.
unsafe impl Sync for JitOptions {}

impl Default for JitOptions {
    #[inline]
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
        #[inline]
        pub fn $name(self, number: u32) -> Self {
            self.with_positive(ffi::$option, number)
        }
    )* };
}

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident: $option:ident;)*) => { $(
        $(#[$doc])*
        #[inline]
        pub fn $name(self, on: bool) -> Self {
            self.with(ffi::$option, on.into())
        }
    )* };
}

impl JitOptions {
    /// The default size of a log in bytes.
    pub const LOG_BYTES: u32 = 16 * 1024;

    /// Creates the driver's default options, with a log of errors.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets an option. The last value counts.
    #[inline]
    fn with(mut self, option: CUjit_option, value: usize) -> Self {
        self.numbers.retain(|&(set, _)| set != option);
        self.numbers.push((option, value));
        self
    }

    /// Sets an option to a positive number. The driver divides by some of these numbers without a check, also
    /// after their arithmetic has overflowed ([F283](crate::driver_facts#F283),
    /// [F293](crate::driver_facts#F293)).
    #[inline]
    fn with_positive(mut self, option: CUjit_option, number: u32) -> Self {
        if number == 0 || u64::from(number) > MOST {
            self.refused = Some("a compiler option is out of range: use a number from 1 to 2^20");
        }
        self.with(option, number as usize)
    }

    // A value outside 1 to 2^20 is an error when the options are used.
    numbers! {
        /// Sets the maximum number of registers of a thread. Further registers are spilled to local memory.
        max_registers: CU_JIT_MAX_REGISTERS;
        /// Sets the minimum number of threads per block to compile for, which limits the registers.
        threads_per_block: CU_JIT_THREADS_PER_BLOCK;
        /// Sets the minimum number of blocks that a multiprocessor must hold, which limits the registers.
        min_blocks_per_multiprocessor: CU_JIT_MIN_CTA_PER_SM;
        /// Sets the maximum number of threads per block of the kernels.
        max_threads_per_block: CU_JIT_MAX_THREADS_PER_BLOCK;
        /// Sets the number of threads that load machine code. Drivers before CUDA 13 return
        /// `CUDA_ERROR_INVALID_VALUE`.
        loader_threads: CU_JIT_BINARY_LOADER_THREAD_COUNT;
    }

    flags! {
        /// Generates code for debuggers. Only at optimisation level 0.
        debug_info: CU_JIT_GENERATE_DEBUG_INFO;
        /// Adds line numbers to the code, for profilers.
        line_info: CU_JIT_GENERATE_LINE_INFO;
        /// Optimises across the linked code. Deprecated by the driver.
        link_time_optimization: CU_JIT_LTO;
        /// Flushes subnormal numbers to 0, for link-time optimisation.
        flush_subnormals: CU_JIT_FTZ;
        /// Uses precise division, for link-time optimisation.
        precise_division: CU_JIT_PREC_DIV;
        /// Uses precise square roots, for link-time optimisation.
        precise_square_root: CU_JIT_PREC_SQRT;
        /// Uses fused multiply-add, for link-time optimisation.
        fused_multiply_add: CU_JIT_FMA;
        /// Omits device variables that no kernel uses, for link-time optimisation.
        drop_unused_variables: CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES;
        /// Generates position-independent code.
        position_independent: CU_JIT_POSITION_INDEPENDENT_CODE;
        /// Lets these options override the directives in the PTX.
        override_directives: CU_JIT_OVERRIDE_DIRECTIVE_VALUES;
        /// Compiles faster. Internal to NVIDIA, and not documented by the driver.
        fast_compile: CU_JIT_FAST_COMPILE;
        /// Internal to NVIDIA, and not documented by the driver. An H200's driver refuses PTX with it.
        new_sm3x_optimizer: CU_JIT_NEW_SM3X_OPT;
    }

    /// Sets the optimisation level, 0 to 4. The driver's default is 4.
    #[inline]
    pub fn optimization_level(mut self, level: u32) -> Self {
        if level > 4 {
            self.refused = Some("the optimisation level is greater than 4: use 0 to 4");
        }
        self.with(ffi::CU_JIT_OPTIMIZATION_LEVEL, level as usize)
    }

    /// Compiles for another architecture than that of the context's device. Use it for a
    /// [`Linker`](crate::Linker), or to test whether code compiles.
    #[inline]
    pub fn target(mut self, target: JitTarget) -> Self {
        // A compute capability, and above it a mark of features that only one architecture or family has.
        if target.0 > 0x3_ffff {
            self.refused = Some("the compiler has no such target: use one of `ffi::CU_TARGET_…`");
        }
        self.with(ffi::CU_JIT_TARGET, target.0 as usize)
    }

    /// Compiles for the device of the context. This is the driver's default.
    #[inline]
    pub fn target_from_context(mut self) -> Self {
        self.numbers.retain(|&(set, _)| set != ffi::CU_JIT_TARGET);
        self.with(ffi::CU_JIT_TARGET_FROM_CUCONTEXT, 0)
    }

    /// Sets the fallback if no machine code fits.
    #[inline]
    pub fn fallback(self, fallback: JitFallback) -> Self {
        let raw = match fallback {
            JitFallback::PreferPtx => ffi::CU_PREFER_PTX,
            JitFallback::PreferBinary => ffi::CU_PREFER_BINARY,
        };
        self.with(ffi::CU_JIT_FALLBACK_STRATEGY, raw.0 as usize)
    }

    /// Sets the caching of loads from global memory.
    #[inline]
    pub fn cache(self, cache: JitCache) -> Self {
        let raw = match cache {
            JitCache::None => ffi::CU_JIT_CACHE_OPTION_NONE,
            JitCache::L2 => ffi::CU_JIT_CACHE_OPTION_CG,
            JitCache::L1 => ffi::CU_JIT_CACHE_OPTION_CA,
        };
        self.with(ffi::CU_JIT_CACHE_MODE, raw.0 as usize)
    }

    /// Sets the number of threads that compile, at most 1024. 0 means one for each processor.
    #[inline]
    pub fn split_compile(mut self, threads: u32) -> Self {
        if threads > 1024 {
            self.refused = Some("the compiler would use more than 1024 threads: use fewer");
        }
        self.with(ffi::CU_JIT_SPLIT_COMPILE, threads as usize)
    }

    /// Writes registers, memory and time of each kernel to the log of information.
    #[inline]
    pub fn verbose(self) -> Self {
        let bytes = self.info_log.max(Self::LOG_BYTES);
        self.info_log(bytes).with(ffi::CU_JIT_LOG_VERBOSE, 1)
    }

    /// Sets the size of the log of errors in bytes. The driver cuts off the rest.
    #[inline]
    pub fn error_log(mut self, bytes: u32) -> Self {
        self.error_log = bytes;
        self
    }

    /// Sets the size of the log of information in bytes. The driver cuts off the rest, and 0 means no log.
    #[inline]
    pub fn info_log(mut self, bytes: u32) -> Self {
        self.info_log = bytes;
        self
    }

    /// Measures the time of the compiler and linker.
    #[inline]
    pub fn measure_time(mut self) -> Self {
        self.time = true;
        self
    }

    /// Sets the kernels that are used, for link-time optimisation. The others are omitted. Deprecated by the
    /// driver.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a name that contains a NUL.
    pub fn referenced_kernels<N: Text>(self, names: impl IntoIterator<Item = N>) -> Result<Self> {
        self.with_names(
            ffi::CU_JIT_REFERENCED_KERNEL_NAMES,
            ffi::CU_JIT_REFERENCED_KERNEL_COUNT,
            names,
        )
    }

    /// Sets the variables that are used, for link-time optimisation. See
    /// [`referenced_kernels`](Self::referenced_kernels).
    ///
    /// # Errors
    /// The errors of [`referenced_kernels`](Self::referenced_kernels).
    pub fn referenced_variables<N: Text>(self, names: impl IntoIterator<Item = N>) -> Result<Self> {
        let count = ffi::CU_JIT_REFERENCED_VARIABLE_COUNT;
        self.with_names(ffi::CU_JIT_REFERENCED_VARIABLE_NAMES, count, names)
    }

    /// Sets the addresses of symbols that the code refers to.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a name that contains a NUL.
    ///
    /// # Safety
    /// 1. The addresses point to objects of the kind that the code expects, as long as it is loaded.
    pub unsafe fn global_symbols<N: Text>(
        self,
        symbols: impl IntoIterator<Item = (N, *mut c_void)>,
    ) -> Result<Self> {
        let (names, addresses): (Vec<_>, Vec<_>) = symbols.into_iter().unzip();
        let (list, count) = (ffi::CU_JIT_GLOBAL_SYMBOL_NAMES, ffi::CU_JIT_GLOBAL_SYMBOL_COUNT);
        let mut options = self.with_names(list, count, names)?;
        options.addresses = addresses;
        Ok(options)
    }

    fn with_names<N: Text>(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_has_the_number_of_the_driver() {
        let all = JitOptions::new()
            .max_registers(1)
            .threads_per_block(1)
            .optimization_level(1)
            .target_from_context()
            .fallback(JitFallback::PreferBinary)
            .debug_info(true)
            .line_info(true)
            .cache(JitCache::L1)
            .new_sm3x_optimizer(true)
            .fast_compile(true)
            .link_time_optimization(true)
            .flush_subnormals(true)
            .precise_division(true)
            .precise_square_root(true)
            .fused_multiply_add(true)
            .drop_unused_variables(true)
            .position_independent(true)
            .min_blocks_per_multiprocessor(1)
            .max_threads_per_block(1)
            .override_directives(true)
            .split_compile(1)
            .loader_threads(1)
            .verbose();
        let mut numbers: Vec<u32> = all.numbers.iter().map(|(option, _)| option.0).collect();
        numbers.sort_unstable();
        let own = [
            0, 1, 7, 8, 10, 11, 12, 13, 14, 15, 16, 20, 21, 22, 23, 24, 29, 30, 31, 32, 33, 34, 35,
        ];
        assert_eq!(numbers, own);
        let set = |options: JitOptions| options.numbers[0].1;
        let caches = [JitCache::None, JitCache::L2, JitCache::L1];
        assert_eq!(caches.map(|cache| set(JitOptions::new().cache(cache))), [0, 1, 2]);
        let fallbacks = [JitFallback::PreferPtx, JitFallback::PreferBinary];
        assert_eq!(fallbacks.map(|one| set(JitOptions::new().fallback(one))), [0, 1]);
        let target = JitOptions::new().target(ffi::CU_TARGET_COMPUTE_90);
        assert_eq!((target.numbers[0].0.0, target.numbers[0].1), (9, 90));
        assert_eq!(target.target_from_context().numbers.len(), 1, "the other one is gone");
        let names = JitOptions::new().referenced_kernels(["a"]).unwrap();
        let names = names.referenced_variables(["b"]).unwrap().names;
        let names: Vec<_> = names.iter().map(|(list, count, _)| (list.0, count.0)).collect();
        assert_eq!(names, [(25, 26), (27, 28)]);
        let at = std::ptr::without_provenance_mut::<c_void>;
        // SAFETY: no code is loaded with them.
        let symbols = unsafe { JitOptions::new().global_symbols([("a", at(8)), ("b", at(16))]) };
        let symbols = symbols.unwrap();
        let (list, count, names) = &symbols.names[0];
        assert_eq!((list.0, count.0, names.len()), (17, 19, 2));
        assert_eq!(symbols.addresses, [at(8), at(16)]);
    }
}
