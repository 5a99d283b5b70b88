//! The options of a compilation.

use crate::Arch;
use crate::error::{COMPILE, NvrtcError};
use std::ffi::{CString, OsStr, OsString};
use std::fmt;
use std::path::Path;

/// A dialect of C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CppStandard {
    /// C++03.
    Cpp03,
    /// C++11.
    Cpp11,
    /// C++14.
    Cpp14,
    /// C++17.
    Cpp17,
    /// C++20; NVRTC 12.0 and later.
    Cpp20,
    /// C++23; NVRTC 13.3 and later.
    Cpp23,
}

/// The options of a compilation: a builder.
///
/// NVRTC's defaults apply to options that you do not set: an old architecture and, from NVRTC 12.0 on, C++17,
/// with optimisation. If you set an option again, the new value replaces the old one.
///
/// # Examples
/// ```
/// use cuscope_nvrtc::{Arch, CompileOptions};
/// let options = CompileOptions::new().arch(Arch::compute(80)).fast_math(true).define("N", "64");
/// assert_eq!(options.to_string(), "--gpu-architecture=compute_80 --use_fast_math --define-macro=N=64");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileOptions {
    arch: Option<Arch>,
    options: Vec<OsString>,
}

impl CompileOptions {
    /// Creates an empty set of options.
    #[must_use]
    pub fn new() -> Self {
        CompileOptions::default()
    }

    /// Sets the architecture to compile for.
    #[must_use]
    pub fn arch(mut self, arch: Arch) -> Self {
        self.arch = Some(arch);
        self
    }

    /// Returns the architecture that [`arch`](Self::arch) set.
    #[must_use]
    pub fn chosen_arch(&self) -> Option<Arch> {
        self.arch
    }

    /// Sets the dialect of C++.
    #[must_use]
    pub fn std(self, standard: CppStandard) -> Self {
        let name = match standard {
            CppStandard::Cpp03 => "c++03",
            CppStandard::Cpp11 => "c++11",
            CppStandard::Cpp14 => "c++14",
            CppStandard::Cpp17 => "c++17",
            CppStandard::Cpp20 => "c++20",
            CppStandard::Cpp23 => "c++23",
        };
        self.set("--std", name)
    }

    /// Enables fast and less accurate arithmetic: approximate functions, and the corresponding values of
    /// [`flush_denormals`](Self::flush_denormals), [`precise_division`](Self::precise_division),
    /// [`precise_sqrt`](Self::precise_sqrt) and [`fmad`](Self::fmad).
    #[must_use]
    pub fn fast_math(self, on: bool) -> Self {
        self.flag("--use_fast_math", on)
    }

    /// Sets whether a product and a sum may become one operation, rounded once. NVRTC's default: yes.
    #[must_use]
    pub fn fmad(self, on: bool) -> Self {
        self.boolean("--fmad", on)
    }

    /// Sets whether denormal numbers of single precision become zero. NVRTC's default: no.
    #[must_use]
    #[doc(alias = "ftz")]
    pub fn flush_denormals(self, on: bool) -> Self {
        self.boolean("--ftz", on)
    }

    /// Sets whether division in single precision is rounded as IEEE 754 requires. NVRTC's default: yes.
    #[must_use]
    #[doc(alias = "prec-div")]
    pub fn precise_division(self, on: bool) -> Self {
        self.boolean("--prec-div", on)
    }

    /// Sets whether square roots in single precision are rounded as IEEE 754 requires. NVRTC's default: yes.
    #[must_use]
    #[doc(alias = "prec-sqrt")]
    pub fn precise_sqrt(self, on: bool) -> Self {
        self.boolean("--prec-sqrt", on)
    }

    /// Sets the maximum number of registers of a thread.
    #[must_use]
    #[doc(alias = "maxrregcount")]
    pub fn max_registers(self, registers: u32) -> Self {
        self.set("--maxrregcount", &registers.to_string())
    }

    /// Adds information for a debugger, and disables optimisation.
    #[must_use]
    pub fn debug(self, on: bool) -> Self {
        self.flag("--device-debug", on)
    }

    /// Adds line numbers, for profilers and `compute-sanitizer`. This costs no speed.
    #[must_use]
    pub fn line_info(self, on: bool) -> Self {
        self.flag("--generate-line-info", on)
    }

    /// Adds a folder that is searched for headers, after the headers of the program.
    #[must_use]
    pub fn include(self, folder: impl AsRef<Path>) -> Self {
        self.push("--include-path=", folder.as_ref().as_os_str())
    }

    /// Includes a header before the source.
    #[must_use]
    pub fn pre_include(self, header: &str) -> Self {
        self.push("--pre-include=", header.as_ref())
    }

    /// Defines a macro. An empty value means no value, as in `#define name`.
    #[must_use]
    pub fn define(self, name: &str, value: impl fmt::Display) -> Self {
        self.push("--define-macro=", format!("{name}={value}").as_ref())
    }

    /// Undefines a macro, also one that the compiler defines.
    #[must_use]
    pub fn undefine(self, name: &str) -> Self {
        self.push("--undefine-macro=", name.as_ref())
    }

    /// Generates code that can be linked with other code: `extern` functions and variables, kept even if
    /// unused.
    #[must_use]
    pub fn relocatable(self, on: bool) -> Self {
        self.boolean("--relocatable-device-code", on)
    }

    /// Produces LTO-IR, for link-time optimisation, instead of PTX and a cubin.
    #[must_use]
    pub fn lto(self, on: bool) -> Self {
        self.flag("--dlink-time-opt", on)
    }

    /// Produces OptiX-IR instead of PTX and a cubin.
    #[must_use]
    pub fn optix_ir(self, on: bool) -> Self {
        self.flag("--optix-ir", on)
    }

    /// Treats functions without `__device__` or `__global__` as device functions.
    #[must_use]
    pub fn device_by_default(self, on: bool) -> Self {
        self.flag("--device-as-default-execution-space", on)
    }

    /// Declares that the pointer parameters of kernels do not overlap, as `__restrict__` on each does.
    #[must_use]
    pub fn restrict(self, on: bool) -> Self {
        self.flag("--restrict", on)
    }

    /// Omits built-in declarations, such as texture types and cooperative groups, so that compilation is
    /// faster. NVRTC 12.4 and later.
    #[must_use]
    pub fn minimal(self, on: bool) -> Self {
        self.flag("--minimal", on)
    }

    /// Disables warnings in the log.
    #[must_use]
    pub fn disable_warnings(self, on: bool) -> Self {
        self.flag("--disable-warnings", on)
    }

    /// Appends the times that the parts of the compilation took to a file, as a table. NVRTC 12.1 and
    /// later.
    #[must_use]
    pub fn time(self, file: impl AsRef<Path>) -> Self {
        self.without("--time=").push("--time=", file.as_ref().as_os_str())
    }

    /// Adds an option in NVRTC's form: `"--ptxas-options=--verbose"`.
    #[must_use]
    pub fn raw(self, option: impl AsRef<OsStr>) -> Self {
        self.push("", option.as_ref())
    }

    fn push(mut self, name: &str, value: &OsStr) -> Self {
        let mut option = OsString::from(name);
        option.push(value);
        self.options.push(option);
        self
    }

    /// Removes the options that begin with `prefix`.
    fn without(mut self, prefix: &str) -> Self {
        self.options.retain(|option| !option.as_encoded_bytes().starts_with(prefix.as_bytes()));
        self
    }

    fn set(self, name: &str, value: &str) -> Self {
        let name = format!("{name}=");
        self.without(&name).push(&name, value.as_ref())
    }

    fn boolean(self, name: &str, on: bool) -> Self {
        self.set(name, if on { "true" } else { "false" })
    }

    fn flag(mut self, name: &str, on: bool) -> Self {
        self.options.retain(|option| option != name);
        if on { self.push("", name.as_ref()) } else { self }
    }

    /// Returns all options, the architecture first.
    fn all(&self) -> impl Iterator<Item = OsString> {
        let arch = self.arch.map(|arch| OsString::from(format!("--gpu-architecture={arch}")));
        arch.into_iter().chain(self.options.iter().cloned())
    }

    /// Returns the options in NVRTC's form.
    pub(crate) fn to_strings(&self) -> Result<Vec<CString>, NvrtcError> {
        let string = |option: OsString| {
            CString::new(option.into_encoded_bytes()).map_err(|error| {
                let at = error.nul_position();
                let option = String::from_utf8_lossy(&error.into_vec()).into_owned();
                let reason =
                    format!("the option {option:?} contains a NUL byte at {at}: remove it");
                NvrtcError::invalid(COMPILE, reason)
            })
        };
        self.all().map(string).collect()
    }
}

impl fmt::Display for CompileOptions {
    /// Formats the options in NVRTC's form, separated by spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, option) in self.all().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{}", option.to_string_lossy())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_what_nvrtc_takes() {
        let options = CompileOptions::new()
            .std(CppStandard::Cpp20)
            .arch(Arch::sm(90).specific())
            .fmad(false)
            .flush_denormals(true)
            .precise_division(false)
            .precise_sqrt(true)
            .max_registers(32)
            .include("/a b")
            .define("X", 1)
            .define("Y", "")
            .undefine("Z")
            .relocatable(true)
            .time("t.csv")
            .raw("--ptxas-options=-v");
        assert_eq!(
            options.to_string(),
            "--gpu-architecture=sm_90a --std=c++20 --fmad=false --ftz=true --prec-div=false \
             --prec-sqrt=true --maxrregcount=32 --include-path=/a b --define-macro=X=1 \
             --define-macro=Y= --undefine-macro=Z --relocatable-device-code=true --time=t.csv \
             --ptxas-options=-v"
        );
        assert_eq!(options.to_strings().unwrap().len(), 14);
    }

    #[test]
    fn options_that_are_set_again_are_replaced_and_added_ones_stay() {
        let options = CompileOptions::new()
            .fmad(true)
            .fast_math(true)
            .arch(Arch::compute(75))
            .time("a")
            .define("A", 1)
            .fmad(false)
            .fast_math(false)
            .arch(Arch::compute(80))
            .time("b")
            .define("B", 2);
        assert_eq!(
            options.to_string(),
            "--gpu-architecture=compute_80 --define-macro=A=1 --fmad=false --time=b --define-macro=B=2"
        );
    }

    #[test]
    fn a_nul_in_an_option_is_an_error_that_names_it() {
        let error = CompileOptions::new().define("A", "1\0-w").to_strings().unwrap_err();
        let text = error.to_string();
        for part in ["`nvrtcCompileProgram`", "--define-macro=A=1", "at 18"] {
            assert!(text.contains(part), "{part} is not in: {text}");
        }
    }
}
