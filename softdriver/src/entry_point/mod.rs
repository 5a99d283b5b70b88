//! Functions of the driver by name: the form that a version of CUDA gives a name (F250).
#![allow(unsafe_code, reason = "exported functions")]

mod functions;
use crate::call::driver;
use crate::calls::driver::VERSION;
use crate::entry::{self, Answer};
use crate::summary;
use core::ffi::{c_char, c_int, c_void};
use cuscope_sys::*;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The forms of a name: each since a version, with the suffix that it has as a symbol.
type Forms = Vec<(u32, &'static str)>;

/// The forms of a name with the legacy default stream, and with that of each thread.
struct Name {
    legacy: Forms,
    per_thread: Forms,
}

/// The functions of the driver, and since when it has them: a line is a name, its forms, and after a bar those for the
/// default stream of each thread, where these are others.
const NAMES: &str = include_str!("names.txt");

/// A list such as `2000 3020_v2`.
fn forms(text: &'static str) -> Forms {
    let form = |word: &'static str| {
        let digits = word.find('_').unwrap_or(word.len());
        Some((word[..digits].parse().ok()?, &word[digits..]))
    };
    text.split_whitespace().filter_map(form).collect()
}

/// All names.
fn names() -> &'static HashMap<&'static str, Name> {
    static ALL: OnceLock<HashMap<&str, Name>> = OnceLock::new();
    let name = |line: &'static str| {
        let (name, rest) = line.split_once(' ')?;
        let (legacy, per_thread) = rest.split_once('|').unwrap_or((rest, rest));
        Some((name, Name { legacy: forms(legacy), per_thread: forms(per_thread) }))
    };
    ALL.get_or_init(|| NAMES.lines().filter_map(name).collect())
}

/// Whether there is a function of the name, with or without the suffix of its form.
pub(crate) fn is_function(name: &str) -> bool {
    names().contains_key(name) || functions::address(name).is_some()
}

/// The address of a name's form in a version, or why there is none.
fn look_up(
    symbol: *const c_char,
    version: c_int,
    flags: cuuint64_t,
) -> Answer<Result<*mut c_void, CUdriverProcAddressQueryResult>> {
    let symbol = entry::text(symbol)?;
    let known = u64::from(CUdriverProcAddress_flags::all().bits());
    if flags & !known != 0 || version > VERSION {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let name = symbol.to_str().ok().and_then(|symbol| names().get_key_value(symbol));
    let Some((symbol, name)) = name else {
        return Ok(Err(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
    };
    let per_thread = CUdriverProcAddress_flags::CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    let per_thread = flags & u64::from(per_thread.bits()) != 0;
    let forms = if per_thread { &name.per_thread } else { &name.legacy };
    // A negative version is beyond all others.
    let form = forms.iter().rev().find(|&&(since, _)| since <= version as u32);
    let Some((_, suffix)) = form else {
        return Ok(Err(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT));
    };
    let found = functions::address(&format!("{symbol}{suffix}"));
    Ok(found.ok_or(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND))
}

driver! {
    /// The function of a name, without suffix, as a version of CUDA has it; what is not there is no
    /// error, but null (F250). Works before `cuInit`.
    fn cuGetProcAddress_v2(
        symbol: *const c_char,
        pfn: *mut *mut c_void,
        cudaVersion: c_int,
        flags: cuuint64_t,
        symbolStatus: *mut CUdriverProcAddressQueryResult,
    ) [always, after_fault] {
        let found = look_up(symbol, cudaVersion, flags)?;
        entry::wanted(pfn)?;
        let status = found.err().unwrap_or(CU_GET_PROC_ADDRESS_SUCCESS);
        entry::write_optional(symbolStatus, status);
        entry::write(pfn, found.unwrap_or(std::ptr::null_mut()))
    }
    /// The same; what is not there is NOT_FOUND.
    fn cuGetProcAddress(
        symbol: *const c_char,
        pfn: *mut *mut c_void,
        cudaVersion: c_int,
        flags: cuuint64_t,
    ) [always, after_fault] {
        let found = look_up(symbol, cudaVersion, flags)?;
        entry::write(pfn, found.map_err(|_| CUDA_ERROR_NOT_FOUND)?)
    }
    /// There is no table of undocumented functions: INVALID_VALUE and null, as for an identity that is
    /// none (F251).
    fn cuGetExportTable(ppExportTable: *mut *const c_void, pExportTableId: *const CUuuid) [
        always,
        after_fault,
    ] {
        summary::asked_for_table(entry::read(pExportTableId)?);
        entry::write(ppExportTable, std::ptr::null())?;
        Err(CUDA_ERROR_INVALID_VALUE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_every_name_has_an_address_of_its_own() {
        let mut seen = HashMap::new();
        for (name, of) in names() {
            assert!(!of.legacy.is_empty() && !of.per_thread.is_empty(), "{name}");
            for (_, suffix) in of.legacy.iter().chain(&of.per_thread) {
                let symbol = format!("{name}{suffix}");
                let address = functions::address(&symbol);
                let address = address.unwrap_or_else(|| panic!("{symbol} is nowhere"));
                let other = seen.insert(symbol.clone(), address);
                assert!(other.is_none_or(|other| other == address), "{symbol}");
            }
        }
        assert!(seen.len() > 600);
    }
}
