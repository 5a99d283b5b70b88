//! Work of other libraries, in a scope.
#![allow(unsafe_code, reason = "hands addresses to foreign code")]

use super::ScopedStream;
use crate::args::ForeignArgs;
use crate::error::Result;
use crate::memory::InScope;
use ffi::CUstream;

impl<'s, 'ctx> ScopedStream<'s, 'ctx> {
    /// Lets other code, such as cuBLAS, enqueue work in the stream.
    ///
    /// `work` receives the stream, and what a kernel would receive for the arguments: addresses for memory, and plain
    /// values themselves. Its result is returned. Memory among the arguments is given as for
    /// [`launch_unchecked`](Self::launch_unchecked), and orders the work as it orders a launch.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); a driver error. `work` is not called then.
    ///
    /// # Safety
    /// 1. `work` enqueues in this stream, and in other streams only work that this stream waits for before `work`
    ///    returns. It does not capture the stream.
    /// 2. Its work uses memory of this crate only through the arguments, inside the buffers, and writes only `&mut`
    ///    ones. It keeps no address.
    /// 3. It leaves the thread's stack of contexts and its capture mode as they were.
    /// 4. It calls no operation of this scope: the work of `work` would not be ordered apart from later ones.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device, ffi};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let (one, two) = (gpu.stream()?, gpu.stream()?);
    /// let (mut x, mut y) = (gpu.alloc::<u32>(4)?, gpu.alloc::<u32>(4)?);
    /// gpu.scope(|s| {
    ///     let (mut x, mut y) = (s.hold(&mut x), s.hold(&mut y));
    ///     // SAFETY: 1. to 4. The work is one fill of the buffer, in the stream.
    ///     let code = unsafe {
    ///         s.on(&one).foreign((&mut x, 7_u32), |stream, (x, value)| ffi::cuMemsetD32Async(x, value, 4, stream))
    ///     }?;
    ///     assert_eq!(code, ffi::CUDA_SUCCESS);
    ///     s.on(&two).copy(&x, &mut y) // behind the fill
    /// })?;
    /// assert_eq!(gpu.on(&one).to_vec(&y)?, [7; 4]);
    /// # Ok(()) }
    /// ```
    pub unsafe fn foreign<A: ForeignArgs<'ctx, InScope<'s>>, R>(
        &self,
        args: A,
        work: impl FnOnce(CUstream, A::Parameters) -> R,
    ) -> Result<R> {
        if args.any_host() {
            self.lend_host();
        }
        if !args.all_ready(self.fast_path) {
            args.with_accesses(|accesses| self.prepare("ScopedStream::foreign", accesses))?;
        }
        Ok(work(self.raw, args.parameters()))
    }
}
