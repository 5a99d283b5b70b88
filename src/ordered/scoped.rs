//! Memory that belongs to a stream, inside scopes and captures.

use super::Ordered;
use crate::error::Result;
use crate::graph::Capture;
use crate::memory::Element;
use crate::scope::hold::Key;
use crate::scope::hold::sealed::Target;
use crate::scope::{Holdable, Scope};

impl<'s> Scope<'s, '_, '_> {
    /// Lends memory that belongs to an [ordered stream](crate::OrderedStream) to all streams of the scope, as
    /// [`hold`](Self::hold) lends other memory.
    ///
    /// Its first use on another stream waits on the device for what its own stream has enqueued. The scope then waits
    /// for that stream too.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); a driver error.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let (ordered, stream) = (gpu.ordered_stream()?, gpu.stream()?);
    /// let mut x = ordered.zeroed::<u32>(4)?;
    /// let mut host = [0; 4];
    /// gpu.scope(|s| {
    ///     let mut x = s.hold_ordered(&mut x)?;
    ///     s.on(&stream).fill(&mut x, 7)?; // behind the zeros
    ///     s.on(&stream).download(&x, &mut host)
    /// })?;
    /// assert_eq!(host, [7; 4]);
    /// # Ok(()) }
    /// ```
    pub fn hold_ordered<T: Element, M: Holdable<'static, T>>(
        &'s self,
        memory: &'s mut Ordered<M>,
    ) -> Result<M::Held<'s>> {
        let raw = memory.used(true).memory().and_then(|memory| Some(memory.home()?.raw()));
        let held = self.hold_peer(&mut memory.0);
        match raw {
            Some(stream) => self.behind(stream, &held.target()).map(|()| held),
            None => Ok(held),
        }
    }
}

impl<'s> Capture<'s, '_, '_> {
    /// Lends memory that belongs to an [ordered stream](crate::OrderedStream) to all streams of the capture, as
    /// [`hold`](Self::hold) lends other memory. [`OrderedStream::replay`](crate::OrderedStream::replay) replays the
    /// graph.
    #[must_use]
    pub fn hold_ordered<T: Element, M: Holdable<'static, T>>(
        &'s self,
        memory: &'s mut Ordered<M>,
    ) -> M::Held<'s> {
        memory.0.hold(Key(()))
    }
}
