//! The two markers that carry the proof: the guard that a value belongs to, and its thread.

use std::marker::PhantomData;

/// Makes a type invariant in a lifetime without owning anything. `Send` and `Sync`.
///
/// Invariance keeps handles of two guards apart: neither lifetime can shrink into the other.
#[derive(Clone, Copy)]
pub(crate) struct Brand<'ctx>(PhantomData<fn(&'ctx ()) -> &'ctx ()>);

impl Brand<'_> {
    #[inline]
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

/// As [`TiedToOneThread`], for what can be sent but not shared: "`dyn OneThreadAtATime` cannot be shared …".
pub(crate) trait OneThreadAtATime {}

/// Says that types with a lifetime are not `Send` or `Sync`, which they are not because of their fields anyway. So the
/// compiler reports one reason, and not each field for itself.
macro_rules! never {
    ($auto:ident, as $reason:ident: $([$($generics:tt)*] $name:ty, $lifetime:lifetime;)*) => { $(
        // SAFETY: the bound holds for no lifetime, as the trait requires neither `Send` nor `Sync`.
        #[allow(unsafe_code, reason = "says that a type does not implement the trait")]
        unsafe impl<$($generics)*> $auto for $name
        where
            &$lifetime dyn $crate::brand::$reason: $auto,
        {
        }
    )* };
}
pub(crate) use never;

/// Says that types with a lifetime stay on their thread.
macro_rules! tied_to_one_thread {
    ($($types:tt)*) => {
        $crate::brand::never! { Send, as TiedToOneThread: $($types)* }
        $crate::brand::never! { Sync, as TiedToOneThread: $($types)* }
    };
}
pub(crate) use tied_to_one_thread;
