//! Work of other libraries that is complete when it returns.
#![allow(unsafe_code, reason = "hands addresses to foreign code")]

use super::SyncStream;
use crate::args::ForeignArgs;
use crate::call::same_context;
use crate::error::Result;
use crate::registry::LentHost;
use ffi::CUstream;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// # Foreign work
impl<'ctx> SyncStream<'_, 'ctx> {
    /// Lets other code, such as cuBLAS, enqueue work in the stream, and waits for it.
    ///
    /// `work` receives the stream, and what a kernel would receive for the arguments: addresses for memory, and plain
    /// values themselves. Its result is returned. Memory among the arguments is given as for
    /// [`launch_unchecked`](Self::launch_unchecked). If `work` panics, the panic continues after the wait.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext): `work` is not called then. A sticky error
    /// ([F60](crate::driver_facts#F60)) of the wait.
    ///
    /// # Safety
    /// 1. `work` enqueues in this stream, and in other streams only work that this stream waits for before `work`
    ///    returns. It does not capture the stream.
    /// 2. Its work uses memory of this crate only through the arguments, inside the buffers, and writes only `&mut`
    ///    ones. It keeps no address.
    /// 3. It leaves the thread's stack of contexts and its capture mode as they were.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device, ffi};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// # let stream = gpu.stream()?;
    /// let mut x = gpu.alloc::<u32>(4)?;
    /// // SAFETY: 1. to 3. The work is one fill of the buffer, in the stream.
    /// let code = unsafe {
    ///     gpu.on(&stream).foreign((&mut x,), |stream, (x,)| ffi::cuMemsetD32Async(x, 7, 4, stream))
    /// }?;
    /// assert_eq!(code, ffi::CUDA_SUCCESS);
    /// assert_eq!(gpu.on(&stream).to_vec(&x)?, [7; 4]);
    /// # Ok(()) }
    /// ```
    pub unsafe fn foreign<A: ForeignArgs<'ctx>, R>(
        &self,
        args: A,
        work: impl FnOnce(CUstream, A::Parameters) -> R,
    ) -> Result<R> {
        same_context("SyncStream::foreign", args.all_of(self.context().key()))?;
        let host = if args.any_host() { LentHost::ANY } else { LentHost::NONE };
        let worked = catch_unwind(AssertUnwindSafe(|| work(self.raw(), args.parameters())));
        let waited = self.wait_for(host);
        match worked {
            Ok(result) => waited.map(|()| result),
            Err(panic) => resume_unwind(panic),
        }
    }
}
