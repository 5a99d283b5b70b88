//! The two markers that carry the proof: the guard that a value belongs to, and its thread.

use std::marker::PhantomData;

/// Makes a type invariant in a lifetime without owning anything. `Send` and `Sync`.
///
/// Invariance keeps handles of two guards apart: neither lifetime can shrink into the other.
#[derive(Clone, Copy)]
pub(crate) struct Brand<'ctx>(PhantomData<fn(&'ctx ()) -> &'ctx ()>);

impl Brand<'_> {
    pub(crate) const fn new() -> Self {
        Brand(PhantomData)
    }
}

/// Its name appears in the compiler's message: "`dyn TiedToOneThread` cannot be shared between threads safely".
pub(crate) trait TiedToOneThread {}

/// Neither `Send` nor `Sync`: the context stack belongs to the thread. It is empty: `[]` creates one.
///
/// It is not a `PhantomData`, because the compiler's message would lead through the sources of `core`.
pub(crate) type NotSend = [&'static dyn TiedToOneThread; 0];
