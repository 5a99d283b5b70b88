//! Programs: source, headers and name expressions.

use crate::error::PTX;
use crate::raw::RawProgram;
use crate::{CompileError, CompileLog, CompileOptions, Compiled, NvrtcError, ffi};
use std::borrow::Cow;
use std::ffi::CString;

const CREATE: &str = "nvrtcCreateProgram";
/// The file name of name expressions in messages. The first of them is on line 2.
const NAMES: &str = "__nv_name_map";

/// A program in CUDA C++, which can be compiled once or, with different options, several times.
#[derive(Clone, Debug)]
pub struct Program<'a> {
    name: Cow<'a, str>,
    source: Cow<'a, str>,
    headers: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    expressions: Vec<Cow<'a, str>>,
}

impl<'a> Program<'a> {
    /// Creates a program from a name, which the compiler's messages show, and its source. If the name is a
    /// path, the compiler looks for headers in its folder too.
    #[must_use]
    pub fn new(name: impl Into<Cow<'a, str>>, source: impl Into<Cow<'a, str>>) -> Self {
        let (headers, expressions) = (Vec::new(), Vec::new());
        Program { name: name.into(), source: source.into(), headers, expressions }
    }

    /// Adds a header, with the name by which it is included.
    #[must_use]
    pub fn header(mut self, name: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>) -> Self {
        self.headers.push((name.into(), text.into()));
        self
    }

    /// Requests the PTX name of a kernel, `__device__` variable or `__constant__` of C++, for
    /// [`Compiled::lowered_name`]. A template is instantiated: `"scale<float>"`.
    #[must_use]
    #[doc(alias = "nvrtcAddNameExpression")]
    pub fn name_expression(mut self, expression: impl Into<Cow<'a, str>>) -> Self {
        self.expressions.push(expression.into());
        self
    }

    /// Compiles the program.
    ///
    /// # Errors
    /// [`NvrtcError::Compile`] with the compiler's log, if the source or an option is wrong, or
    /// libnvrtc-builtins is missing; [`NvrtcError::InvalidArgument`] for a NUL byte in a name, a text, or an
    /// option; [`NvrtcError::NotLoaded`].
    #[doc(alias = "nvrtcCreateProgram")]
    #[doc(alias = "nvrtcCompileProgram")]
    pub fn compile(&self, options: &CompileOptions) -> Result<Compiled, NvrtcError> {
        let source = string(CREATE, "the source", &self.source)?;
        let name = string(CREATE, "the name of the program", &self.name)?;
        let headers = self.headers.iter().map(|(name, text)| {
            let what = format!("the header {name:?}");
            Ok((string(CREATE, "the name of a header", name)?, string(CREATE, &what, text)?))
        });
        let headers = headers.collect::<Result<Vec<_>, NvrtcError>>()?;
        let expressions = self
            .expressions
            .iter()
            .map(|it| string("nvrtcAddNameExpression", "a name expression", it))
            .collect::<Result<Vec<_>, NvrtcError>>()?;
        let strings = options.to_strings()?;

        let mut raw = RawProgram::create(&source, &name, &headers)?;
        for expression in &expressions {
            raw.add_name_expression(expression)?;
        }
        let code = raw.compile(&strings)?;
        let log = match raw.log() {
            Ok(log) => log,
            Err(error) if code == ffi::NVRTC_SUCCESS => return Err(error),
            Err(_) => Vec::new(), // the code says more
        };
        let log = CompileLog::new(&String::from_utf8_lossy(&log), &|file, line| {
            self.line_of(&raw, file, line)
        });
        if code == ffi::NVRTC_SUCCESS {
            return Ok(Compiled::new(raw, log, options.chosen_arch()));
        }
        Err(NvrtcError::Compile(Box::new(CompileError::new(code, log, explain(code, options)))))
    }

    /// Returns a line of the source, of a header, or of the PTX, or a name expression.
    fn line_of(&self, raw: &RawProgram, file: &str, line: u32) -> Option<String> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        if file == NAMES {
            return self.expressions.get(index.checked_sub(1)?).map(|it| it.clone().into_owned());
        }
        let ptx;
        let text: &str = if file == PTX {
            ptx = raw.ptx().ok()?;
            &String::from_utf8_lossy(&ptx)
        } else if file == self.name {
            &self.source
        } else {
            &self.headers.iter().find(|(name, _)| name == file)?.1
        };
        text.lines().nth(index).map(|line| line.trim_end().to_owned())
    }
}

/// Returns the options, if they were refused.
fn explain(code: ffi::nvrtcResult, options: &CompileOptions) -> String {
    if code != ffi::NVRTC_ERROR_INVALID_OPTION {
        return String::new();
    }
    let archs = crate::supported_archs().unwrap_or_default();
    let archs: Vec<String> = archs.iter().map(u32::to_string).collect();
    format!("options: {options}; architectures: {}", archs.join(", "))
}

/// Converts a string to NVRTC's form.
fn string(call: &'static str, what: &str, text: &str) -> Result<CString, NvrtcError> {
    CString::new(text).map_err(|error| {
        let at = error.nul_position();
        NvrtcError::invalid(
            call,
            format!(
                "{what} contains a NUL byte at {at}, where NVRTC would stop reading: remove it"
            ),
        )
    })
}

/// Converts a name expression that is looked up later.
pub(crate) fn expression(call: &'static str, text: &str) -> Result<CString, NvrtcError> {
    string(call, "the name expression", text)
}
