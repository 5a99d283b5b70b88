//! What is wrong with an image.

use super::name;
use std::fmt;

/// The call that loads modules.
pub(crate) const LOAD: &str = name!(cuModuleLoadDataEx);

/// The kinds of images.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageError {
    expected: ImageKind,
    problem: ImageProblem,
}

/// What is wrong with an image.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageProblem {
    /// There is nothing in it.
    Empty,
    /// It is of another kind.
    IsA(ImageKind),
    /// It is none that a driver knows.
    Unknown,
    /// An ELF file for another machine, whose number is given; CUDA's is 190.
    OtherMachine(u16),
    /// It ends before a part of it does.
    Truncated {
        /// The part.
        part: &'static str,
        /// Where the part ends, in bytes.
        end: u64,
        /// The bytes that there are.
        len: usize,
    },
    /// A part contradicts another, or what the format says.
    Damaged {
        /// The part, and what is wrong with it.
        what: &'static str,
        /// Where it is, in bytes.
        at: usize,
    },
    /// The driver is known to die of it, or to hang.
    Refused {
        /// What it is.
        what: &'static str,
        /// Where it is, in bytes.
        at: usize,
    },
}

impl ImageError {
    pub(crate) fn new(expected: ImageKind, problem: ImageProblem) -> Box<Self> {
        Box::new(ImageError { expected, problem })
    }

    /// What it was to be.
    #[must_use]
    pub fn expected(&self) -> ImageKind {
        self.expected
    }

    /// What is wrong with it.
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
                write!(f, " but {found}: make `{ty}` of it")
            }
            ImageProblem::Unknown => f.write_str(
                ", nor anything else that a driver loads: PTX begins with `.version` or a comment, \
                 a cubin with 0x7f `ELF`, a fatbin with 0x50 0xed 0x55 0xba",
            ),
            ImageProblem::OtherMachine(machine) => write!(
                f,
                " but ELF for machine {machine}; a cubin is for machine 190: device code alone, \
                 such as `nvcc --cubin` writes"
            ),
            ImageProblem::Truncated { part, end, len } => write!(
                f,
                " that can be loaded: its {part} ends at byte {end}, and there are {len}; it is \
                 truncated, or damaged: build or copy it again"
            ),
            ImageProblem::Damaged { what, at } => write!(
                f,
                " that can be loaded: it is damaged, {what} at byte {at}; build or copy it again. \
                 What a compiler newer than CUDA 13.5 wrote may need `load_unchecked`"
            ),
            ImageProblem::Refused { what, at } => write!(
                f,
                " that can be loaded: it has {what} at byte {at}, which may crash or stall the driver; \
                 change what makes it"
            ),
        }
    }
}

impl std::error::Error for ImageError {}
