//! Names of functions, variables and files, in the driver's form.

use crate::error::{Error, Result};
use std::borrow::Cow;
use std::ffi::{CStr, CString, OsString};
use std::path::{Path, PathBuf};

/// The name of a kernel or variable: `&str`, `String`, `&CStr` or `CString`. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a name",
    label = "expected `&str`, `String`, `&CStr` or `CString`"
)]
pub trait Name: sealed::Sealed {}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `Name`, which is sealed",
        label = "only `&str`, `String`, `&CStr` and `CString` do"
    )]
    pub trait Sealed {
        #[doc(hidden)]
        fn with_nul<'n>(self, call: &'static str) -> Result<Cow<'n, CStr>>
        where
            Self: 'n;
    }
}

impl Name for &str {}
#[diagnostic::do_not_recommend]
impl sealed::Sealed for &str {
    fn with_nul<'n>(self, call: &'static str) -> Result<Cow<'n, CStr>>
    where
        Self: 'n,
    {
        let name = CString::new(self).map_err(|error| {
            let place = error.nul_position();
            let reason = format!("the name contains a NUL byte, at byte {place}: use another name");
            Error::InvalidArgument { call, reason: reason.into() }
        })?;
        Ok(Cow::Owned(name))
    }
}

impl Name for &CStr {}
#[diagnostic::do_not_recommend]
impl sealed::Sealed for &CStr {
    fn with_nul<'n>(self, _: &'static str) -> Result<Cow<'n, CStr>>
    where
        Self: 'n,
    {
        Ok(Cow::Borrowed(self))
    }
}

macro_rules! by_reference {
    ($($ty:ty => $as:ident;)*) => { $(
        impl Name for $ty {}
        #[diagnostic::do_not_recommend]
        impl sealed::Sealed for $ty {
            #[inline]
            fn with_nul<'n>(self, call: &'static str) -> Result<Cow<'n, CStr>> where Self: 'n {
                Ok(Cow::Owned(self.$as().with_nul(call)?.into_owned()))
            }
        }
    )* };
}
by_reference! {
    &String => as_str;
    String => as_str;
    &CString => as_c_str;
    CString => as_c_str;
}

/// Returns the path for the driver, unless it contains a NUL. On Windows, the driver reads other characters than those of
/// ASCII in the code page of the system.
pub(crate) fn path_with_nul(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_encoded_bytes()).ok()
}

/// Returns the path that the driver names.
pub(crate) fn path_of(bytes: Vec<u8>) -> PathBuf {
    #[cfg(unix)]
    let path = <OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes);
    #[cfg(not(unix))]
    let path = OsString::from(String::from_utf8_lossy(&bytes).into_owned());
    path.into()
}
