//! The string types for PTX text.

use crate::error::{Error, Result};
use std::borrow::Cow;
use std::ffi::{CStr, CString};

use super::LOAD;

/// PTX text: `&str`, `String`, `&CStr` or `CString`, and references to these. Sealed.
///
/// The driver reads PTX up to a NUL. The copy of the text gets one, so the driver never sees text without it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not PTX text",
    note = "pass PTX as `&str`, `String`, `&CStr` or `CString`: `include_str!(\"kernel.ptx\")`",
    note = "a `Ptx` is an image: `gpu.load(&ptx)`"
)]
pub trait PtxText<'p>: sealed::Sealed {
    #[doc(hidden)]
    fn with_nul(self) -> Result<Cow<'p, CStr>>;
}

mod sealed {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `PtxText`, which is sealed",
        label = "only `&str`, `String`, `&CStr` and `CString` do"
    )]
    pub trait Sealed {}
    #[diagnostic::do_not_recommend]
    impl Sealed for &str {}
    #[diagnostic::do_not_recommend]
    impl Sealed for String {}
    #[diagnostic::do_not_recommend]
    impl Sealed for &std::ffi::CStr {}
    #[diagnostic::do_not_recommend]
    impl Sealed for std::ffi::CString {}
    #[diagnostic::do_not_recommend]
    impl Sealed for &String {}
    #[diagnostic::do_not_recommend]
    impl Sealed for &std::ffi::CString {}
}

fn owned(text: impl Into<Vec<u8>>) -> Result<Cow<'static, CStr>> {
    let mut text: Vec<u8> = text.into();
    // The output of a compiler may already end in NUL.
    while text.last() == Some(&0) {
        text.pop();
    }
    let text = CString::new(text).map_err(|error| {
        let reason = format!(
            "the PTX text contains a NUL byte, at byte {}, at which the driver would stop reading: remove it",
            error.nul_position()
        );
        Error::InvalidArgument { call: LOAD, reason: reason.into() }
    })?;
    Ok(Cow::Owned(text))
}

#[diagnostic::do_not_recommend]
impl<'p> PtxText<'p> for &str {
    #[inline]
    fn with_nul(self) -> Result<Cow<'p, CStr>> {
        owned(self)
    }
}
#[diagnostic::do_not_recommend]
impl<'p> PtxText<'p> for String {
    #[inline]
    fn with_nul(self) -> Result<Cow<'p, CStr>> {
        owned(self)
    }
}
#[diagnostic::do_not_recommend]
impl<'p> PtxText<'p> for &'p CStr {
    #[inline]
    fn with_nul(self) -> Result<Cow<'p, CStr>> {
        Ok(Cow::Borrowed(self))
    }
}
#[diagnostic::do_not_recommend]
impl<'p> PtxText<'p> for &String {
    #[inline]
    fn with_nul(self) -> Result<Cow<'p, CStr>> {
        owned(self.as_str())
    }
}
#[diagnostic::do_not_recommend]
impl<'p> PtxText<'p> for &'p CString {
    #[inline]
    fn with_nul(self) -> Result<Cow<'p, CStr>> {
        Ok(Cow::Borrowed(self))
    }
}
#[diagnostic::do_not_recommend]
impl<'p> PtxText<'p> for CString {
    #[inline]
    fn with_nul(self) -> Result<Cow<'p, CStr>> {
        Ok(Cow::Owned(self))
    }
}
