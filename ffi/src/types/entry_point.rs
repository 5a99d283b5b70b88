//! Finding functions of the driver at run time.

use core::ffi::c_uint;

flags! {
    /// Which form of a function is looked up.
    pub struct CUdriverProcAddress_flags: c_uint {
        /// The form that the program would get by compiling.
        const CU_GET_PROC_ADDRESS_DEFAULT = 0;
        /// That with the legacy default stream.
        const CU_GET_PROC_ADDRESS_LEGACY_STREAM = 1;
        /// That with the default stream of each thread.
        const CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM = 2;
    }
}

enumeration! {
    /// The outcome of a look-up.
    pub enum CUdriverProcAddressQueryResult: c_uint {
        /// It was found.
        CU_GET_PROC_ADDRESS_SUCCESS = 0,
        /// The driver does not have it.
        CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
        /// The version that was asked for does not have it.
        CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2,
    }
}
