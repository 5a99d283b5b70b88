//! Whether a file can be linked as libnvrtc.

pub(crate) use crate::shared::library::Unsuitable;

use crate::shared::library::Library;
use std::fmt;

/// The oldest NVRTC that has every function that is linked.
pub(crate) const OLDEST: &str = "NVRTC 11.8";

/// The name by which a program that is linked with the file `data` asks for it, if the file is a
/// shared object for `machine` (`e_machine`) that exports every function of `names`.
pub(crate) fn check(data: &[u8], machine: u16, names: &[String]) -> Result<String, Unsuitable> {
    let library = Library::read(data, machine)?;
    let soname = String::from_utf8_lossy(library.soname()?).into_owned();
    if !soname.starts_with("libnvrtc.so") {
        return Err(Unsuitable::Soname { is: soname, wanted: "libnvrtc.so.<version>".to_owned() });
    }
    library.exports(names)?;
    Ok(soname)
}

/// Says which name a file has in place of libnvrtc's.
pub(crate) fn write_soname(f: &mut fmt::Formatter<'_>, is: &str, wanted: &str) -> fmt::Result {
    write!(f, "has the SONAME `{is}`, where NVRTC has {wanted}")
}
