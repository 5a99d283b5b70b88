//! The few macros behind the declarations. Each declares what its block says and nothing else.

/// Declares the functions of one group in an `extern "C"` block.
///
/// Built for the software driver, the symbol has a prefix of its own (`cuscope_soft_cuInit`), so
/// that a program in which a real libcuda is loaded as well is not disturbed.
macro_rules! declare {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
        #[allow(unsafe_code, reason = "the declarations are what this crate is for; nothing here calls them")]
        unsafe extern "C" { $(
            $(#[$meta])*
            #[cfg_attr(cuda_driver = "software", link_name = concat!("cuscope_soft_", stringify!($name)))]
            pub fn $name($($arg: $ty),*) -> $ret;
        )* }
    };
}

/// Declares a C enumeration as a transparent integer with constants, so that a value which a newer
/// driver returns is carried and is not undefined behaviour.
macro_rules! enumeration {
    ($($(#[$meta:meta])* pub enum $name:ident: $repr:ty { $($(#[$doc:meta])* $value:ident = $number:expr,)* })*) => { $(
        $(#[$meta])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub $repr);
        $($(#[$doc])* pub const $value: $name = $name($number);)*
    )* };
}

/// Declares opaque handle types: a pointer to a structure that only the driver knows.
macro_rules! handles {
    ($($(#[$meta:meta])* $pointer:ident -> $tag:ident;)*) => { $(
        /// What the handle of the same name points to; known to the driver alone.
        #[repr(C)]
        pub struct $tag {
            _opaque: [u8; 0],
            _driver_owned: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
        }
        $(#[$meta])*
        pub type $pointer = *mut $tag;
    )* };
}
