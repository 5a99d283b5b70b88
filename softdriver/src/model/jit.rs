//! The options of compiler and linker, and the logs that they ask for (F282, F283).
#![allow(unsafe_code, reason = "none of its own: what it writes goes through `entry`")]

use crate::entry;
use crate::entry::Answer;
use core::ffi::{c_char, c_uint, c_void};
use cuscope_ptx as ptx;
use cuscope_sys::*;
use std::fmt::Write as _;

/// The number of options that the compiler has.
const OPTIONS: c_uint = 35;

/// Options that are known, and the buffers for what the compiler says.
pub(crate) struct Logs {
    errors: Log,
    info: Log,
    verbose: bool,
    time: Option<*mut *mut c_void>,
    /// Code for debuggers, and the level of optimisation: the two exclude each other.
    debug: bool,
    level: usize,
    /// An option that PTX is refused with.
    refuses: bool,
    /// Whether the target is none.
    wrong_target: bool,
    /// The most registers of a thread.
    max_registers: Option<u32>,
}

// SAFETY: the pointers are the caller's, who promises that they are good until the last call with them.
unsafe impl Send for Logs {}
// SAFETY: as for `Send`.
unsafe impl Sync for Logs {}

impl Default for Logs {
    fn default() -> Self {
        let (errors, info) = (Log::default(), Log::default());
        Self {
            errors,
            info,
            verbose: false,
            time: None,
            debug: false,
            level: 0,
            refuses: false,
            wrong_target: false,
            max_registers: None,
        }
    }
}

/// One buffer; it may be given more than once.
#[derive(Default)]
struct Log {
    buffer: Option<*mut c_char>,
    size: usize,
    /// Where the number of bytes goes.
    written: Option<*mut *mut c_void>,
}

impl Logs {
    /// Reads the options, the target among them.
    pub(crate) fn new(
        count: c_uint,
        options: *const CUjit_option,
        values: *mut *mut c_void,
    ) -> Answer<Self> {
        let logs = Self::read(count, options, values)?;
        logs.target()?;
        Ok(logs)
    }

    /// Whether the target that was asked for is one.
    pub(crate) fn target(&self) -> Answer {
        if self.wrong_target { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
    }

    /// Reads the options; those that change nothing here are looked at, and ignored. For a library, the target is looked at
    /// when it is compiled.
    pub(crate) fn read(
        count: c_uint,
        options: *const CUjit_option,
        values: *mut *mut c_void,
    ) -> Answer<Self> {
        let mut logs = Self::default();
        for i in 0..count as usize {
            let value = entry::element(values, i)?;
            // A number in place of a pointer: its low 32 bits.
            let number = value.addr() as c_uint as usize;
            let slot = values.wrapping_add(i);
            let good = match entry::element(options, i)? {
                CUjit_option(OPTIONS..) => false,
                CU_JIT_ERROR_LOG_BUFFER => {
                    logs.errors.buffer = Some(value.cast());
                    true
                }
                CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES => {
                    (logs.errors.size, logs.errors.written) = (number, Some(slot));
                    true
                }
                CU_JIT_INFO_LOG_BUFFER => {
                    logs.info.buffer = Some(value.cast());
                    true
                }
                CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES => {
                    (logs.info.size, logs.info.written) = (number, Some(slot));
                    true
                }
                CU_JIT_LOG_VERBOSE => {
                    logs.verbose = number != 0;
                    true
                }
                CU_JIT_WALL_TIME => {
                    logs.time = Some(slot);
                    true
                }
                CU_JIT_GENERATE_DEBUG_INFO => {
                    logs.debug = number != 0;
                    true
                }
                CU_JIT_OPTIMIZATION_LEVEL => {
                    logs.level = number;
                    true
                }
                CU_JIT_NEW_SM3X_OPT => {
                    logs.refuses = number != 0;
                    true
                }
                CU_JIT_MAX_REGISTERS => {
                    logs.max_registers = u32::try_from(number).ok();
                    number != 0
                }
                // The real driver dies of it (F283).
                CU_JIT_THREADS_PER_BLOCK => number != 0,
                CU_JIT_CACHE_MODE => number <= CU_JIT_CACHE_OPTION_CA.0 as usize,
                CU_JIT_GLOBAL_SYMBOL_NAMES
                | CU_JIT_GLOBAL_SYMBOL_ADDRESSES
                | CU_JIT_REFERENCED_KERNEL_NAMES
                | CU_JIT_REFERENCED_VARIABLE_NAMES => !value.is_null(),
                CU_JIT_GLOBAL_SYMBOL_COUNT => number != 0,
                CU_JIT_TARGET => {
                    logs.wrong_target = !known_target(number);
                    true
                }
                _ => true,
            };
            if !good {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
        }
        Ok(logs)
    }

    /// The most registers of a thread, for kernels that do not say it themselves (F536).
    pub(crate) fn max_registers(&self) -> Option<u32> {
        self.max_registers
    }

    /// Whether PTX is refused with these options, whatever it is.
    pub(crate) fn refuse_ptx(&self) -> bool {
        self.refuses || (self.debug && self.level > 0)
    }

    /// Writes the log of errors, and an empty one of information.
    pub(crate) fn write(&self, log: &str) {
        self.errors.fill(log);
        self.info.fill("");
        self.took();
    }

    /// Writes an empty log of errors, and what there is to tell about code if that was asked for.
    pub(crate) fn succeeded(&self, code: Option<&ptx::Module>) {
        self.errors.fill("");
        let text = code.filter(|_| self.verbose).map(information).unwrap_or_default();
        self.info.fill(text.trim_end());
        self.took();
    }

    /// Milliseconds as the bits of an `f32`: what an assembler would need at least.
    fn took(&self) {
        if let Some(slot) = self.time {
            let bits = 0.001_f32.to_bits() as usize;
            entry::write_optional(slot, std::ptr::without_provenance_mut(bits));
        }
    }
}

/// Whether the number stands for an architecture.
fn known_target(number: usize) -> bool {
    // Those with what an architecture or family alone has are marked above.
    let number = number & 0xffff;
    matches!(number, 30..=37 | 50..=53 | 60..=62 | 70..=75 | 80..=90 | 100..=121)
}

/// The assembler's text if it is to be verbose.
fn information(code: &ptx::Module) -> String {
    let bytes: usize = code.globals.iter().map(|variable| variable.size).sum();
    let mut text = format!("ptxas info    : {bytes} bytes gmem\n");
    for kernel in &code.kernels {
        let (name, registers) = (&kernel.name, kernel.registers);
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "ptxas info    : Compiling entry function '{name}' for 'sm_90a'\n\
             ptxas info    : Function properties for {name}\n\
             ptxas         .     {} bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
             ptxas info    : Used {registers} registers, used 0 barriers",
            kernel.local_bytes
        );
    }
    text
}

impl Log {
    /// Writes a log, cut off to its buffer with the NUL, and its length or that of the buffer.
    fn fill(&self, log: &str) {
        let taken = match self.buffer {
            Some(buffer) if self.size > 0 && !buffer.is_null() => {
                let taken = log.len().min(self.size - 1);
                for (i, byte) in log.bytes().take(taken).chain([0]).enumerate() {
                    entry::write_optional(buffer.wrapping_add(i), byte as c_char);
                }
                if self.size == 1 { 0 } else { log.len().min(self.size) }
            }
            _ => 0,
        };
        if let Some(slot) = self.written {
            entry::write_optional(slot, std::ptr::without_provenance_mut(taken));
        }
    }
}
