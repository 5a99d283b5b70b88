//! The primitives that threads share: the types of the standard library, or in tests with `--cfg loom` those
//! of loom, which tries every order of the threads.

#[cfg(not(all(test, loom)))]
pub(crate) use std::{
    sync::{Arc, Mutex, RwLock, atomic},
    thread::LocalKey,
};

#[cfg(all(test, loom))]
pub(crate) use loom::{
    sync::{Arc, Mutex, RwLock, atomic},
    thread::LocalKey,
};

/// An `Arc` of a trait object.
macro_rules! arc {
    ($value:expr, $ty:ty) => {{
        let arc: std::sync::Arc<$ty> = std::sync::Arc::new($value);
        #[cfg(all(test, loom))]
        let arc = loom::sync::Arc::from_std(arc);
        arc
    }};
}
pub(crate) use arc;

/// Defines a static that several threads use.
macro_rules! shared_static {
    ($($(#[$meta:meta])* static $name:ident: $ty:ty = $value:expr;)*) => {
        $(
            $(#[$meta])*
            #[cfg(not(all(test, loom)))]
            static $name: $ty = $value;
        )*
        #[cfg(all(test, loom))]
        loom::lazy_static! { $($(#[$meta])* static ref $name: $ty = $value;)* }
    };
}
pub(crate) use shared_static;

/// Defines a flag for each thread, initially false.
macro_rules! thread_flag {
    ($($(#[$meta:meta])* static $name:ident;)*) => {
        #[cfg(not(all(test, loom)))]
        std::thread_local! {
            $($(#[$meta])* static $name: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };)*
        }
        #[cfg(all(test, loom))]
        loom::thread_local! {
            $($(#[$meta])* static $name: std::cell::Cell<bool> = std::cell::Cell::new(false);)*
        }
    };
}
pub(crate) use thread_flag;

/// Marks a driver call whose order among the calls of other threads matters. It only matters to loom, which
/// sees no driver calls.
#[inline(always)]
pub(crate) fn before_call() {
    #[cfg(all(test, loom))]
    {
        shared_static! { static DRIVER: atomic::AtomicUsize = atomic::AtomicUsize::new(0); }
        DRIVER.fetch_add(1, atomic::Ordering::Relaxed);
    }
}
