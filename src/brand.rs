//! The two markers that carry the proof: which guard a value belongs to, and which thread.

use std::marker::PhantomData;

/// Makes a type invariant in a lifetime without owning anything. `Send` and `Sync`.
///
/// Invariance is what keeps handles of two guards apart: neither lifetime can shrink into the other.
#[derive(Clone, Copy)]
pub(crate) struct Brand<'ctx>(PhantomData<fn(&'ctx ()) -> &'ctx ()>);

impl Brand<'_> {
    pub(crate) const fn new() -> Self {
        Brand(PhantomData)
    }
}

/// Named for the compiler's message: "`dyn TiedToOneThread` cannot be shared between threads safely".
pub(crate) trait TiedToOneThread {}

/// Neither `Send` nor `Sync`: the context stack belongs to the thread. Holds nothing: `[]` makes one.
///
/// No `PhantomData`: the compiler's message would lead through the sources of `core`.
pub(crate) type NotSend = [&'static dyn TiedToOneThread; 0];
