//! Where the functions are, by the names of their symbols.

use core::ffi::c_void;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The address of a symbol.
pub(super) fn address(symbol: &str) -> Option<*mut c_void> {
    static ALL: OnceLock<HashMap<&str, usize>> = OnceLock::new();
    let found = ALL.get_or_init(all).get(symbol).copied();
    found.map(std::ptr::with_exposed_provenance_mut)
}

/// All addresses.
fn all() -> HashMap<&'static str, usize> {
    let mut all = HashMap::new();
    macro_rules! form {
        ($name:ident $suffix:literal) => {
            let address = crate::per_thread::forms::$name as *const c_void;
            all.insert(concat!(stringify!($name), $suffix), address.expose_provenance());
        };
    }
    macro_rules! declared {
        ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => { $(
            let address = crate::$name as *const c_void;
            all.insert(stringify!($name), address.expose_provenance());
            crate::if_per_thread! { form $name }
        )* };
    }
    macro_rules! older {
        ($($name:ident($($rest:tt)*);)*) => { $(
            let address = crate::older::$name as *const c_void;
            all.insert(stringify!($name), address.expose_provenance());
        )* };
    }
    macro_rules! per_thread {
        ($($name:ident $suffix:literal ($($rest:tt)*);)*) => { $(form! { $name $suffix })* };
    }
    macro_rules! others {
        ($($name:ident)*) => { $(
            let address = crate::older::$name as *const c_void;
            all.insert(stringify!($name), address.expose_provenance());
        )* };
    }
    cuscope_sys::driver_functions!(declared);
    cuscope_sys::newer_functions!(declared);
    crate::older_functions!(older);
    crate::older_per_thread!(per_thread);
    crate::other_names!(others);
    all
}
