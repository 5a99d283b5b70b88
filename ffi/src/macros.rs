//! The few macros behind the declarations. Each declares what its block says and nothing else.

/// Declares the functions of one group in an `extern "C"` block.
///
/// Built for the software driver, the symbol has a prefix of its own (`cuscope_soft_cuInit`), so
/// that a program in which a real libcuda is loaded as well is not disturbed.
///
/// With the feature `load` there is no symbol: each is a function that calls what a pointer leads to. At first
/// that looks the driver's function up. Being `inline`, it is there only in a program that calls it.
macro_rules! declare {
    ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
        $(
            $(#[$meta])*
            #[doc = concat!("\n\nSince CUDA version ", stringify!($since), ".")]
            ///
            /// # Safety
            ///
            /// As NVIDIA's manual says.
            #[cfg(all(cuda_driver = "native", feature = "load"))]
            #[allow(unsafe_code, reason = "calls what dlsym found, which does not know types")]
            #[inline]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
                type Function = unsafe extern "C" fn($($ty),*) -> $ret;
                static FUNCTION: core::sync::atomic::AtomicPtr<core::ffi::c_void> =
                    core::sync::atomic::AtomicPtr::new(first as Function as *mut core::ffi::c_void);

                /// Finds the driver's function for the calls after this one, and calls it.
                #[cold]
                unsafe extern "C" fn first($($arg: $ty),*) -> $ret {
                    let found = crate::lookup::find(concat!(stringify!($name), "\0"));
                    if found.is_null() {
                        return crate::lookup::not_found();
                    }
                    // Two threads may both look: they find the same.
                    FUNCTION.store(found, core::sync::atomic::Ordering::Release);
                    // SAFETY: the driver's function of this name, whose type the headers' proof checks
                    let function = unsafe { core::mem::transmute::<*mut core::ffi::c_void, Function>(found) };
                    // SAFETY: the caller's obligations are those of the driver's function
                    unsafe { function($($arg),*) }
                }

                let function = FUNCTION.load(core::sync::atomic::Ordering::Acquire);
                // SAFETY: `first`, or the driver's function of this name, whose type the headers' proof checks
                let function = unsafe { core::mem::transmute::<*mut core::ffi::c_void, Function>(function) };
                // SAFETY: the caller's obligations are those of the driver's function
                unsafe { function($($arg),*) }
            }
        )*
        #[cfg(not(all(cuda_driver = "native", feature = "load")))]
        #[allow(unsafe_code, reason = "the declarations are what this crate is for; nothing here calls them")]
        #[cfg_attr(all(windows, cuda_driver = "native"), link(name = "nvcuda", kind = "raw-dylib"))]
        unsafe extern "C" { $(
            $(#[$meta])*
            #[doc = concat!("\n\nSince CUDA version ", stringify!($since), ".")]
            #[cfg_attr(cuda_driver = "software", link_name = concat!("cuscope_soft_", stringify!($name)))]
            pub fn $name($($arg: $ty),*) -> $ret;
        )* }
    };
}

/// Declares functions that not every supported driver has: each becomes a function of the same name
/// that looks it up.
///
/// Built for the software driver, there is nothing to look up: the answer is a reference to the
/// symbol. Being `inline`, it is there only in a program that asks.
macro_rules! lookup {
    ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => { $(
        $(#[$meta])*
        #[doc = concat!(
            "\n\n```c\n", stringify!($ret), " ", stringify!($name), "(", stringify!($($arg: $ty),*), ")\n```",
            "\n\nSince CUDA version ", stringify!($since), ": looked up when first asked for, not linked.",
        )]
        ///
        /// # Errors
        ///
        /// The driver does not have it.
        #[inline]
        pub fn $name() -> Result<unsafe extern "C" fn($($arg: $ty),*) -> $ret, crate::NeedsDriver> {
            #[cfg(cuda_driver = "software")]
            {
                #[allow(unsafe_code, reason = "as in `declare!`")]
                unsafe extern "C" {
                    #[link_name = concat!("cuscope_soft_", stringify!($name))]
                    fn found($($arg: $ty),*) -> $ret;
                }
                Ok(found)
            }
            #[cfg(cuda_driver = "native")]
            {
                static SLOT: crate::lookup::Slot = crate::lookup::new();
                let missing = crate::NeedsDriver { function: stringify!($name), since: $since };
                let find = || crate::lookup::find(concat!(stringify!($name), "\0"));
                let found = SLOT.get(find).ok_or(missing)?;
                #[allow(unsafe_code, reason = "dlsym does not know types")]
                // SAFETY: the driver's function of this name, whose type the headers' proof checks
                let function = unsafe {
                    core::mem::transmute::<
                        core::ptr::NonNull<core::ffi::c_void>,
                        unsafe extern "C" fn($($arg: $ty),*) -> $ret,
                    >(found)
                };
                Ok(function)
            }
        }
    )* };
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
        /// The target of the handle of the same name; known to the driver alone.
        #[repr(C)]
        pub struct $tag {
            _opaque: [u8; 0],
            _driver_owned: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
        }
        $(#[$meta])*
        pub type $pointer = *mut $tag;
    )* };
}
