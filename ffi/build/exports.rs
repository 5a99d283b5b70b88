//! Whether a file can be linked as libcuda.

pub(crate) use crate::shared::library::Unsuitable;

use crate::shared::library::Library;
use std::fmt;

/// The oldest driver that has every function that is linked.
pub(crate) const OLDEST: &str = "CUDA 12.0";

/// Checks that the file `data` is a shared object for `machine` (`e_machine`) that programs linked
/// with it will ask for as `soname`, and that it exports every function of `names`.
pub(crate) fn check(
    data: &[u8],
    machine: u16,
    soname: &str,
    names: &[String],
) -> Result<(), Unsuitable> {
    let library = Library::read(data, machine)?;
    if !library.is_shared() {
        return Err(Unsuitable::NotShared);
    }
    let own_name = library.soname()?;
    if own_name != soname.as_bytes() {
        let is = String::from_utf8_lossy(own_name).into_owned();
        return Err(Unsuitable::Soname { is, wanted: soname.to_owned() });
    }
    library.exports(names)
}

/// Says which name a file has in place of libcuda's.
pub(crate) fn write_soname(f: &mut fmt::Formatter<'_>, is: &str, wanted: &str) -> fmt::Result {
    if is.is_empty() {
        write!(f, "has no SONAME, where a driver has {wanted}")
    } else {
        write!(f, "has the SONAME {is}, where a driver has {wanted}")
    }
}
