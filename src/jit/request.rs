//! Options in the driver's form, and the logs that it writes.

use super::{JitOptions, refusals};
use crate::device::Device;
use crate::error::{DriverError, Error, LoadError, Result};
use crate::memory::zeros;
use ffi::{CUjit_option, CUresult};
use std::ffi::{CStr, CString, c_char, c_uint, c_void};
use std::time::Duration;
use std::{fmt, ptr};

/// The logs of compiler and linker about code that was loaded.
#[derive(Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct JitLog {
    /// Information, if you requested it with [`JitOptions::verbose`].
    pub info: String,
    /// Warnings: errors that did not stop the compiler.
    pub errors: String,
    /// The time that it took, if you requested it.
    pub time: Option<Duration>,
}

impl fmt::Debug for JitLog {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JitLog({}{}{:?})", self.errors, self.info, self.time)
    }
}

/// The options that not all drivers have, or not with each value, and the methods of [`JitOptions`] that set them.
const NOT_EVERYWHERE: [(CUjit_option, &str); 3] = [
    (ffi::CU_JIT_TARGET, "target"),
    (ffi::CU_JIT_BINARY_LOADER_THREAD_COUNT, "loader_threads"),
    (ffi::CU_JIT_SPLIT_COMPILE, "split_compile"),
];

/// Options and their values, with all memory that they point to, which stays in place until this is dropped:
/// the driver writes to it.
pub(crate) struct Request {
    options: Vec<CUjit_option>,
    values: Vec<*mut c_void>,
    errors: Vec<u8>,
    info: Vec<u8>,
    /// The memory that the values of lists point to.
    _names: Vec<Vec<CString>>,
    _lists: Vec<Vec<*const c_char>>,
    _addresses: Vec<*mut c_void>,
}

/// Stores a number in place of a pointer.
#[inline]
fn number(value: usize) -> *mut c_void {
    ptr::without_provenance_mut(value)
}

impl Request {
    /// Converts options for a call, which appears in errors.
    #[inline]
    pub(crate) fn new(call: &'static str, options: &JitOptions) -> Result<Request> {
        if let Some(reason) = options.refused {
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        }
        let mut request = Request {
            options: Vec::new(),
            values: Vec::new(),
            errors: zeros(call, options.error_log as usize)?,
            info: zeros(call, options.info_log as usize)?,
            _names: Vec::new(),
            _lists: Vec::new(),
            _addresses: options.addresses.clone(),
        };
        if options.error_log > 0 {
            let buffer = request.errors.as_mut_ptr().cast();
            request.push(ffi::CU_JIT_ERROR_LOG_BUFFER, buffer);
            let bytes = number(options.error_log as usize);
            request.push(ffi::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, bytes);
        }
        if options.info_log > 0 {
            let buffer = request.info.as_mut_ptr().cast();
            request.push(ffi::CU_JIT_INFO_LOG_BUFFER, buffer);
            let bytes = number(options.info_log as usize);
            request.push(ffi::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, bytes);
        }
        if options.time {
            request.push(ffi::CU_JIT_WALL_TIME, number(0));
        }
        for &(option, value) in &options.numbers {
            request.push(option, number(value));
        }
        for (list, count, names) in &options.names {
            let names = names.clone();
            let mut pointers: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
            request.push(*list, pointers.as_mut_ptr().cast());
            if *list == ffi::CU_JIT_GLOBAL_SYMBOL_NAMES {
                let addresses = request._addresses.as_mut_ptr().cast();
                request.push(ffi::CU_JIT_GLOBAL_SYMBOL_ADDRESSES, addresses);
            }
            request.push(*count, number(names.len()));
            request._names.push(names);
            request._lists.push(pointers);
        }
        Ok(request)
    }

    #[inline]
    fn push(&mut self, option: CUjit_option, value: *mut c_void) {
        self.options.push(option);
        self.values.push(value);
    }

    /// Returns the number of options, the options, and their values, which the driver may write.
    #[inline]
    pub(crate) fn parts(&mut self) -> (c_uint, *mut CUjit_option, *mut *mut c_void) {
        let (options, values) = (self.options.as_mut_ptr(), self.values.as_mut_ptr());
        (self.options.len() as c_uint, options, values)
    }

    /// Returns which options the driver may have refused.
    #[cold]
    #[inline]
    pub(crate) fn refused(&self, code: CUresult) -> Option<String> {
        // A library says of a target that is none that its image is none (F283).
        let may = |option| match code {
            ffi::CUDA_ERROR_INVALID_VALUE => true,
            ffi::CUDA_ERROR_INVALID_IMAGE => option == ffi::CU_JIT_TARGET,
            _ => false,
        };
        let set = self.options.iter().zip(&self.values).filter(|&(&option, _)| may(option));
        let named = set.filter_map(|(option, value)| {
            let (_, name) = NOT_EVERYWHERE.iter().find(|(one, _)| one == option)?;
            Some(format!("`{name}` is {}", value.addr()))
        });
        let named: Vec<_> = named.collect();
        (!named.is_empty()).then(|| {
            format!(
                "the driver does not have an option of the compiler, or its value: {}; leave it out, or pass another value",
                named.join(", ")
            )
        })
    }

    /// Returns the error of a load that the driver refused, for a device, with the reason if it is known.
    #[cold]
    #[inline]
    pub(crate) fn not_loaded(
        &self,
        driver: DriverError,
        ptx: Option<&[u8]>,
        device: Option<Device>,
    ) -> Box<LoadError> {
        let reason = refusals::load(ptx, device, driver.code());
        let reason = reason.or_else(|| match (ptx, driver.code()) {
            // Machine code is no image for what it is, whatever the options are.
            (None, ffi::CUDA_ERROR_INVALID_IMAGE) => None,
            (_, code) => self.refused(code),
        });
        Box::new(LoadError::new(driver, self.errors(), ptx).because(reason))
    }

    /// Returns the log of errors.
    #[inline]
    pub(crate) fn errors(&self) -> String {
        text(&self.errors)
    }

    /// Returns all logs.
    #[inline]
    pub(crate) fn log(&self) -> JitLog {
        let time = self.options.iter().position(|&option| option == ffi::CU_JIT_WALL_TIME);
        // Milliseconds, as the bits of an `f32` in the low half of the pointer.
        let time = time.map(|i| f32::from_bits(self.values[i].addr() as u32) / 1e3);
        let time = time.and_then(|seconds| Duration::try_from_secs_f32(seconds).ok());
        JitLog { info: text(&self.info), errors: self.errors(), time }
    }
}

#[inline]
fn text(log: &[u8]) -> String {
    let text = match CStr::from_bytes_until_nul(log) {
        Ok(text) => text.to_bytes(),
        // A full log.
        Err(_) => log,
    };
    String::from_utf8_lossy(text).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ffi::CUjit_target;

    #[test]
    fn a_list_of_names_comes_with_its_length_and_its_addresses() {
        let mut options = JitOptions::new().error_log(0).measure_time();
        let symbols = (ffi::CU_JIT_GLOBAL_SYMBOL_NAMES, ffi::CU_JIT_GLOBAL_SYMBOL_COUNT);
        options.names.push((symbols.0, symbols.1, vec![c"a".into(), c"b".into()]));
        options.addresses = vec![number(8), number(16)];
        let options = options.referenced_kernels(["c"]).unwrap();
        let request = Request::new("call", &options).unwrap();
        let numbers: Vec<u32> = request.options.iter().map(|option| option.0).collect();
        assert_eq!(numbers, [2, 17, 18, 19, 25, 26]);
        assert_eq!([3, 5].map(|count| request.values[count].addr()), [2, 1]);
        // The driver reads the lists, so the request has them and the names.
        let lists: Vec<*mut c_void> =
            request._lists.iter().map(|list| list.as_ptr().cast_mut().cast()).collect();
        assert_eq!([1, 4].map(|list| request.values[list]), lists[..]);
        assert_eq!(request.values[2], request._addresses.as_ptr().cast_mut().cast());
        let names: Vec<_> = request._names.iter().flatten().map(|name| name.as_ptr()).collect();
        assert_eq!(names, request._lists.concat());
        assert_eq!(names.len(), 3);
    }

    #[test]
    fn an_option_is_the_reason_for_a_wrong_value_alone() {
        let options = JitOptions::new().target(CUjit_target(7)).loader_threads(3);
        let request = Request::new("call", &options).unwrap();
        let reason = request.refused(ffi::CUDA_ERROR_INVALID_VALUE).unwrap();
        assert!(reason.contains("`target` is 7, `loader_threads` is 3;"), "{reason}");
        assert_eq!(request.refused(ffi::CUDA_ERROR_INVALID_PTX), None);
        let reason = request.refused(ffi::CUDA_ERROR_INVALID_IMAGE).unwrap();
        assert!(reason.contains("`target` is 7;"), "{reason}");
        // Which is said of text alone.
        let told = |ptx| {
            let driver = DriverError::new("call", ffi::CUDA_ERROR_INVALID_IMAGE);
            request.not_loaded(driver, ptx, None).to_string()
        };
        let (text, code) = (told(Some(&b"text"[..])), told(None));
        assert!(text.contains("`target` is 7;") && !code.contains("`target`"), "{text}, {code}");
        let request = Request::new("call", &JitOptions::new().max_registers(7)).unwrap();
        assert_eq!(request.refused(ffi::CUDA_ERROR_INVALID_VALUE), None);
    }

    #[test]
    fn the_time_is_in_milliseconds_and_only_there_if_it_was_asked_for() {
        let options = JitOptions::new().error_log(0).max_registers(1);
        assert_eq!(Request::new("call", &options).unwrap().log().time, None);
        let mut request = Request::new("call", &options.measure_time()).unwrap();
        request.values[0] = number(1500_f32.to_bits() as usize);
        assert_eq!(request.log().time, Some(Duration::from_millis(1500)));
    }
}
