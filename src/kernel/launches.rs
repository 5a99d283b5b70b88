//! The launch that all surfaces have in common.
#![allow(unsafe_code, reason = "hands launches on")]

use super::{ArgumentsOf, Launchable, SafeKernel};
use crate::args::KernelArgs;
use crate::error::Result;
use crate::launch::LaunchSpec;

/// A surface that launches kernels: a stream of any kind, a stream under capture, and `&GraphBuilder`, which adds nodes. Sealed.
///
/// A function that takes `on: &impl Launches<'ctx>` launches on all of them. Work is complete when the launch returns, or
/// later, as it is on the stream itself. `&impl SafeKernel<'ctx, Signature = (u32, f32, In<f32>, Out<f32>)>` is a kernel that is
/// guarded or trusted.
///
/// # Examples
/// ```standalone_crate
/// use cuscope::kernel::{KernelReads, KernelWrites, Launches};
/// use cuscope::{In, LaunchConfig, Out, Result, TrustedKernel};
///
/// type Saxpy = TrustedKernel<(u32, f32, In<f32>, Out<f32>)>;
///
/// /// Adds `a` times `x` to `y`, on any stream, with any memory that it takes.
/// fn add<'ctx, S: Launches<'ctx>>(
///     on: &S,
///     saxpy: &Saxpy,
///     a: f32,
///     x: impl KernelReads<'ctx, f32, S::Lent>,
///     y: impl KernelWrites<'ctx, f32, S::Lent>,
/// ) -> Result {
///     let n = x.len();
///     on.launch(saxpy, LaunchConfig::for_num_elems(n)?, (n as u32, a, x, y))
/// }
/// # use cuscope::{Context, ContextStack, Device};
/// # fn main() -> Result {
/// # let context = Context::primary(Device::get(0)?)?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// # let module = gpu.load_ptx(include_str!("../../examples/kernels/saxpy.ptx"))?;
/// # // SAFETY: thread i of the kernel uses element i of x and y, and none if i is not less than n.
/// # let saxpy: Saxpy = unsafe { module.kernel("saxpy")?.trust(|_, (n, _, x, y)| x.len().min(y.len()) >= *n as usize) };
/// let stream = gpu.stream()?;
/// let (x, mut y) = (gpu.on(&stream).from_slice(&[1.0; 8])?, gpu.on(&stream).from_slice(&[2.0; 8])?);
/// add(&gpu.on(&stream), &saxpy, 3.0, &x, &mut y)?;
/// gpu.scope(|s| {
///     let mut y = s.hold(&mut y);
///     add(&s.on(&stream), &saxpy, 3.0, x.slice(..4)?, &mut y.slice_mut(4..)?)
/// })?;
/// assert_eq!(gpu.on(&stream).to_vec(&y)?, [5.0, 5.0, 5.0, 5.0, 8.0, 8.0, 8.0, 8.0]);
///
/// let ordered = gpu.ordered_stream()?;
/// let (x, mut y) = (ordered.from_slice(&[1.0; 4])?, ordered.from_slice(&[2.0; 4])?);
/// add(&ordered, &saxpy, 3.0, &x, &mut y)?;
/// assert_eq!(ordered.to_vec(&y)?, [5.0; 4]);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` launches no kernels",
    label = "expected a stream: `gpu.on(&stream)`, `s.on(&stream)`, `c.stream()`, `&OrderedStream` or `&GraphBuilder`"
)]
pub trait Launches<'ctx>: sealed::Sealed {
    /// How long memory among the arguments is lent: [`InCall`](crate::memory::InCall) where the launch waits and in an
    /// [`OpenCapture`](crate::graph::OpenCapture), [`InScope`](crate::memory::InScope) in scopes, other captures and graphs,
    /// [`InOrder`](crate::memory::InOrder) for memory of an ordered stream.
    type Lent;

    /// Launches a kernel whose launches are safe.
    ///
    /// # Errors
    /// Those of [`SyncStream::launch`](crate::SyncStream::launch) and of the stream's own method.
    fn launch<K: SafeKernel<'ctx>, A: KernelArgs<'ctx, Self::Lent> + ArgumentsOf<K::Signature>>(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result;

    /// Launches any kernel.
    ///
    /// # Errors
    /// Those of [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked) and of the stream's own method.
    ///
    /// # Safety
    /// 1. to 3. of [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked), for each replay if the launch
    ///    becomes part of a graph.
    unsafe fn launch_unchecked<
        K: Launchable<'ctx>,
        A: KernelArgs<'ctx, Self::Lent> + ArgumentsOf<K::Signature>,
    >(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result;
}

pub(crate) mod sealed {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `Launches`, which is sealed",
        label = "only streams, streams under capture and `&GraphBuilder` do"
    )]
    pub trait Sealed {}
}

/// Implements [`Launches`] by the methods of the same names.
macro_rules! launches {
    ($([$($generics:tt)*] $stream:ty, $ctx:lifetime, $lent:ty;)*) => { $(
        impl<$($generics)*> $crate::kernel::launches_sealed::Sealed for $stream {}
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> $crate::kernel::Launches<$ctx> for $stream {
            type Lent = $lent;
            #[inline]
            fn launch<
                K: $crate::kernel::SafeKernel<$ctx>,
                A: $crate::args::KernelArgs<$ctx, $lent> + $crate::kernel::ArgumentsOf<K::Signature>,
            >(
                &self,
                kernel: &K,
                config: impl $crate::launch::LaunchSpec<$ctx>,
                args: A,
            ) -> $crate::error::Result {
                <$stream>::launch(self, kernel, config, args)
            }
            #[inline]
            unsafe fn launch_unchecked<
                K: $crate::kernel::Launchable<$ctx>,
                A: $crate::args::KernelArgs<$ctx, $lent> + $crate::kernel::ArgumentsOf<K::Signature>,
            >(
                &self,
                kernel: &K,
                config: impl $crate::launch::LaunchSpec<$ctx>,
                args: A,
            ) -> $crate::error::Result {
                // SAFETY: the caller's obligations 1 to 3.
                unsafe { <$stream>::launch_unchecked(self, kernel, config, args) }
            }
        }
    )* };
}
pub(crate) use launches;
