//! Signatures that are not the kernel's.

use std::fmt;

/// A signature that is not the kernel's: nothing was launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureError {
    pub(crate) kernel: String,
    pub(crate) index: usize,
    pub(crate) problem: SignatureProblem,
}

/// Where a signature and a kernel part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SignatureProblem {
    /// The signature ends, and the kernel has another parameter.
    TooFew {
        /// Bytes of the parameter.
        size: usize,
        /// Its place among the parameters, in bytes.
        offset: usize,
    },
    /// The kernel has no such parameter.
    TooMany {
        /// What the signature says it is.
        given: &'static str,
    },
    /// The parameter is elsewhere, or has another size.
    Layout {
        /// Bytes of the kernel's parameter.
        size: usize,
        /// Its place among the parameters, in bytes.
        offset: usize,
        /// What the signature says it is.
        given: &'static str,
        /// The bytes of that.
        given_size: usize,
        /// Where that would be.
        given_offset: usize,
    },
    /// The size is right, and the PTX text says another type.
    Type {
        /// The type in the PTX text.
        ptx: String,
        /// What the signature says it is.
        given: &'static str,
    },
}

impl SignatureError {
    /// The kernel's name.
    #[must_use]
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Which parameter, counted from 0.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// What is wrong with it.
    #[must_use]
    pub fn problem(&self) -> &SignatureProblem {
        &self.problem
    }
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SignatureError { kernel, index, problem } = self;
        write!(f, "the signature is not that of `{kernel}`: parameter {index} ")?;
        match problem {
            SignatureProblem::TooFew { size, offset } => {
                write!(f, "is missing; the kernel has {size} bytes there, at offset {offset}")
            }
            SignatureProblem::TooMany { given } => {
                write!(f, "is `{given}`, and the kernel has no more than {index}")
            }
            SignatureProblem::Layout { size, offset, given, given_size, given_offset } => write!(
                f,
                "has {size} bytes at offset {offset}, and `{given}` would have {given_size} at offset \
                 {given_offset}"
            ),
            SignatureProblem::Type { ptx, given } => {
                write!(f, "is `{ptx}` in the PTX text, and `{given}` in the signature")
            }
        }?;
        f.write_str("; write the parameters as the kernel declares them")
    }
}

impl std::error::Error for SignatureError {}
