//! The linker: PTX whose declarations without a body are defined by other PTX (F289).
//!
//! The result is PTX as well, and can be loaded by this driver alone.

use crate::entry::Answer;
use crate::image::ptx_of;
use crate::model::device_runtime;
use crate::model::jit::Logs;
use crate::registry::Registry;
use crate::symbols::{Linkage, resolved, symbols};
use crate::{image, summary, sync};
use cuscope_ptx as ptx;
use cuscope_sys::*;
use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;
use std::sync::Mutex;

/// The assembler's message for a function or a variable that another input may have; its name follows.
const UNRESOLVED: &str = "Unresolved extern ";
/// PTX that links to nothing.
const NOTHING: &str = ".version 7.0\n.target sm_52\n.address_size 64\n";

/// Links in progress.
pub(crate) static LINKS: LazyLock<Registry<Link>> = LazyLock::new(|| Registry::new(0x4c));

/// A link in progress.
pub(crate) struct Link {
    pub(crate) logs: Logs,
    pub(crate) inner: Mutex<Inner>,
}

#[derive(Default)]
pub(crate) struct Inner {
    /// Name and text of each input.
    inputs: Vec<(String, String)>,
    /// The code with which an input was refused, if that ends the link.
    failed: Option<CUresult>,
    /// Whether a library was added, and with it what this driver has of the device runtime.
    library: bool,
    /// The linked image.
    image: Option<Box<[u8]>>,
}

/// The names that a text has, and no other text may have.
fn visible(text: &str) -> impl Iterator<Item = &str> {
    let all = symbols(text).into_iter();
    all.filter(|symbol| symbol.linkage == Linkage::Visible).map(|symbol| symbol.name)
}

/// A text without its head, which is that of the whole: three directives, each with a word after it.
fn body(text: &str) -> String {
    let mut out = text.to_owned();
    for directive in [".version", ".target", ".address_size"] {
        let Some(at) = out.find(directive) else { continue };
        let mut end = at + directive.len();
        loop {
            end = out.len() - out[end..].trim_start().len();
            let word = out[end..].split(char::is_whitespace).next().unwrap_or_default();
            end += word.len();
            // `.target sm_75, debug`
            if word.is_empty() || !word.ends_with(',') {
                break;
            }
        }
        out.replace_range(at..end, "");
    }
    out
}

/// A text whose kernels have at most so many registers, if they do not limit them themselves: the image of a link
/// is PTX, and so the limit is in it.
fn limited(text: &str, most: u32) -> String {
    const OWN: [&str; 3] = [".maxntid", ".reqntid", ".maxnreg"];
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(".entry") {
        let Some(end) = rest[at..].find(['{', ';']).map(|end| at + end) else { break };
        let (head, behind) = rest.split_at(end);
        out.push_str(head);
        if behind.starts_with('{') && !OWN.iter().any(|own| head[at..].contains(own)) {
            out.push_str(&format!(".maxnreg {most}\n"));
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// The members of an archive; none if it is no archive, or cut short.
fn members(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    const HEAD: usize = 60;
    let mut rest = bytes.strip_prefix(b"!<arch>\n")?;
    let mut members = Vec::new();
    while !rest.is_empty() {
        let (head, behind) = rest.split_at_checked(HEAD)?;
        let size: usize = std::str::from_utf8(&head[48..58]).ok()?.trim_end().parse().ok()?;
        let (member, behind) = behind.split_at_checked(size)?;
        members.push(member);
        // Members begin at even places.
        rest = behind.strip_prefix(b"\n").filter(|_| size % 2 == 1).unwrap_or(behind);
    }
    Some(members)
}

impl Link {
    /// Adds an input, whose kernels have at most so many registers.
    pub(crate) fn add(
        &self,
        kind: CUjitInputType,
        bytes: &[u8],
        name: &str,
        most: Option<u32>,
    ) -> Answer {
        let mut inner = sync::lock(&self.inner);
        if inner.image.is_some() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        if let (CU_JIT_INPUT_LIBRARY, Some(members)) = (kind, members(bytes)) {
            inner.library = true;
            // Machine code is not needed, or missed by name once the link is completed.
            let mut sources = members.into_iter().filter_map(|member| source(member).ok());
            return sources.try_for_each(|source| self.add_text(&mut inner, source, name, most));
        }
        let source = source(bytes);
        let source = match (kind, source) {
            // A file that is none of a host's, and one without code for a device (F289).
            (CU_JIT_INPUT_OBJECT | CU_JIT_INPUT_LIBRARY, Err(CUDA_ERROR_INVALID_IMAGE)) => {
                return Err(CUDA_ERROR_UNKNOWN);
            }
            (CU_JIT_INPUT_OBJECT | CU_JIT_INPUT_LIBRARY, _) => {
                return Err(CUDA_ERROR_INVALID_IMAGE);
            }
            (_, Err(code)) => {
                if code == CUDA_ERROR_NO_BINARY_FOR_GPU {
                    image::refused();
                    self.logs.write(&format!("error   : {}", image::MACHINE_CODE));
                }
                inner.failed = Some(code);
                return Err(code);
            }
            (CU_JIT_INPUT_PTX | CU_JIT_INPUT_FATBINARY, Ok(source)) => source,
            _ => return Err(CUDA_ERROR_INVALID_IMAGE),
        };
        self.add_text(&mut inner, source, name, most)
    }

    /// Adds PTX.
    fn add_text(
        &self,
        inner: &mut Inner,
        source: Vec<u8>,
        name: &str,
        most: Option<u32>,
    ) -> Answer {
        let text = String::from_utf8_lossy(&source).into_owned();
        if let Err(error) = ptx::Module::parse(&text) {
            let others = |line: &&str| line.contains("error   :") && !line.contains(UNRESOLVED);
            if error.log.lines().any(|line| others(&line)) || !error.log.contains(UNRESOLVED) {
                self.logs.write(error.log.trim_end());
                summary::refused_ptx(&error.log, &text);
                return Err(crate::model::module::code(&error));
            }
        }
        let mut first = BTreeMap::new();
        for (input, text) in &inner.inputs {
            visible(text).for_each(|name| _ = first.insert(name, input));
        }
        if let Some(twice) = visible(&text).find(|name| first.contains_key(name)) {
            self.logs.write(&format!(
                "error   : Multiple definition of '{twice}' in '{name}', first defined in '{}'",
                first[twice]
            ));
            inner.failed = Some(CUDA_ERROR_INVALID_SOURCE);
            return Err(CUDA_ERROR_INVALID_SOURCE);
        }
        let text = match most.or(self.logs.max_registers()) {
            Some(most) => limited(&text, most),
            None => text,
        };
        inner.inputs.push((name.to_owned(), text));
        Ok(())
    }

    /// One text of all: definitions before those who call them is not asked for.
    pub(crate) fn complete(&self) -> Answer<(usize, usize)> {
        let mut inner = sync::lock(&self.inner);
        if inner.image.is_some() {
            return Err(CUDA_ERROR_INVALID_HANDLE);
        }
        if let Some(code) = inner.failed {
            return Err(code);
        }
        let mut whole = String::new();
        let texts: Vec<_> = inner.inputs.iter().map(|(_, text)| text.as_str()).collect();
        for (i, text) in resolved(&texts).into_iter().enumerate() {
            whole.push_str(&if i == 0 { text } else { body(&text) });
            whole.push('\n');
        }
        if whole.is_empty() {
            NOTHING.clone_into(&mut whole);
        }
        if inner.library {
            let functions = symbols(&whole).into_iter().filter(|one| one.is_function);
            let defined: HashSet<_> = functions
                .filter(|one| one.linkage != Linkage::Extern)
                .map(|one| one.name)
                .collect();
            let used = |name: &str| whole.contains(name) && !defined.contains(name);
            let used = device_runtime::FUNCTIONS.iter().filter(|(name, _)| used(name));
            let texts: String = used.map(|(_, text)| *text).collect();
            whole.push_str(&texts);
        }
        let parsed = ptx::Module::parse(&whole);
        let missing = match &parsed {
            // A module has memory for such a variable, but the linker wants one.
            Ok(code) => code.external.first().map(String::as_str),
            Err(error) => {
                error.log.split(UNRESOLVED).nth(1).and_then(|rest| rest.split('\'').nth(1))
            }
        };
        let by = |name: &str| inner.inputs.iter().find(|(_, text)| text.contains(name));
        let log = match (missing.and_then(|name| Some((name, by(name)?))), &parsed) {
            (Some((name, (input, _))), _) => {
                format!("error   : Undefined reference to '{name}' in '{input}'")
            }
            (None, Err(error)) => error.log.trim_end().to_owned(),
            (None, Ok(code)) => {
                self.logs.succeeded(Some(code));
                String::new()
            }
        };
        if !log.is_empty() {
            self.logs.write(&log);
            return Err(CUDA_ERROR_INVALID_SOURCE);
        }
        whole.push('\0');
        let image = inner.image.insert(whole.into_bytes().into_boxed_slice());
        Ok((image.as_ptr().expose_provenance(), image.len()))
    }
}

/// The PTX in an input; the NUL may be missing.
fn source(bytes: &[u8]) -> Answer<Vec<u8>> {
    let padded: Vec<u8> = bytes.iter().copied().chain([0; 128]).collect();
    ptx_of(padded.as_ptr().cast())
}
