//! How a copy is made.

ffi::flags! {
    /// How the driver makes a copy, such as one of [`SyncStream::copy_with`](crate::SyncStream::copy_with).
    #[derive(Default)]
    pub struct CopyFlags: u32 {
        /// So that it overlaps with kernels, if possible: by an engine for copies instead of the multiprocessors. A hint,
        /// which changes no result.
        const PREFER_OVERLAP_WITH_COMPUTE = ffi::CUmemcpyFlags::CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE.bits();
    }
}
