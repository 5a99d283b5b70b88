//! Work of other libraries.
#![allow(unsafe_code, reason = "hands addresses to foreign code")]

use super::OrderedStream;
use crate::args::ForeignArgs;
use crate::error::Result;
use crate::memory::InOrder;
use ffi::CUstream;

/// # Foreign work
impl OrderedStream {
    /// Lets other code, such as cuBLAS, enqueue work in the stream.
    ///
    /// `work` receives the stream, and what a kernel would receive for the arguments: addresses for memory, and plain
    /// values themselves. Its result is returned. Memory among the arguments is `&memory` to read and `&mut memory` to
    /// write, as for [`launch_unchecked`](Self::launch_unchecked). The work is ordered as the operations of the stream are.
    ///
    /// # Errors
    /// [`OtherStream`](crate::Error::OtherStream) for memory of another stream. `work` is not called then.
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
    /// let ordered = gpu.ordered_stream()?;
    /// let mut x = ordered.zeroed::<u32>(4)?;
    /// // SAFETY: 1. to 3. The work is one fill of half of the buffer, in the stream.
    /// let code = unsafe {
    ///     ordered.foreign((&mut x, 7_u32), |stream, (x, value)| ffi::cuMemsetD32Async(x, value, 2, stream))
    /// }?;
    /// assert_eq!(code, ffi::CUDA_SUCCESS);
    /// assert_eq!(ordered.to_vec(&x)?, [7, 7, 0, 0]);
    /// # Ok(()) }
    /// ```
    pub unsafe fn foreign<A: ForeignArgs<'static, InOrder>, R>(
        &self,
        args: A,
        work: impl FnOnce(CUstream, A::Parameters) -> R,
    ) -> Result<R> {
        self.admit_all("OrderedStream::foreign", &args)?;
        Ok(work(self.home.raw(), args.parameters()))
    }
}
