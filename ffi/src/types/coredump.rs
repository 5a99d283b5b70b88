//! Core dumps of the device.

use crate::CUdevice;
use core::ffi::{c_int, c_uint, c_void};

enumeration! {
    /// Settings of core dumps.
    pub enum CUcoredumpSettings: c_uint {
        /// Whether an error of the device makes one: a `bool`.
        CU_COREDUMP_ENABLE_ON_EXCEPTION = 1,
        /// Whether the host makes one as well: a `bool`.
        CU_COREDUMP_TRIGGER_HOST = 2,
        /// Whether it leaves memory out: a `bool`.
        CU_COREDUMP_LIGHTWEIGHT = 3,
        /// Whether the program can trigger one: a `bool`.
        CU_COREDUMP_ENABLE_USER_TRIGGER = 4,
        /// The name of the file.
        CU_COREDUMP_FILE = 5,
        /// The name of the pipe that triggers one.
        CU_COREDUMP_PIPE = 6,
        /// Its contents: [`CUCoredumpGenerationFlags`].
        CU_COREDUMP_GENERATION_FLAGS = 7,
        // skipped CU_COREDUMP_MAX: counts the names above, differently in every header
    }
    /// Parts that a core dump leaves out.
    pub enum CUCoredumpGenerationFlags: c_int {
        /// Nothing.
        CU_COREDUMP_DEFAULT_FLAGS = 0,
        /// The images before relocation.
        CU_COREDUMP_SKIP_NONRELOCATED_ELF_IMAGES = 1,
        /// Global memory.
        CU_COREDUMP_SKIP_GLOBAL_MEMORY = 2,
        /// Shared memory.
        CU_COREDUMP_SKIP_SHARED_MEMORY = 4,
        /// Local memory.
        CU_COREDUMP_SKIP_LOCAL_MEMORY = 8,
        /// The program goes on: it is not aborted.
        CU_COREDUMP_SKIP_ABORT = 0x10,
        /// Constant memory.
        CU_COREDUMP_SKIP_CONSTBANK_MEMORY = 0x20,
        /// Nothing: the file is compressed.
        CU_COREDUMP_GZIP_COMPRESS = 0x40,
        /// Contexts without an error.
        CU_COREDUMP_FAULTED_CONTEXTS_ONLY = 0x80,
        /// Tensor memory.
        CU_COREDUMP_SKIP_TENSOR_MEMORY = 0x100,
        /// Nothing: warps that failed may exit, which costs less time.
        CU_COREDUMP_NO_ERRBAR_AT_EXIT = 0x40000000,
        /// Everything: only the log is written.
        CU_COREDUMP_LOG_ONLY = 1 << 31,
        /// All that a lightweight core dump does.
        CU_COREDUMP_LIGHTWEIGHT_FLAGS = 0x12f,
    }
}

/// Is told that a core dump begins or is finished.
pub type CUcoredumpStatusCallback =
    Option<unsafe extern "C" fn(userData: *mut c_void, pid: c_int, dev: CUdevice)>;
