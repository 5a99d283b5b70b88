//! Kernels whose accesses to memory are compared with their arguments on the device.
#![allow(unsafe_code, reason = "launches of guarded kernels are safe")]

use super::launchable::{ArgumentsOf, safe};
use super::{Kernel, SafeKernel, Signature};
use crate::args::sealed::Operands;
use crate::args::{Guarded, Hidden};
use crate::context::Context;
use crate::error::Result;
use crate::launch::Spec;
use crate::memory::watch::{Code, Record};
use crate::ops::Launch;
use static_assertions::assert_impl_all;
use std::fmt;
use std::sync::Arc;

/// A kernel whose launches are safe, because the device compares each of its accesses to memory with its arguments (feature
/// `guard`). [`GuardedModule::kernel`](crate::module::GuardedModule::kernel) returns one.
///
/// An access outside of the arguments is not made: a read gives 0, and a write does nothing. The kernel goes on to its end.
/// Then a wait for the launch returns [`OutOfBounds`](crate::Error::OutOfBounds), once, with the kernel, the line and the
/// argument:
///
/// - on a stream, and on a default stream, the launch itself, since it waits; for a replay, the replay;
/// - in a scope, [`synchronize`](crate::ScopedStream::synchronize), [`query`](crate::ScopedStream::query) that finds the
///   stream idle, and the end of the scope, unless its closure returns an error;
/// - in an ordered stream, [`synchronize`](crate::OrderedStream::synchronize), [`query`](crate::OrderedStream::query) that
///   finds it idle, and every operation of the stream that waits: `to_vec`, `download`, `wait` of a
///   [`Pending`](crate::ordered::Pending), and its future;
/// - for replays of a graph in ordered streams, also [`Graph::wait_idle`](crate::Graph::wait_idle).
///
/// A wait for an [event](crate::Event) or for the whole [context](crate::PushedGuard::synchronize) is about no stream, and
/// tells nothing. If several kernels failed before the wait, it tells of one. Graphs of one definition note their failures in
/// one place, and the first wait for one of them tells.
///
/// The context lives, and the next launch works. Memory that the kernel does write has what the kernel wrote. What it can
/// still do is to loop for ever, and to compute nonsense.
///
/// Like a [`Kernel`], it has no lifetime: a field of a struct is a `GuardedKernel<(u32, In<f32>, Out<f32>)>`.
pub struct GuardedKernel<S> {
    kernel: Kernel<S>,
    code: Arc<Code>,
    with_extents: u32,
    tag: u32,
}
assert_impl_all!(GuardedKernel<(u32, super::Out<f32>)>: Send, Sync, Clone);

impl<S: Signature> GuardedKernel<S> {
    pub(crate) fn new(kernel: Kernel<S>, code: Arc<Code>, with_extents: u32, tag: u32) -> Self {
        GuardedKernel { kernel, code, with_extents, tag }
    }
}

impl<S> GuardedKernel<S> {
    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.kernel.context()
    }
}

impl<S> Clone for GuardedKernel<S> {
    fn clone(&self) -> Self {
        GuardedKernel { kernel: self.kernel.clone(), code: self.code.clone(), ..*self }
    }
}

impl<S> fmt::Debug for GuardedKernel<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GuardedKernel").field(&self.kernel).finish()
    }
}

#[diagnostic::do_not_recommend]
impl<S: Signature> SafeKernel<'_> for GuardedKernel<S> {
    type Signature = S;
}

#[diagnostic::do_not_recommend]
impl<S: Signature> safe::Sealed<S> for GuardedKernel<S> {
    type Passed<A: Operands> = Guarded<A>;

    #[inline]
    fn launch<'k, L: Spec, A: Operands + ArgumentsOf<S>, R>(
        &'k self,
        spec: L,
        args: A,
        watch: &impl Record<'k>,
        run: impl FnOnce(Launch<'k, L, Guarded<A>>) -> Result<R>,
    ) -> Result<R> {
        let record = watch.record(spec.call(), self.code.board())?;
        let hidden = Hidden { with_extents: self.with_extents, tag: self.tag, record };
        let args = Guarded { args, hidden };
        // SAFETY: 1. The arguments are those of the signature, which was compared with the text, and behind them is what the
        // guard has added. 2. and 3. The device compares each access with the extents of the arguments (`launch-guarded`).
        run(unsafe { Launch::new(&self.kernel.function.inner, spec, args) })
    }
}
