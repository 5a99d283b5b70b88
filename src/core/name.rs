//! Names and other text, in the driver's form.

use crate::error::{Error, Result};
use std::borrow::Cow;
use std::ffi::{CStr, CString, OsString};
use std::path::{Path, PathBuf};

/// Text that the driver reads up to a NUL, such as the name of a kernel or variable, or PTX: `&str`, `String`, `&CStr` or
/// `CString`, and references to these. Sealed.
///
/// The driver gets a copy with a NUL, unless the text has one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not text",
    label = "expected `&str`, `String`, `&CStr` or `CString`",
    note = "PTX is text, such as `include_str!(\"kernel.ptx\")`; a `Ptx` is an image: `gpu.load(&ptx)`"
)]
pub trait Text: sealed::Sealed {}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `Text`, which is sealed",
        label = "only `&str`, `String`, `&CStr` and `CString` do"
    )]
    pub trait Sealed: Sized {
        /// Returns the text as it was passed.
        #[doc(hidden)]
        fn written<'t>(self) -> Written<'t>
        where
            Self: 't;

        /// Returns the text as a name.
        #[doc(hidden)]
        #[inline]
        fn with_nul<'t>(self, call: &'static str) -> Result<Cow<'t, CStr>>
        where
            Self: 't,
        {
            self.written().name(call)
        }
    }

    /// Text as it was passed.
    pub enum Written<'t> {
        Plain(Cow<'t, str>),
        WithNul(Cow<'t, CStr>),
    }
}

impl<'t> sealed::Written<'t> {
    fn name(self, call: &'static str) -> Result<Cow<'t, CStr>> {
        let text = match self {
            sealed::Written::Plain(text) => text,
            sealed::Written::WithNul(text) => return Ok(text),
        };
        let name = CString::new(text.as_bytes()).map_err(|error| {
            let place = error.nul_position();
            let reason = format!("the name contains a NUL byte, at byte {place}: use another name");
            Error::InvalidArgument { call, reason: reason.into() }
        })?;
        Ok(Cow::Owned(name))
    }
}

macro_rules! text {
    ($($ty:ty: $kind:ident, |$this:ident| $text:expr;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Text for $ty {}
        #[diagnostic::do_not_recommend]
        impl sealed::Sealed for $ty {
            #[inline]
            fn written<'t>(self) -> sealed::Written<'t> where Self: 't {
                let $this = self;
                sealed::Written::$kind($text)
            }
        }
    )* };
}
text! {
    &str: Plain, |text| Cow::Borrowed(text);
    &String: Plain, |text| Cow::Borrowed(text.as_str());
    String: Plain, |text| Cow::Owned(text);
    &CStr: WithNul, |text| Cow::Borrowed(text);
    &CString: WithNul, |text| Cow::Borrowed(text.as_c_str());
    CString: WithNul, |text| Cow::Owned(text);
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
