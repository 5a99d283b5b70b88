//! The names of the functions that the crate links, read from its sources.

use crate::shared::declared::in_lists;

/// The names in lines like `7000 fn nvrtcName(` of the list `nvrtc_functions`; those of the other lists
/// are looked up.
pub(crate) fn functions(source: &str) -> Vec<String> {
    in_lists(source, |list| list.starts_with("nvrtc_functions "))
}
