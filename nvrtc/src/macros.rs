//! The macros behind the declarations. Each declares what its block says and nothing else.

/// Declares functions that every supported NVRTC has: linked, or with a body that looks the function
/// up and passes the call on.
macro_rules! declare {
    ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
        #[cfg(feature = "link")]
        #[allow(unsafe_code, reason = "the declarations are what this crate is for; nothing here calls them")]
        unsafe extern "C" { $(
            $(#[$meta])*
            #[doc = concat!("\n\nSince CUDA version ", stringify!($since), ".")]
            pub fn $name($($arg: $ty),*) -> $ret;
        )* }
        $(
            $(#[$meta])*
            #[doc = concat!("\n\nSince CUDA version ", stringify!($since), ".")]
            ///
            /// # Safety
            ///
            /// As NVIDIA's manual says of the function: pointers are valid for what is written and
            /// read, strings end in NUL, programs are alive.
            #[cfg(not(feature = "link"))]
            #[allow(unsafe_code, reason = "passes a call on")]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
                found!($name($($ty),*) -> $ret);
                match found() {
                    // SAFETY: as the caller says
                    Some(function) => unsafe { function($($arg),*) },
                    None => <$ret as crate::types::WithoutLibrary>::ANSWER,
                }
            }
        )*
    };
}

/// Declares functions that not every supported NVRTC has: each becomes a function of the same name
/// that looks it up.
macro_rules! lookup {
    ($($(#[$meta:meta])* $since:literal $(until $until:literal)? fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => { $(
        $(#[$meta])*
        #[doc = concat!(
            "\n\n```c\n", stringify!($ret), " ", stringify!($name), "(", stringify!($($arg: $ty),*), ")\n```",
            "\n\nSince CUDA version ", stringify!($since), $(", dropped in ", stringify!($until),)?
            ": looked up when first asked for, not linked.",
        )]
        ///
        /// # Errors
        ///
        /// This NVRTC does not have it.
        pub fn $name() -> Result<unsafe extern "C" fn($($arg: $ty),*) -> $ret, crate::NeedsNvrtc> {
            found!($name($($ty),*) -> $ret);
            let until = None::<u32>;
            $(let until = until.or(Some($until));)?
            found().ok_or(crate::NeedsNvrtc { function: stringify!($name), since: $since, until })
        }
    )* };
}

/// Defines `found`, which looks a function up, once.
macro_rules! found {
    ($name:ident($($ty:ty),*) -> $ret:ty) => {
        fn found() -> Option<unsafe extern "C" fn($($ty),*) -> $ret> {
            static SLOT: crate::slot::Slot = crate::slot::Slot::new();
            let found = SLOT.get(|| crate::lookup::find(concat!(stringify!($name), "\0")))?;
            #[allow(unsafe_code, reason = "dlsym does not know types")]
            // SAFETY: NVRTC's function of this name, whose type the headers' proof checks
            let function = unsafe {
                core::mem::transmute::<
                    core::ptr::NonNull<core::ffi::c_void>,
                    unsafe extern "C" fn($($ty),*) -> $ret,
                >(found)
            };
            Some(function)
        }
    };
}
