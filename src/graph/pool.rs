//! Graphs that take turns, so that replays overlap.

use super::Graph;
use crate::error::Result;
use std::fmt;
use std::num::NonZeroUsize;

/// Graphs with the same work, each with memory of its own, which take turns so that their replays overlap.
///
/// The replays of one graph run one after the other, in whichever streams
/// ([F149](crate::driver_facts#F149)). A pool has several graphs, each with what belongs to it: the
/// [`OrderedStream`](crate::OrderedStream) that runs it, and its buffers. A graph is free when the streams that ran it
/// have nothing left to do ([`Graph::is_idle`]).
///
/// | if no graph is free | |
/// |---|---|
/// | [`get`](Self::get) | makes another one, up to the limit, and then waits for the one that was used longest ago |
/// | [`get_free`](Self::get_free) | returns `None` |
///
/// In a [scope](crate::PushedGuard::scope), lend the graphs of [`as_mut_slice`](Self::as_mut_slice) to one stream each.
///
/// # Examples
/// ```
/// # use cuscope::{Context, ContextStack, Device};
/// use cuscope::graph::GraphPool;
///
/// # fn main() -> cuscope::Result {
/// # let context = Context::primary(Device::get(0)?)?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// let mut pool = GraphPool::new(2.try_into().unwrap());
/// for _ in 0..6 {
///     let (graph, (stream, x)) = pool.get(|| {
///         let stream = gpu.ordered_stream()?;
///         let mut x = stream.zeroed::<u32>(4)?;
///         let graph = gpu.capture(&mut gpu.stream()?, |c| c.stream().fill(&mut c.hold_ordered(&mut x), 7))?;
///         Ok((graph, (stream, x)))
///     })?;
///     stream.replay(graph, x)?; // returns at once
/// }
/// assert!(pool.as_mut_slice().len() <= 2);
/// # Ok(()) }
/// ```
pub struct GraphPool<'ctx, T> {
    limit: NonZeroUsize,
    /// The one that was used longest ago is the first.
    graphs: Vec<(Graph<'ctx>, T)>,
}

impl<'ctx, T> GraphPool<'ctx, T> {
    /// Creates a pool of at most so many graphs, without graphs.
    #[must_use]
    #[inline]
    pub const fn new(limit: NonZeroUsize) -> Self {
        GraphPool { limit, graphs: Vec::new() }
    }

    /// Returns a free graph. If there is none, makes another one, and if there are as many as may be, waits for the
    /// one that was used longest ago.
    ///
    /// # Errors
    /// The error of the closure; the errors of [`Graph::is_idle`].
    #[inline]
    pub fn get(
        &mut self,
        make: impl FnOnce() -> Result<(Graph<'ctx>, T)>,
    ) -> Result<&mut (Graph<'ctx>, T)> {
        let at = match self.find_free()? {
            Some(at) => at,
            None if self.graphs.len() < self.limit.get() => {
                self.graphs.push(make()?);
                self.graphs.len() - 1
            }
            None => {
                self.graphs[0].0.wait_idle()?;
                0
            }
        };
        Ok(self.used(at))
    }

    /// Returns a free graph, or `None` if there is none. Neither makes one nor waits.
    ///
    /// # Errors
    /// The errors of [`Graph::is_idle`].
    #[inline]
    pub fn get_free(&mut self) -> Result<Option<&mut (Graph<'ctx>, T)>> {
        let found = self.find_free()?;
        Ok(found.map(|at| self.used(at)))
    }

    /// Returns all graphs, for example to lend each to a stream of a scope, or to change them.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [(Graph<'ctx>, T)] {
        &mut self.graphs
    }

    #[inline]
    fn find_free(&self) -> Result<Option<usize>> {
        for (at, (graph, _)) in self.graphs.iter().enumerate() {
            if graph.is_idle()? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Returns the graph at a place, which is now the one that was used last.
    #[inline]
    fn used(&mut self, at: usize) -> &mut (Graph<'ctx>, T) {
        self.graphs[at..].rotate_left(1);
        let last = self.graphs.len() - 1;
        &mut self.graphs[last]
    }
}

impl<T> fmt::Debug for GraphPool<'_, T> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GraphPool({} of at most {} graphs)", self.graphs.len(), self.limit)
    }
}
