//! The access of a context to the memory of another one.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::context::Context;
use crate::error::Result;
use crate::stack::PushedGuard;

/// # Access to memory of other devices
impl PushedGuard<'_> {
    /// Lets this context access the memory of a context on another device.
    ///
    /// Kernels of all contexts of this device may then load and store the other context's memory, also memory that is
    /// allocated later, but not that of pools ([F256](crate::driver_facts#F256)):
    /// [`MemoryPool::set_access`](crate::MemoryPool::set_access) gives access to these. The access goes one way. It
    /// lasts until [`disable_peer_access`](Self::disable_peer_access), or until one of the contexts ends.
    ///
    /// A kernel takes memory of its own context as a buffer, and memory of another one by its
    /// [address](crate::DeviceBuffer::address), a number. The `unsafe` of the launch covers what it does there. Copies
    /// such as [`SyncStream::copy_from_peer`](crate::SyncStream::copy_from_peer) work without access. With access, the
    /// driver does not stage them in host memory.
    ///
    /// # Errors
    /// `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED` if it has access ([F83](crate::driver_facts#F83));
    /// `CUDA_ERROR_PEER_ACCESS_UNSUPPORTED` for a context of the same device, and for a device that
    /// [cannot access](crate::Device::can_access_peer) the other one ([F256](crate::driver_facts#F256));
    /// `CUDA_ERROR_TOO_MANY_PEERS`; [`NotCurrent`](crate::Error::NotCurrent).
    ///
    /// # Examples
    /// ```
    /// use cuscope::{Context, ContextStack, Device};
    ///
    /// # fn main() -> cuscope::Result {
    /// let contexts: Vec<_> = Device::all()?.into_iter().map(Context::primary).collect::<Result<_, _>>()?;
    /// let mut stack = ContextStack::current_thread()?;
    /// if let [first, second, ..] = &contexts[..] {
    ///     let gpu = stack.push(first)?;
    ///     if gpu.device().can_access_peer(second.device())? {
    ///         gpu.enable_peer_access(second)?; // kernels of the first device reach the second one
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuCtxEnablePeerAccess")]
    #[doc(alias = "cudaDeviceEnablePeerAccess")]
    #[inline]
    pub fn enable_peer_access(&self, peer: &Context) -> Result {
        self.enter(name!(cuCtxEnablePeerAccess))?;
        // SAFETY: the peer is alive; acts on the current context, which `enter` found to be the guard's. The flags
        // must be 0.
        unsafe { answer!(cuCtxEnablePeerAccess(peer.raw(), 0)) }.result()
    }

    /// Ends the access that [`enable_peer_access`](Self::enable_peer_access) gave.
    ///
    /// A kernel that still uses the other context's memory may fault ([F345](crate::driver_facts#F345)), which costs the
    /// process its GPUs ([F85](crate::driver_facts#F85)). Its stores reach no other memory: the addresses of an
    /// allocation belong to it until it is freed. Copies between the contexts go on.
    ///
    /// # Errors
    /// `CUDA_ERROR_PEER_ACCESS_NOT_ENABLED` if it has no access ([F83](crate::driver_facts#F83));
    /// [`NotCurrent`](crate::Error::NotCurrent).
    #[doc(alias = "cuCtxDisablePeerAccess")]
    #[inline]
    pub fn disable_peer_access(&self, peer: &Context) -> Result {
        self.enter(name!(cuCtxDisablePeerAccess))?;
        // SAFETY: the peer is alive; acts on the current context, which `enter` found to be the guard's.
        unsafe { answer!(cuCtxDisablePeerAccess(peer.raw())) }.result()
    }
}
