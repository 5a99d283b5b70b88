//! Numbers in host memory that streams wait for and write.
#![allow(unsafe_code, reason = "reads and writes memory that streams use at the same time")]

use crate::call::same_context;
use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::PinnedBuffer;
use crate::stack::PushedGuard;
use ffi::{
    CUDA_BATCH_MEM_OP_NODE_PARAMS, CUdeviceptr, CUresult, CUstreamBatchMemOpParams,
    CUstreamBatchMemOpParams_v1_memoryBarrier, CUstreamBatchMemOpParams_v1_waitValue,
    CUstreamBatchMemOpParams_v1_waitValue_anonymous, CUstreamBatchMemOpParams_v1_writeValue,
    CUstreamBatchMemOpParams_v1_writeValue_anonymous, CUstreamBatchMemOpType,
};
use sealed::Word;
use static_assertions::assert_impl_all;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A number in page-locked host memory, which threads of the host and streams of a scope read and write at the same time.
/// Streams wait for it, too.
///
/// [`PushedGuard::stream_value`] creates one. [`ScopedStream::value_operations`](crate::ScopedStream::value_operations)
/// enqueues writes and waits, and [`GraphBuilder::value_operations`](crate::graph::GraphBuilder::value_operations) adds
/// them to a graph, so that the host and the device tell each other how far they are, without an event and
/// without the end of the scope.
///
/// # Examples
/// ```
/// use cuscope::stream::{Until, ValueOperation};
/// # use cuscope::{Context, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// # let context = Context::primary(Device::get(0)?)?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// let (stream, mut x) = (gpu.stream()?, gpu.alloc::<u32>(1024)?);
/// let (go, done) = (gpu.stream_value(0_u32)?, gpu.stream_value(0_u64)?);
/// gpu.scope(|s| {
///     let (run, mut x) = (s.on(&stream), s.hold(&mut x));
///     run.value_operations(&[go.wait(Until::AtLeast(1))])?; // holds the stream
///     run.fill(&mut x, 7)?;
///     run.value_operations(&[done.write(100)])?;
///     assert_eq!(done.load(), 0);
///     go.store(1); // lets it go
///     while done.load() < 100 {
///         std::thread::yield_now();
///     }
///     Ok(())
/// })
/// # }
/// ```
pub struct StreamValue<T: StreamWord> {
    /// Graphs keep it, too.
    memory: Arc<PinnedBuffer<T>>,
}
assert_impl_all!(StreamValue<u32>: Send, Sync);
assert_impl_all!(StreamValue<u64>: Send, Sync);

/// A type of a [`StreamValue`]: `u32` or `u64`. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number that streams wait for",
    label = "only `u32` and `u64` are"
)]
pub trait StreamWord: Word {}
#[diagnostic::do_not_recommend]
impl StreamWord for u32 {}
#[diagnostic::do_not_recommend]
impl StreamWord for u64 {}

/// The condition that ends a wait: [`StreamValue::wait`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[doc(alias = "CUstreamWaitValue_flags")]
pub enum Until<T> {
    /// The value is this one or a later one. Numbers are compared in cyclic order: `value - this`, as a signed number, is
    /// not negative.
    AtLeast(T),
    /// The value is this one.
    Equal(T),
    /// The value has one of these bits.
    AnyOf(T),
    /// Some bit is neither in the value nor among these.
    Nor(T),
}

/// An operation of a stream on a [`StreamValue`].
#[derive(Clone, Copy)]
#[must_use = "`ScopedStream::value_operations` enqueues it"]
pub struct ValueOperation<'s> {
    raw: CUstreamBatchMemOpParams,
    /// The only context in which the address is valid, if it is not valid in every context.
    only: Option<&'s Context>,
    /// The number.
    value: Option<&'s (dyn Shared + Sync)>,
}

impl PushedGuard<'_> {
    /// Allocates a number that streams wait for and write. It does not belong to a context: streams of every context use
    /// it.
    ///
    /// # Errors
    /// The errors of [`pinned`](Self::pinned).
    #[doc(alias = "cuStreamWaitValue32")]
    #[doc(alias = "cuStreamWaitValue64")]
    pub fn stream_value<T: StreamWord>(&self, value: T) -> Result<StreamValue<T>> {
        Ok(StreamValue { memory: Arc::new(self.pinned_from(&[value])?) })
    }
}

/// A number whose memory others can keep.
trait Shared {
    fn share(&self) -> Arc<dyn Any + Send + Sync>;
}

impl<T: StreamWord> Shared for StreamValue<T> {
    fn share(&self) -> Arc<dyn Any + Send + Sync> {
        self.memory.clone()
    }
}

/// Checks operations for a call in the context with this [key](Context::key), and counts them.
///
/// # Errors
/// [`OtherContext`](Error::OtherContext); [`InvalidArgument`](Error::InvalidArgument) for more than the driver takes.
#[inline]
pub(crate) fn count(
    call: &'static str,
    key: usize,
    operations: &[ValueOperation<'_>],
) -> Result<u32> {
    same_context(call, operations.iter().all(|operation| operation.is_of(key)))?;
    match u32::try_from(operations.len()) {
        Ok(count @ 0..=255) => Ok(count),
        _ => Err(too_many(call, operations.len())),
    }
}

#[cold]
#[inline]
fn too_many(call: &'static str, count: usize) -> Error {
    let reason = format!(
        "the driver takes at most 255 operations at once, and not {count}: pass them in several calls"
    );
    Error::InvalidArgument { call, reason: reason.into() }
}

/// Returns whether it is that a device does not have one of the operations.
#[cold]
pub(crate) fn unsupported(
    device: Device,
    operations: &[ValueOperation<'_>],
    code: CUresult,
) -> Option<String> {
    if code != ffi::CUDA_ERROR_NOT_SUPPORTED {
        return None;
    }
    let has = |attribute| device.attribute(attribute).is_ok_and(|has| has != 0);
    operations.iter().enumerate().find_map(|(place, operation)| {
        // SAFETY: each form of an operation begins with its number.
        let kind = unsafe { operation.raw.operation };
        let wide = [ffi::CU_STREAM_MEM_OP_WAIT_VALUE_64, ffi::CU_STREAM_MEM_OP_WRITE_VALUE_64];
        if wide.contains(&kind) && !has(ffi::CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS) {
            return Some(format!(
                "operation {place} is on a number of 64 bits, which the device does not have: use a \
                 `StreamValue<u32>`"
            ));
        }
        let waits = [ffi::CU_STREAM_MEM_OP_WAIT_VALUE_32, ffi::CU_STREAM_MEM_OP_WAIT_VALUE_64];
        // SAFETY: an operation that waits has this form.
        let nor = waits.contains(&kind) && unsafe { operation.raw.waitValue }.flags & 3 == 3;
        (nor && !has(ffi::CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR)).then(|| {
            format!("operation {place} waits with `Until::Nor`, which the device does not have")
        })
    })
}

/// Calls `f` with so many operations in the form of a node.
pub(crate) fn with_params<R>(
    context: &Context,
    (operations, count): (&[ValueOperation<'_>], u32),
    f: impl FnOnce(*const CUDA_BATCH_MEM_OP_NODE_PARAMS) -> R,
) -> R {
    let mut all: Vec<_> = operations.iter().map(ValueOperation::raw).collect();
    let (ctx, at) = (context.raw(), all.as_mut_ptr());
    f(&CUDA_BATCH_MEM_OP_NODE_PARAMS { ctx, count, paramArray: at, flags: 0 })
}

impl<T: StreamWord> StreamValue<T> {
    /// Returns the value. What a stream did before it wrote the value is visible then.
    #[must_use]
    pub fn load(&self) -> T {
        // SAFETY: the number is there as long as this is, aligned, and no reference to it is made: threads and streams
        // use it atomically.
        unsafe { T::load(self.memory.start()) }
    }

    /// Sets the value. A stream that waits for it sees what this thread did before.
    pub fn store(&self, value: T) {
        // SAFETY: as in `load`.
        unsafe { T::store(self.memory.start(), value) };
    }

    /// Returns the operation that sets the value, behind the work in the stream.
    pub fn write(&self, value: T) -> ValueOperation<'_> {
        let raw = CUstreamBatchMemOpParams_v1_writeValue {
            operation: T::WRITE,
            address: self.address(),
            anonymous: CUstreamBatchMemOpParams_v1_writeValue_anonymous { value64: value.wide() },
            flags: 0,
            alias: 0,
        };
        self.operation(|all| all.writeValue = raw)
    }

    /// Returns the operation that holds the work behind it in the stream until the value is as told.
    ///
    /// If nobody writes such a value, the stream never goes on, and the scope never ends.
    pub fn wait(&self, until: Until<T>) -> ValueOperation<'_> {
        let (flags, value) = match until {
            Until::AtLeast(value) => (ffi::CU_STREAM_WAIT_VALUE_GEQ, value),
            Until::Equal(value) => (ffi::CU_STREAM_WAIT_VALUE_EQ, value),
            Until::AnyOf(value) => (ffi::CU_STREAM_WAIT_VALUE_AND, value),
            Until::Nor(value) => (ffi::CU_STREAM_WAIT_VALUE_NOR, value),
        };
        let raw = CUstreamBatchMemOpParams_v1_waitValue {
            operation: T::WAIT,
            address: self.address(),
            anonymous: CUstreamBatchMemOpParams_v1_waitValue_anonymous { value64: value.wide() },
            flags: flags.0,
            alias: 0,
        };
        self.operation(|all| all.waitValue = raw)
    }

    fn address(&self) -> CUdeviceptr {
        self.memory.mapped()
    }

    fn operation(&self, set: impl FnOnce(&mut CUstreamBatchMemOpParams)) -> ValueOperation<'_> {
        let mut raw = CUstreamBatchMemOpParams { pad: [0; 6] };
        set(&mut raw);
        ValueOperation { raw, only: self.memory.mapped_in(), value: Some(self) }
    }
}

impl ValueOperation<'_> {
    /// Returns the operation that makes writes of kernels before it visible before later operations of the same list.
    #[doc(alias = "CU_STREAM_MEM_OP_BARRIER")]
    #[inline]
    pub fn barrier() -> ValueOperation<'static> {
        let operation = ffi::CU_STREAM_MEM_OP_BARRIER;
        let mut raw = CUstreamBatchMemOpParams { pad: [0; 6] };
        raw.memoryBarrier = CUstreamBatchMemOpParams_v1_memoryBarrier { operation, flags: 0 };
        ValueOperation { raw, only: None, value: None }
    }

    /// Returns the operation as C represents it.
    pub(crate) fn raw(&self) -> CUstreamBatchMemOpParams {
        self.raw
    }

    /// Returns a share in the memory of the number.
    #[inline]
    pub(crate) fn share(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.value.map(Shared::share)
    }

    /// Returns whether the context with this [key](Context::key) can use the memory.
    #[inline]
    pub(crate) fn is_of(&self, key: usize) -> bool {
        self.only.is_none_or(|only| only.key() == key)
    }
}

impl<T: StreamWord> fmt::Debug for StreamValue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StreamValue({:?})", self.load())
    }
}

impl fmt::Debug for ValueOperation<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: every operation begins with its kind.
        let kind: CUstreamBatchMemOpType = unsafe { self.raw.operation };
        write!(f, "ValueOperation({kind:?})")
    }
}

pub(crate) mod sealed {
    use super::*;
    use crate::memory::Element;
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `StreamWord`, which is sealed",
        label = "only `u32` and `u64` do"
    )]
    pub trait Word: Element + fmt::Debug {
        const WAIT: CUstreamBatchMemOpType;
        const WRITE: CUstreamBatchMemOpType;

        /// Returns the number in the low bits of a larger one.
        fn wide(self) -> u64;

        /// # Safety
        /// 1. The number is alive and aligned, and others use it only atomically.
        unsafe fn load(at: *mut Self) -> Self;

        /// # Safety
        /// 1. As for [`load`](Self::load).
        unsafe fn store(at: *mut Self, value: Self);
    }

    macro_rules! words {
        ($($word:ty, $atomic:ident, $wait:ident, $write:ident;)*) => { $(
            #[diagnostic::do_not_recommend]
            impl Word for $word {
                const WAIT: CUstreamBatchMemOpType = ffi::$wait;
                const WRITE: CUstreamBatchMemOpType = ffi::$write;

                fn wide(self) -> u64 {
                    self.into()
                }

                unsafe fn load(at: *mut Self) -> Self {
                    // SAFETY: the caller's obligation 1.
                    unsafe { $atomic::from_ptr(at) }.load(Ordering::Acquire)
                }

                unsafe fn store(at: *mut Self, value: Self) {
                    // SAFETY: the caller's obligation 1.
                    unsafe { $atomic::from_ptr(at) }.store(value, Ordering::Release);
                }
            }
        )* };
    }
    words! {
        u32, AtomicU32, CU_STREAM_MEM_OP_WAIT_VALUE_32, CU_STREAM_MEM_OP_WRITE_VALUE_32;
        u64, AtomicU64, CU_STREAM_MEM_OP_WAIT_VALUE_64, CU_STREAM_MEM_OP_WRITE_VALUE_64;
    }
}
