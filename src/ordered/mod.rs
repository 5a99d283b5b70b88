//! Work that outlives the function that started it: streams that own the order of their memory.
//!
//! The guide has a page about this: [streams, scopes and ordered work](crate::guide::streams).
#![allow(unsafe_code, reason = "enqueues work on memory that belongs to the stream")]

mod buffer;
mod verbs;
mod pending;
mod later;
mod owned;
mod shared;
mod scoped;
mod foreign;
mod graphs;
mod peers;
mod semaphores;
mod staging;

pub use buffer::{Ordered, OrderedBuffer, OrderedPitchedBuffer, OrderedSource};
pub use later::PendingVec;
pub use owned::NotTaken;
pub use pending::Pending;
pub use shared::SharedBuffer;
pub use verbs::HandOver;

use crate::brand::Brand;
use crate::call::name;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::event::{EventFlags, EventInner};
use crate::memory::home::{Home, HomeOwner, MARKS};
use crate::memory::{MemoryPool, OrderedUsage};
use crate::stack::PushedGuard;
use crate::stream::Stream;
use crate::stream::host_function::FirstPanic;
use ffi::CUstream;
use later::Blocks;
pub(crate) use staging::Staging;
use static_assertions::assert_impl_all;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};

/// The most bytes of freed blocks that a stream keeps, unless the program says otherwise.
const KEEP: usize = 256 << 20;
/// The size of the ring that uploads go through, unless the program says otherwise.
const STAGING: usize = 1 << 20;

/// A stream that owns the order of its memory, so that work outlives the function that starts it.
///
/// Its memory is allocated, used and freed in the order of the stream. Operations return before the device is done, and
/// borrow their memory only for the call. Whatever the program does with such memory, it drops, leaks or moves it: the
/// device sees a legal order (invariant [`ordered-apart`](crate::soundness#ordered-apart)). There is no closure, and
/// of the operations only [`synchronize`](Self::synchronize) and downloads wait. Pending values, graphs that run in the
/// stream, and a stream that has uploaded slices wait when they are dropped. So does the end of a module
/// ([F50](crate::driver_facts#F50)).
///
/// A step of a program's inner loop makes the driver calls of C: one for a launch, two for an allocation and its free,
/// or none, since the stream keeps freed blocks for its next allocations ([`keep`](Self::keep)).
///
/// The stream, its memory and the [kernels](crate::Kernel) have no lifetime: they own their context. So they live in one
/// struct, move between threads, and are used there without a guard. [`Context::ordered_stream`] makes a stream, and so
/// does a guard. Threads that use one stream interleave their operations.
///
/// Operations need no current context ([F34](crate::driver_facts#F34)): work goes on while another context is pushed.
/// The driver refuses copies of this memory while a context of another device is current
/// ([F348](crate::driver_facts#F348)). The stream then pushes its own context for that operation.
///
/// # Examples
/// ```standalone_crate
/// #![forbid(unsafe_code)]
/// use cuscope::kernel::GuardedKernel;
/// use cuscope::{Context, Device, In, LaunchConfig, OrderedBuffer, OrderedStream, Out, Result};
///
/// /// Starts y = 3 x + y, and returns before it is done.
/// fn step(
///     ordered: &OrderedStream,
///     saxpy: &GuardedKernel<(u32, f32, In<f32>, Out<f32>)>,
///     x: OrderedBuffer<f32>,
///     mut y: OrderedBuffer<f32>,
/// ) -> Result<OrderedBuffer<f32>> {
///     let n = x.len();
///     ordered.launch(saxpy, LaunchConfig::for_num_elems(n)?, (n as u32, 3.0, &x, &mut y))?;
///     Ok(y) // frees x, behind the launch
/// }
///
/// # fn main() -> Result {
/// let context = Context::primary(Device::get(0)?)?;
/// let saxpy = context.load_guarded(include_str!("../../examples/kernels/saxpy.ptx"))?.kernel("saxpy")?;
/// let ordered = context.ordered_stream()?;
/// let mut y = ordered.from_slice(&[1.0; 64])?;
/// for _ in 0..10 {
///     let x = ordered.from_slice(&[1.0; 64])?;
///     y = step(&ordered, &saxpy, x, y)?;
/// }
/// assert_eq!(ordered.to_vec(&y)?, [31.0; 64]); // waits
/// # Ok(()) }
/// ```
#[doc(alias = "CudaStream")]
pub struct OrderedStream {
    stream: Stream<'static>,
    pub(crate) home: HomeOwner,
    /// The ring that uploads go through, unless there is none, or another thread uses it.
    pub(crate) staging: Mutex<Option<Staging>>,
    /// The blocks that downloads write.
    downloads: Arc<Blocks>,
    /// The first panic of a host function.
    pub(crate) panic: Arc<FirstPanic>,
}
assert_impl_all!(OrderedStream: Send, Sync);

/// How to create an [`OrderedStream`]: its pool, what it keeps, and its staging memory.
///
/// # Examples
/// ```
/// # use cuscope::{Context, ContextStack, Device, MemoryPool, ordered::OrderedOptions};
/// # fn main() -> cuscope::Result {
/// # let context = Context::primary(Device::get(0)?)?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// let pool = MemoryPool::create(gpu.device())?;
/// let options = OrderedOptions::new().pool(&pool).keep(64 << 20).staging(4 << 20);
/// let ordered = gpu.ordered_stream_with(gpu.stream()?, &options)?;
/// # let _ = ordered.zeroed::<u8>(1)?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct OrderedOptions {
    pool: Option<MemoryPool>,
    keep: usize,
    staging: usize,
}

impl Default for OrderedOptions {
    #[inline]
    fn default() -> Self {
        OrderedOptions::new()
    }
}

impl OrderedOptions {
    /// Returns the usual options: the current pool of the device, 256 MiB of kept blocks, 1 MiB of staging memory.
    #[must_use]
    pub fn new() -> Self {
        OrderedOptions { pool: None, keep: KEEP, staging: STAGING }
    }

    /// Sets the pool to allocate from.
    #[must_use]
    #[inline]
    pub fn pool(self, pool: &MemoryPool) -> Self {
        OrderedOptions { pool: Some(pool.clone()), ..self }
    }

    /// Sets the most bytes of freed blocks to keep: [`OrderedStream::keep`].
    #[must_use]
    pub fn keep(self, bytes: usize) -> Self {
        OrderedOptions { keep: bytes, ..self }
    }

    /// Sets the size of the page-locked memory that [uploads](OrderedStream::upload) go through. Without any, they
    /// wait.
    #[must_use]
    pub fn staging(self, bytes: usize) -> Self {
        OrderedOptions { staging: bytes, ..self }
    }
}

/// # Streams that own the order of their memory
impl Context {
    /// Creates a stream that owns the order of its memory, with the usual [options](OrderedOptions::new). The context is
    /// current only while this runs.
    ///
    /// # Errors
    /// The errors of [`with`](Self::with) and [`PushedGuard::ordered_stream`].
    ///
    /// # Examples
    /// ```
    /// use cuscope::{Context, Device, OrderedBuffer, OrderedStream, Result};
    ///
    /// /// Numbers on the GPU, and the stream that works on them.
    /// struct Numbers {
    ///     stream: OrderedStream,
    ///     numbers: OrderedBuffer<f32>,
    /// }
    ///
    /// # fn main() -> Result {
    /// let stream = Context::primary(Device::get(0)?)?.ordered_stream()?;
    /// let mut x = Numbers { numbers: stream.zeroed(4)?, stream };
    /// let numbers = std::thread::spawn(move || {
    ///     x.stream.fill(&mut x.numbers, 1.5)?;
    ///     x.stream.to_vec(&x.numbers)
    /// });
    /// assert_eq!(numbers.join().unwrap()?, [1.5; 4]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuStreamCreate")]
    pub fn ordered_stream(&self) -> Result<OrderedStream> {
        self.ordered_stream_with(&OrderedOptions::new())
    }

    /// Creates a stream that owns the order of its memory.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for a pool of another device; the errors of
    /// [`ordered_stream`](Self::ordered_stream).
    #[doc(alias = "cuStreamCreate")]
    pub fn ordered_stream_with(&self, options: &OrderedOptions) -> Result<OrderedStream> {
        self.with(|gpu| gpu.ordered_stream_with(gpu.stream()?, options))
    }
}

/// # Streams that own the order of their memory
impl<'ctx> PushedGuard<'ctx> {
    /// Creates a stream that owns the order of its memory, with the usual [options](OrderedOptions::new).
    ///
    /// # Errors
    /// The errors of [`stream`](Self::stream), [`event`](Self::event) and [`pinned`](Self::pinned).
    #[doc(alias = "cuStreamCreate")]
    #[inline]
    pub fn ordered_stream(&self) -> Result<OrderedStream> {
        self.ordered_stream_with(self.stream()?, &OrderedOptions::new())
    }

    /// Makes a stream one that owns the order of its memory.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for a pool of another device; the errors of [`event`](Self::event)
    /// and [`pinned`](Self::pinned).
    #[inline]
    pub fn ordered_stream_with(
        &self,
        stream: Stream<'ctx>,
        options: &OrderedOptions,
    ) -> Result<OrderedStream> {
        let OrderedOptions { pool, keep, staging } = options;
        if stream.context() != self.context() {
            return Err(Error::OtherContext { call: name!(cuEventCreate) });
        }
        if let Some(pool) = pool {
            pool.check_device(self.device())?;
        }
        let mut events = Vec::with_capacity(MARKS);
        for _ in 0..MARKS {
            events.push(EventInner::create(self, EventFlags::DISABLE_TIMING)?);
        }
        let home = Home::open(stream.inner.clone(), pool.clone(), events, *keep);
        let staging = Staging::new(self, home.clone(), *staging)?;
        let (staging, panic) = (Mutex::new(staging), Arc::default());
        let stream = Stream { inner: stream.inner, _brand: Brand::new() };
        let downloads = Blocks::new(options.staging);
        Ok(OrderedStream { stream, home, staging, downloads, panic })
    }
}

impl OrderedStream {
    /// Returns the stream, for scopes, blocking operations and queries under a guard of its context.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext).
    #[inline]
    pub fn stream<'ctx>(&self, gpu: &PushedGuard<'ctx>) -> Result<&Stream<'ctx>> {
        self.stream.under(gpu, "OrderedStream::stream")
    }

    /// Returns the handle of the stream, for calls of [`ffi`]. It is valid while this value lives. Do not
    /// destroy it, and do not capture it.
    #[must_use]
    #[inline]
    pub fn raw(&self) -> CUstream {
        self.home.raw()
    }

    /// Returns the context.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        self.home.context()
    }

    /// Returns whether all work in the stream is complete.
    ///
    /// # Errors
    /// A sticky error of earlier work ([F60](crate::driver_facts#F60)); if the work is complete,
    /// [`OutOfBounds`](Error::OutOfBounds) of a guarded kernel in it.
    #[doc(alias = "cuStreamQuery")]
    #[inline]
    pub fn query(&self) -> Result<bool> {
        let idle = self.stream.query()?;
        if idle {
            self.home.watch().look()?;
        }
        Ok(idle)
    }

    /// Waits until all work in the stream is complete.
    ///
    /// # Errors
    /// A sticky error of earlier work ([F60](crate::driver_facts#F60)); [`OutOfBounds`](Error::OutOfBounds) of a guarded
    /// kernel in it.
    ///
    /// # Panics
    /// If a [host function](Self::host_function) panicked: its panic continues.
    #[doc(alias = "cuStreamSynchronize")]
    #[doc(alias = "cudaStreamSynchronize")]
    #[inline]
    pub fn synchronize(&self) -> Result {
        let waited = self.home.synchronize();
        match self.panic.take() {
            Some(panic) => resume_unwind(panic),
            None => waited.and_then(|()| self.home.watch().look()),
        }
    }

    /// Sets the most bytes of freed blocks to keep, and frees what is more.
    ///
    /// The stream keeps freed blocks for its next allocations, which then make no driver call. While it does, sizes are
    /// rounded up by up to an eighth. With 0, it keeps none. When memory runs out, all ordered streams of the device
    /// free their kept blocks, the allocation waits for those that had some, and is tried again.
    /// The drop of the stream frees them, and memory that outlives it is not kept.
    #[doc(alias = "cuMemFreeAsync")]
    #[inline]
    pub fn keep(&self, bytes: usize) {
        self.home.keep(bytes);
    }

    /// Frees kept blocks until at most so many bytes are kept.
    #[doc(alias = "cuMemFreeAsync")]
    #[inline]
    pub fn trim(&self, bytes: usize) {
        self.home.trim(bytes);
    }

    /// Returns how much memory the stream uses and keeps.
    #[must_use]
    #[inline]
    pub fn usage(&self) -> OrderedUsage {
        self.home.usage()
    }
}

impl fmt::Debug for OrderedStream {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OrderedStream").field(&self.stream).finish()
    }
}
