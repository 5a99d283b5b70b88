//! Kernels that somebody vouches for once, with a check for each launch.
#![allow(unsafe_code, reason = "kernels are trusted")]

use super::launchable::ArgumentsOf;
use super::signature::sealed::Seen;
use super::{Kernel, SafeKernel, Signature, safe};
use crate::args::sealed::Operands;
use crate::context::Context;
use crate::error::{Error, RefusedLaunch, Result};
use crate::launch::{LaunchShape, Spec};
use crate::memory::watch::Record;
use crate::ops::Launch;
use static_assertions::assert_impl_all;
use std::fmt;

/// A check without captured values, as a `fn` pointer: the type of the check in a struct's field.
pub type Check<S> = fn(&LaunchShape, &<S as Seen>::Seen) -> bool;

/// A kernel whose launches are safe, because somebody vouches for it: for every launch that its check accepts, the kernel
/// stays inside its arguments. [`Kernel::trust`] returns one.
///
/// The check runs at each launch, before the driver is called, and sees the [shape](LaunchShape) of the launch and the
/// arguments: numbers and structs themselves, and of memory its [size](crate::memory::MemorySize). A launch that it refuses
/// is [`LaunchRefused`](Error::LaunchRefused), which names the kernel and the values of the arguments.
///
/// Like a [`Kernel`], it has no lifetime. A field of a struct is a `TrustedKernel<(u32, Out<f32>)>`, with a check that
/// captures nothing, or a `TrustedKernel<S, Box<dyn Fn(&LaunchShape, &S::Seen) -> bool>>`.
///
/// # Examples
/// ```standalone_crate
/// use cuscope::{Context, In, LaunchConfig, OrderedBuffer, OrderedStream, Out, Result, TrustedKernel};
///
/// type Saxpy = TrustedKernel<(u32, f32, In<f32>, Out<f32>)>;
///
/// struct Scaler {
///     stream: OrderedStream,
///     saxpy: Saxpy,
/// }
///
/// impl Scaler {
///     fn new(context: &Context) -> Result<Self> {
///         let module = context.load_ptx(include_str!("../../examples/kernels/saxpy.ptx"))?;
///         // SAFETY: thread i of the kernel uses element i of x and y, and none if i is not less than n.
///         let saxpy: Saxpy = unsafe {
///             module.kernel("saxpy")?.trust(|_, (n, _, x, y)| x.len().min(y.len()) >= *n as usize)
///         };
///         Ok(Scaler { stream: context.ordered_stream()?, saxpy })
///     }
///
///     /// Adds `a` times `x` to `y`.
///     fn add(&self, a: f32, x: &OrderedBuffer<f32>, y: &mut OrderedBuffer<f32>) -> Result {
///         let n = x.len();
///         self.stream.launch(&self.saxpy, LaunchConfig::for_num_elems(n)?, (n as u32, a, x, y))
///     }
/// }
/// # use cuscope::{Device, Error};
/// # fn main() -> Result {
/// # let scaler = Scaler::new(&Context::primary(Device::get(0)?)?)?;
/// # let (x, mut y) = (scaler.stream.from_slice(&[1.0; 4])?, scaler.stream.from_slice(&[2.0; 4])?);
/// # scaler.add(3.0, &x, &mut y)?;
/// # assert_eq!(scaler.stream.to_vec(&y)?, [5.0; 4]);
/// # let mut short = scaler.stream.from_slice(&[2.0; 3])?;
/// # assert!(matches!(scaler.add(3.0, &x, &mut short), Err(Error::LaunchRefused(_))));
/// # Ok(()) }
/// ```
pub struct TrustedKernel<S: Signature, F = Check<S>> {
    kernel: Kernel<S>,
    check: F,
}
assert_impl_all!(TrustedKernel<(u32, super::Out<f32>)>: Send, Sync, Clone);

impl<S: Signature> Kernel<S> {
    /// Vouches for the kernel, with a check for each launch.
    ///
    /// # Safety
    /// 1. For every launch that the check accepts, the kernel stays inside its arguments: obligations 1 to 3 of
    ///    [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked) hold, whatever else is in flight.
    #[inline]
    pub unsafe fn trust<F: Fn(&LaunchShape, &S::Seen) -> bool>(
        self,
        check: F,
    ) -> TrustedKernel<S, F> {
        TrustedKernel { kernel: self, check }
    }
}

impl<S: Signature, F> TrustedKernel<S, F> {
    /// Returns the kernel, to launch it without the check, or for its attributes.
    #[must_use]
    pub fn kernel(&self) -> &Kernel<S> {
        &self.kernel
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.kernel.context()
    }
}

impl<S: Signature, F: Clone> Clone for TrustedKernel<S, F> {
    fn clone(&self) -> Self {
        TrustedKernel { kernel: self.kernel.clone(), check: self.check.clone() }
    }
}

impl<S: Signature, F> fmt::Debug for TrustedKernel<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TrustedKernel").field(&self.kernel).finish()
    }
}

#[diagnostic::do_not_recommend]
impl<S: Signature, F: Fn(&LaunchShape, &S::Seen) -> bool> SafeKernel<'_> for TrustedKernel<S, F> {
    type Signature = S;
}

#[diagnostic::do_not_recommend]
impl<S: Signature, F: Fn(&LaunchShape, &S::Seen) -> bool> safe::Sealed<S> for TrustedKernel<S, F> {
    type Passed<'k, A: Operands>
        = A
    where
        Self: 'k;

    #[inline]
    fn checked_launch<'k, L: Spec, A: Operands + ArgumentsOf<S>, R>(
        &'k self,
        spec: L,
        args: A,
        _: &impl Record<'k>,
        run: impl FnOnce(Launch<'k, L, A>) -> Result<R>,
    ) -> Result<R> {
        let shape = spec.shape();
        if !(self.check)(&shape, &args.seen()) {
            return Err(self.refused(&shape, args.describe(), spec.call()));
        }
        // SAFETY: who trusted the kernel vouches for 1. to 3. of this launch, as the check has accepted it.
        run(unsafe { Launch::new(&self.kernel.function.inner, spec, args) })
    }
}

impl<S: Signature, F> TrustedKernel<S, F> {
    #[cold]
    fn refused(&self, launch: &LaunchShape, arguments: String, call: &'static str) -> Error {
        let kernel = self.kernel.function.name().unwrap_or_else(|_| "the kernel".to_owned());
        let launch = launch.to_string();
        Error::LaunchRefused(Box::new(RefusedLaunch { call, kernel, launch, arguments }))
    }
}
