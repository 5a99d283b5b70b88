//! The trait that a library function takes.

use super::{ContextStack, NestedStack, PushedGuard};
use crate::context::Context;
use crate::error::Result;

/// A place on the context stack on which a library can push its own context:
/// `fn work(stack: &mut impl PushContext)`.
///
/// [`ContextStack`], [`NestedStack`] and [`PushedGuard`] implement it. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a place on the context stack",
    label = "expected a `ContextStack`, a `NestedStack` or a `PushedGuard`",
    note = "pass `&mut stack` or `&mut gpu` to a function that takes `stack: &mut impl PushContext`"
)]
pub trait PushContext: sealed::Sealed {
    /// Pushes a context. It is current until the guard is popped or dropped.
    ///
    /// # Errors
    /// The errors of [`ContextStack::push`].
    #[doc(alias = "cuCtxPushCurrent")]
    fn push<'ctx>(&'ctx mut self, context: &'ctx Context) -> Result<PushedGuard<'ctx>>;
}

mod sealed {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `PushContext`, which is sealed",
        label = "only the stack types of cuscope do",
        note = "take `stack: &mut impl PushContext` and push on it"
    )]
    pub trait Sealed {}
    #[diagnostic::do_not_recommend]
    impl<S: Sealed + ?Sized> Sealed for &mut S {}
    #[diagnostic::do_not_recommend]
    impl Sealed for super::ContextStack {}
    #[diagnostic::do_not_recommend]
    impl Sealed for super::NestedStack<'_> {}
    #[diagnostic::do_not_recommend]
    impl Sealed for super::PushedGuard<'_> {}
}

/// So that a function can pass on a `&mut dyn PushContext` that it received.
#[diagnostic::do_not_recommend]
impl<S: PushContext + ?Sized> PushContext for &mut S {
    #[inline]
    fn push<'ctx>(&'ctx mut self, context: &'ctx Context) -> Result<PushedGuard<'ctx>> {
        (**self).push(context)
    }
}

#[diagnostic::do_not_recommend]
impl PushContext for ContextStack {
    #[inline]
    fn push<'ctx>(&'ctx mut self, context: &'ctx Context) -> Result<PushedGuard<'ctx>> {
        self.push(context)
    }
}

#[diagnostic::do_not_recommend]
impl PushContext for NestedStack<'_> {
    #[inline]
    fn push<'ctx>(&'ctx mut self, context: &'ctx Context) -> Result<PushedGuard<'ctx>> {
        self.push(context)
    }
}

#[diagnostic::do_not_recommend]
impl PushContext for PushedGuard<'_> {
    #[inline]
    fn push<'ctx>(&'ctx mut self, context: &'ctx Context) -> Result<PushedGuard<'ctx>> {
        self.push(context)
    }
}
