//! The operations that streams of scopes and of captures have in common.
#![allow(unsafe_code, reason = "hands launches on")]

use super::{CaptureStream, GraphBuilder};
use crate::args::KernelArgs;
use crate::error::Result;
use crate::kernel::{ArgumentsOf, Launchable, Launches, SafeKernel, launches_sealed};
use crate::launch::LaunchSpec;
use crate::memory::{Element, Fillable, InScope};
use crate::scope::{Destination, ScopedStream, Source};

/// A stream of a scope, a stream under capture, or a graph that is built. Sealed.
///
/// [`ScopedStream`] runs the work, [`CaptureStream`] captures it, and `&GraphBuilder` adds nodes that only
/// memory orders. A function that takes `stream: impl Enqueue<'s, 'ctx>` can do all three.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not enqueue device work",
    label = "expected `ScopedStream`, `CaptureStream` or `&GraphBuilder`",
    note = "a scope has `s.on(&stream)`, a capture has `c.stream()`"
)]
pub trait Enqueue<'s, 'ctx>: Copy + Launches<'ctx, Lent = InScope<'s>> + sealed::Sealed {
    /// Copies a buffer to another: [`ScopedStream::copy`].
    ///
    /// # Errors
    /// The errors of [`ScopedStream::copy`].
    fn copy<T: Element>(
        self,
        from: impl Source<'s, 'ctx, T>,
        to: &mut impl Destination<'s, T>,
    ) -> Result;

    /// Sets every element to `value`: [`ScopedStream::fill`].
    ///
    /// # Errors
    /// The errors of [`ScopedStream::fill`].
    fn fill<T: Fillable>(self, to: &mut impl Destination<'s, T>, value: T) -> Result;

    /// Sets every byte to zero: [`ScopedStream::zero`].
    ///
    /// # Errors
    /// The errors of [`ScopedStream::zero`].
    fn zero<T: Element>(self, to: &mut impl Destination<'s, T>) -> Result;
}

mod sealed {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `Enqueue`, which is sealed",
        label = "only `ScopedStream`, `CaptureStream` and `&GraphBuilder` do"
    )]
    pub trait Sealed {}
    impl Sealed for super::ScopedStream<'_, '_> {}
    impl Sealed for super::CaptureStream<'_, '_> {}
    impl Sealed for &super::GraphBuilder<'_, '_, '_> {}
}

macro_rules! impl_enqueue {
    ($($stream:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<'s, 'ctx> Enqueue<'s, 'ctx> for $stream<'s, 'ctx> {
            #[inline]
            fn copy<T: Element>(
                self,
                from: impl Source<'s, 'ctx, T>,
                to: &mut impl Destination<'s, T>,
            ) -> Result {
                $stream::copy(&self, from, to)
            }
            #[inline]
            fn fill<T: Fillable>(self, to: &mut impl Destination<'s, T>, value: T) -> Result {
                $stream::fill(&self, to, value)
            }
            #[inline]
            fn zero<T: Element>(self, to: &mut impl Destination<'s, T>) -> Result {
                $stream::zero(&self, to)
            }
        }
    )* };
}
impl_enqueue! { ScopedStream CaptureStream }

#[diagnostic::do_not_recommend]
impl<'s, 'ctx> Enqueue<'s, 'ctx> for &'s GraphBuilder<'s, '_, 'ctx> {
    fn copy<T: Element>(
        self,
        from: impl Source<'s, 'ctx, T>,
        to: &mut impl Destination<'s, T>,
    ) -> Result {
        GraphBuilder::copy(self, &[], from, to).map(drop)
    }
    fn fill<T: Fillable>(self, to: &mut impl Destination<'s, T>, value: T) -> Result {
        GraphBuilder::fill(self, &[], to, value).map(drop)
    }
    fn zero<T: Element>(self, to: &mut impl Destination<'s, T>) -> Result {
        GraphBuilder::zero(self, &[], to).map(drop)
    }
}

impl launches_sealed::Sealed for &GraphBuilder<'_, '_, '_> {}

#[diagnostic::do_not_recommend]
impl<'s, 'ctx> Launches<'ctx> for &'s GraphBuilder<'s, '_, 'ctx> {
    type Lent = InScope<'s>;

    fn launch<K: SafeKernel<'ctx>, A: KernelArgs<'ctx, InScope<'s>> + ArgumentsOf<K::Signature>>(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        self.kernel(&[], kernel, config, args).map(drop)
    }

    unsafe fn launch_unchecked<
        K: Launchable<'ctx>,
        A: KernelArgs<'ctx, InScope<'s>> + ArgumentsOf<K::Signature>,
    >(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        // SAFETY: the caller's obligations 1 to 3.
        unsafe { self.kernel_unchecked(&[], kernel, config, args) }.map(drop)
    }
}
