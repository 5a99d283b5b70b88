//! Copies between streams of different contexts and devices.
#![allow(unsafe_code, reason = "enqueues copies")]

use super::{Ordered, OrderedSource, OrderedStream};
use crate::error::{Error, Result};
use crate::memory::{DeviceMemoryMut, Element};
use crate::ops::{CopyPeer, Operation};
use crate::registry::LentHost;

/// # Copies between devices
impl OrderedStream {
    /// Copies memory of another ordered stream, usually of another context or device, to memory of this stream.
    ///
    /// The copy comes behind all work that is in the other stream, and later work there comes behind the copy: its
    /// memory can be written, dropped or copied again at once. [Shared](crate::SharedBuffer) memory orders only the
    /// first copy. Peer access is not needed ([`SyncStream::copy_from_peer`](crate::SyncStream::copy_from_peer)).
    ///
    /// # Errors
    /// The errors of [`copy`](Self::copy).
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device};
    /// # fn main() -> cuscope::Result {
    /// let contexts = [0, 1].map(|ordinal| Context::primary(Device::get(ordinal % Device::count()?)?));
    /// let [a, b] = contexts;
    /// let (a, b) = (a?, b?);
    /// let mut stack = ContextStack::current_thread()?;
    /// let mut outer = stack.push(&a)?;
    /// let first = outer.ordered_stream()?;
    /// let x = first.from_slice(&[1_u32, 2, 3])?;
    /// let gpu = outer.push(&b)?; // covers the guard of `a`, not its stream
    /// let second = gpu.ordered_stream()?;
    /// let mut y = second.alloc(3)?;
    /// second.copy_from_peer(&x, &mut y)?; // returns at once
    /// drop(x); // freed behind the copy
    /// assert_eq!(second.to_vec(&y)?, [1, 2, 3]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuMemcpyPeerAsync")]
    #[doc(alias = "cuMemcpy3DPeerAsync")]
    #[doc(alias = "cuStreamWaitEvent")]
    pub fn copy_from_peer<T: Element, M: DeviceMemoryMut<'static, T>>(
        &self,
        from: &impl OrderedSource<T>,
        to: &mut Ordered<M>,
    ) -> Result {
        let from = from.read();
        let copy = CopyPeer::from_peer(from, to.used(true));
        self.check(&copy)?;
        if copy.is_empty() {
            return Ok(());
        }
        let Some(owner) = from.memory().and_then(|memory| memory.home()) else {
            return Err(Error::OtherStream { call: copy.call() });
        };
        match from.readers() {
            // The last owner frees it behind the streams that read it.
            Some(readers) => readers.add(Some(owner), &self.home)?,
            None => self.home.follow(owner)?,
        }
        // SAFETY: 1. As above. 2. Both are borrowed as they are used. This stream comes behind all uses of the source. What comes
        // next in the source's stream comes behind the copy, or the copy is waited for, as below; or nobody writes the
        // source, and it is freed behind its readers.
        let copied = unsafe { self.enqueue(&copy) };
        // Also behind an error, which does not prove that nothing was enqueued.
        let ordered = if from.readers().is_none() { owner.follow(&self.home) } else { Ok(()) };
        if ordered.is_err() {
            // A stream that cannot be waited for ends the process.
            let _waited = self.blocking().complete(Ok(()), LentHost::NONE);
        }
        copied.and(ordered)
    }
}
