//! Stream scopes: work on any number of streams, all of it complete when the scope returns.

mod args;
mod held;
mod host;
mod mapped;
mod marks;
mod order;
mod parts;
mod queue;
mod staged;
mod verbs;

pub use args::{ScopeArg, ScopeArgs, Source};
pub use held::Held;
pub use mapped::Mapped;
pub use parts::HeldSlice;
pub use queue::Queue;
pub use staged::{Staged, StagedMemory};

use crate::brand::Brand;
use crate::context::Context;
use crate::error::Result;
use crate::memory::{Allocation, DeviceMemoryMut, Element, PinnedBuffer};
use crate::stack::PushedGuard;
use crate::stream::Stream;
pub(crate) use order::Order;
use static_assertions::assert_not_impl_any;
use std::cell::OnceCell;
use std::fmt;
use typed_arena::Arena;

/// Lends streams and memory to the closure of [`PushedGuard::scope`].
///
/// What the device may still touch is borrowed for `'s`, which outlives the closure: slices, buffers and
/// streams come from outside of it, and what is made inside is [`scratch`](Self::scratch).
pub struct Scope<'s, 'env: 's, 'ctx> {
    gpu: &'env PushedGuard<'ctx>,
    order: Order,
    /// Freed when all queues were waited for. Mostly there is none.
    scratch: OnceCell<Arena<Allocation>>,
    _s: Brand<'s>,
}
assert_not_impl_any!(Scope<'static, 'static, 'static>: Send, Sync);

impl<'ctx> PushedGuard<'ctx> {
    /// Runs asynchronous work on any number of streams, and waits for all of it, also when the closure
    /// fails or panics: nothing is in flight when this returns (invariant `scope-waits`).
    ///
    /// A buffer that is written is [held](Scope::hold), and a use of it on one queue waits for its earlier
    /// uses on others (invariant `scope-ordered`): queues cannot race. What is only read is borrowed as
    /// it is. With one queue, the driver calls are those of C, and one wait at the end.
    ///
    /// # Errors
    /// Those of the closure, else of the first queue that has one: a sticky error (F60).
    ///
    /// # Aborts
    /// If a kernel faulted, memory of the host was lent, some is page-locked, and the process has several contexts: the
    /// device may go on using that memory, and nothing tells when it stops (F326). If no wait says that the work is over.
    ///
    /// # Panics
    /// If the closure does, or a [host function](Queue::host_function) in it. Of several panics, that of the
    /// closure goes on, else the first.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextFlags, ContextStack, Device, LaunchConfig, Result};
    /// # fn main() -> Result {
    /// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// # let saxpy = gpu.load_ptx(include_str!("../../examples/kernels/saxpy.ptx"))?.function("saxpy")?;
    /// let (copies, kernels) = (gpu.stream()?, gpu.stream()?);
    /// let (x, mut y) = ([1.0_f32; 64], [2.0_f32; 64]);
    /// let (mut x_dev, mut y_dev) = (gpu.alloc(64)?, gpu.alloc(64)?);
    /// gpu.on(&copies).upload(&y, &mut y_dev)?;
    /// gpu.scope(|s| {
    ///     let (copy, run) = (s.on(&copies), s.on(&kernels));
    ///     let (mut x_dev, mut y_dev) = (s.hold(&mut x_dev), s.hold(&mut y_dev));
    ///     copy.upload(&x, &mut x_dev)?;
    ///     let config = LaunchConfig::for_num_elems(64);
    ///     // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y).
    ///     unsafe { run.launch(&saxpy, config, (64_u32, 3.0_f32, &x_dev, &mut y_dev)) }?;
    ///     copy.download(&y_dev, &mut y)
    /// })?;
    /// assert_eq!(y, [5.0; 64]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuStreamSynchronize")]
    pub fn scope<'env, R>(
        &'env self,
        f: impl for<'s> FnOnce(&'s Scope<'s, 'env, 'ctx>) -> Result<R>,
    ) -> Result<R> {
        /// Waits when the closure panics.
        struct Close<'a>(&'a Order, &'a Context);
        impl Drop for Close<'_> {
            fn drop(&mut self) {
                self.0.abandon(self.1);
            }
        }
        let (order, scratch) = (Order::new(self.context()), OnceCell::new());
        let scope = Scope { gpu: self, order, scratch, _s: Brand::new() };
        let close = Close(&scope.order, self.context());
        let result = f(&scope);
        std::mem::forget(close);
        let finished = scope.order.finish(self.context());
        if let Some(panic) = scope.order.end_calls() {
            std::panic::resume_unwind(panic);
        }
        let value = result?;
        finished.map(|()| value)
    }
}

impl<'s, 'ctx> Scope<'s, '_, 'ctx> {
    /// A stream as a queue of this scope; the same stream is the same queue.
    #[must_use]
    #[inline]
    pub fn on(&'s self, stream: &'s Stream<'ctx>) -> Queue<'s, 'ctx> {
        Queue::new(self.gpu, &self.order, stream)
    }

    /// Lends a buffer, or a [slice](crate::DeviceSliceMut) of one, to all queues, to be read and written.
    #[must_use]
    #[inline]
    pub fn hold<T: Element>(
        &'s self,
        memory: &'s mut impl DeviceMemoryMut<'ctx, T>,
    ) -> Held<'s, T> {
        Held::of_view(memory.view())
    }

    /// A buffer of the scope itself, freed when the scope is closed. Its contents are unspecified bytes.
    ///
    /// # Errors
    /// As [`alloc`](PushedGuard::alloc).
    #[doc(alias = "cuMemAlloc")]
    pub fn scratch<T: Element>(&'s self, len: usize) -> Result<Held<'s, T>> {
        let buffer = self.gpu.alloc::<T>(len)?;
        let scratch = self.scratch.get_or_init(Arena::new);
        Ok(Held::new(scratch.alloc(buffer.inner), buffer.len))
    }

    /// Lends host memory that the host wants back in between: [`Staged::access`].
    #[must_use]
    pub fn stage<T: Element>(&'s self, host: &'s mut [T]) -> Staged<'s, T> {
        Staged::new(&self.order, host)
    }

    /// Lends page-locked memory of the host to the copies and the kernels of the scope, over the bus, and
    /// to the host in between: [`Mapped::access`].
    #[must_use]
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn map<T: Element>(&'s self, pinned: &'s mut PinnedBuffer<T>) -> Mapped<'s, T> {
        Mapped::new(&self.order, pinned)
    }
}

impl fmt::Debug for Scope<'_, '_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scope").field(self.gpu.context()).finish()
    }
}
