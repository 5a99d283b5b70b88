//! Errors in images.

use super::name;
use std::fmt;

/// The call that loads modules.
pub(crate) const LOAD: &str = name!(cuModuleLoadDataEx);

/// The kind of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImageKind {
    /// Text for the driver's compiler.
    Ptx,
    /// Machine code, in ELF.
    Cubin,
    /// A container of both, for several architectures.
    Fatbin,
}

impl fmt::Display for ImageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ImageKind::Ptx => "PTX text",
            ImageKind::Cubin => "a cubin",
            ImageKind::Fatbin => "a fatbin",
        })
    }
}

/// An image that this crate refused before the driver saw it.
#[derive(Clone, PartialEq, Eq)]
pub struct ImageError {
    expected: ImageKind,
    problem: ImageProblem,
}

/// The problem of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageProblem {
    /// The image is empty.
    Empty,
    /// The image is of another kind.
    IsA(ImageKind),
    /// The image is of no kind that a driver knows.
    Unknown,
    /// The image looks like something else that no driver loads. Contains what, and what to do with it.
    Foreign(&'static str),
    /// An ELF file for another machine with this number. CUDA's is 190.
    OtherMachine(u16),
    /// The image ends before one of its parts does.
    Truncated {
        /// The part.
        part: &'static str,
        /// The end of the part, in bytes.
        end: u64,
        /// The size of the image, in bytes.
        len: usize,
    },
    /// A part contradicts another part, or the format.
    Damaged {
        /// The part, and its problem.
        what: &'static str,
        /// Its position, in bytes.
        at: usize,
    },
    /// It has compressed code, which cuscope only checks with its feature `compressed`.
    Compressed {
        /// The position of the code, in bytes.
        at: usize,
    },
    /// The text has a character outside of ASCII, which the driver's compiler takes nowhere.
    NotAscii {
        /// Its line, from 1.
        line: usize,
    },
    /// The driver is known to crash or hang on it.
    Refused {
        /// The refused contents.
        what: &'static str,
        /// Its position, in bytes.
        at: usize,
    },
}

impl ImageError {
    pub(crate) fn new(expected: ImageKind, problem: ImageProblem) -> Box<Self> {
        Box::new(ImageError { expected, problem })
    }

    /// Returns the kind that the image should have.
    #[must_use]
    pub fn expected(&self) -> ImageKind {
        self.expected
    }

    /// Returns the problem.
    #[must_use]
    pub fn problem(&self) -> &ImageProblem {
        &self.problem
    }
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ImageError { expected, problem } = self;
        write!(f, "`{}` was not called: this is not {expected}", LOAD)?;
        match problem {
            ImageProblem::Empty => f.write_str(": it is empty"),
            ImageProblem::IsA(found) => {
                let ty = format!("{found:?}");
                write!(f, " but {found}: use `{ty}`")
            }
            ImageProblem::Unknown => f.write_str(
                ", and not another image that a driver loads: PTX starts with `.version` or a \
                 comment, a cubin with 0x7f `ELF`, a fatbin with 0x50 0xed 0x55 0xba",
            ),
            ImageProblem::Foreign(what) => write!(f, " but {what}"),
            ImageProblem::OtherMachine(machine) => write!(
                f,
                " but an ELF file for machine {machine}; a cubin is for machine 190 and contains \
                 only device code: write one with `nvcc --cubin`"
            ),
            ImageProblem::Truncated { part, end, len } => write!(
                f,
                " that can be loaded: its {part} ends at byte {end}, but it has {len} bytes; it is \
                 truncated or damaged: build or copy it again"
            ),
            ImageProblem::Damaged { what, at } => write!(
                f,
                " that can be loaded: it is damaged, {what} at byte {at}; build or copy it again. \
                 Images from a compiler newer than CUDA 13.5 may need `load_unchecked`"
            ),
            ImageProblem::Compressed { at } => write!(
                f,
                " that can be loaded: its code at byte {at} is compressed; enable the feature \
                 `compressed` of cuscope, which unpacks and checks it, or build the image with \
                 `nvcc --no-compress`"
            ),
            ImageProblem::NotAscii { line } => write!(
                f,
                " that can be loaded: line {line} has a non-ASCII character, in whatever encoding, which \
                 the driver's compiler refuses wherever it is; remove it, also from comments and the \
                 paths of `.file`"
            ),
            ImageProblem::Refused { what, at } => write!(
                f,
                " that can be loaded: it has {what} at byte {at}, which may crash or hang the \
                 driver; change the code that generates it"
            ),
        }
    }
}

super::debug_with_message!(ImageError: expected problem);

impl std::error::Error for ImageError {}
