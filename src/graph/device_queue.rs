//! The operations that queues of scopes and of captures have in common.
#![allow(unsafe_code, reason = "hands launches on")]

use super::{CaptureQueue, GraphBuilder};
use crate::args::KernelArgs;
use crate::call::name;
use crate::error::{Error, Result};
use crate::kernel::Launchable;
use crate::launch::LaunchSpec;
use crate::memory::{Element, InScope};
use crate::scope::{Held, Queue, Source};

/// A queue of device work. Sealed.
///
/// [`Queue`] runs the work, [`CaptureQueue`] captures it, and `&GraphBuilder` adds nodes that only memory
/// orders. A function that takes `q: impl DeviceQueue<'s, 'ctx>` can do all three.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a queue of device work",
    label = "expected `Queue`, `CaptureQueue` or `&GraphBuilder`",
    note = "a scope has `s.on(&stream)`, a capture has `c.queue()`"
)]
pub trait DeviceQueue<'s, 'ctx>: Copy + sealed::Sealed {
    /// Copies a buffer to another: [`Queue::copy`].
    ///
    /// # Errors
    /// The errors of [`Queue::copy`].
    fn copy<T: Element>(self, from: impl Source<'s, 'ctx, T>, to: &mut Held<'s, T>) -> Result;

    /// Sets every element to `value`: [`Queue::fill`].
    ///
    /// # Errors
    /// The errors of [`Queue::fill`].
    fn fill<T: Element>(self, to: &mut Held<'s, T>, value: T) -> Result;

    /// Sets every byte to zero: [`Queue::zero`].
    ///
    /// # Errors
    /// The errors of [`Queue::zero`].
    fn zero<T: Element>(self, to: &mut Held<'s, T>) -> Result;

    /// Launches a kernel, or captures its launch: [`Queue::launch`].
    ///
    /// # Errors
    /// The errors of [`Queue::launch`]; [`Error::InvalidArgument`] for events among the attributes of a
    /// captured launch, and for attributes of a node that is built.
    ///
    /// # Safety
    /// 1. to 3. of [`OnStream::launch`](crate::OnStream::launch), for each replay if it is captured.
    unsafe fn launch<A: KernelArgs<'ctx, InScope<'s>>>(
        self,
        kernel: &impl Launchable<'ctx, A>,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result;
}

mod sealed {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `DeviceQueue`, which is sealed",
        label = "only `Queue`, `CaptureQueue` and `&GraphBuilder` do"
    )]
    pub trait Sealed {}
    impl Sealed for super::Queue<'_, '_> {}
    impl Sealed for super::CaptureQueue<'_, '_> {}
    impl Sealed for &super::GraphBuilder<'_, '_, '_> {}
}

macro_rules! device_queues {
    ($($queue:ident)*) => { $(
        impl<'s, 'ctx> DeviceQueue<'s, 'ctx> for $queue<'s, 'ctx> {
            #[inline]
            fn copy<T: Element>(
                self,
                from: impl Source<'s, 'ctx, T>,
                to: &mut Held<'s, T>,
            ) -> Result {
                $queue::copy(&self, from, to)
            }
            #[inline]
            fn fill<T: Element>(self, to: &mut Held<'s, T>, value: T) -> Result {
                $queue::fill(&self, to, value)
            }
            #[inline]
            fn zero<T: Element>(self, to: &mut Held<'s, T>) -> Result {
                $queue::zero(&self, to)
            }
            #[inline]
            unsafe fn launch<A: KernelArgs<'ctx, InScope<'s>>>(
                self,
                kernel: &impl Launchable<'ctx, A>,
                config: impl LaunchSpec<'ctx>,
                args: A,
            ) -> Result {
                // SAFETY: the caller's obligations 1 to 3.
                unsafe { $queue::launch(&self, kernel, config, args) }
            }
        }
    )* };
}
device_queues! { Queue CaptureQueue }

impl<'s, 'ctx> DeviceQueue<'s, 'ctx> for &'s GraphBuilder<'s, '_, 'ctx> {
    fn copy<T: Element>(self, from: impl Source<'s, 'ctx, T>, to: &mut Held<'s, T>) -> Result {
        GraphBuilder::copy(self, &[], from, to).map(drop)
    }
    fn fill<T: Element>(self, to: &mut Held<'s, T>, value: T) -> Result {
        GraphBuilder::fill(self, &[], to, value).map(drop)
    }
    fn zero<T: Element>(self, to: &mut Held<'s, T>) -> Result {
        GraphBuilder::zero(self, &[], to).map(drop)
    }
    unsafe fn launch<A: KernelArgs<'ctx, InScope<'s>>>(
        self,
        kernel: &impl Launchable<'ctx, A>,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        let Some(config) = config.plain() else {
            let reason =
                "a kernel node that is built has no attributes: capture the launch instead";
            return Err(Error::InvalidArgument { call: name!(cuGraphAddKernelNode_v2), reason });
        };
        // SAFETY: the caller's obligations 1 to 3.
        unsafe { self.kernel(&[], kernel, config, args) }.map(drop)
    }
}
