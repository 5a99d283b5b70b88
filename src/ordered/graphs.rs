//! Graphs of memory that belongs to a stream.

use super::{Ordered, OrderedStream};
use crate::args::sealed::Operand;
use crate::error::Result;
use crate::graph::buffers::sealed::Names;
use crate::graph::{Graph, GraphBuffers};
use crate::memory::access::Access;
use crate::memory::{DeviceBuffer, Element, InOrder, PitchedBuffer};

/// # Graphs
impl OrderedStream {
    /// Replays a graph, and returns before it is done.
    ///
    /// The buffers are those of the graph, as for [`SyncStream::replay`](crate::SyncStream::replay), and belong to this
    /// stream. Capture them with [`Capture::hold_ordered`](crate::Capture::hold_ordered). Changing the graph and
    /// dropping it waits for this stream.
    ///
    /// # Errors
    /// [`GraphBuffers`](crate::Error::GraphBuffers) for other buffers; [`OtherStream`](crate::Error::OtherStream) for
    /// buffers of another stream; [`OtherContext`](crate::Error::OtherContext); a sticky error
    /// ([F60](crate::driver_facts#F60)).
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let (ordered, mut stream) = (gpu.ordered_stream()?, gpu.stream()?);
    /// let (mut x, mut y) = (ordered.zeroed::<u32>(4)?, ordered.alloc::<u32>(4)?);
    /// let graph = gpu.capture(&mut stream, |c| {
    ///     let (mut x, mut y) = (c.hold_ordered(&mut x), c.hold_ordered(&mut y));
    ///     c.stream().copy(&x, &mut y)?;
    ///     c.stream().fill(&mut x, 7)
    /// })?;
    /// for _ in 0..2 {
    ///     ordered.replay(&graph, (&mut x, &mut y))?; // returns at once
    /// }
    /// assert_eq!(ordered.to_vec(&y)?, [7; 4]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuGraphLaunch")]
    #[doc(alias = "cudaGraphLaunch")]
    pub fn replay(
        &self,
        graph: &Graph<'_>,
        buffers: impl GraphBuffers<'static, InOrder>,
    ) -> Result {
        graph.replay_in(&self.home, &buffers)
    }
}

macro_rules! buffers {
    ($($buffer:ident)*) => { $(
        impl<T: Element> GraphBuffers<'static, InOrder> for &Ordered<$buffer<'static, T>> {}
        impl<T: Element> GraphBuffers<'static, InOrder> for &mut Ordered<$buffer<'static, T>> {}
        #[diagnostic::do_not_recommend]
        impl<T: Element> Names for &Ordered<$buffer<'_, T>> {
            fn each<'a>(&'a self, see: &mut impl FnMut(Access<'a>)) {
                see(self.access());
            }
        }
        #[diagnostic::do_not_recommend]
        impl<T: Element> Names for &mut Ordered<$buffer<'_, T>> {
            fn each<'a>(&'a self, see: &mut impl FnMut(Access<'a>)) {
                see(self.access());
            }
        }
    )* };
}
buffers!(DeviceBuffer PitchedBuffer);
