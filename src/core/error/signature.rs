//! Signatures that do not match the kernel.

use std::fmt;

/// A signature does not match the kernel. Nothing was launched.
#[derive(Clone, PartialEq, Eq)]
pub struct SignatureError {
    pub(crate) kernel: String,
    pub(crate) index: usize,
    pub(crate) problem: SignatureProblem,
}

/// The first difference between a signature and a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SignatureProblem {
    /// The signature ends, but the kernel has another parameter.
    TooFew {
        /// The size of the parameter, in bytes.
        size: usize,
        /// Its offset in the parameters, in bytes.
        offset: usize,
    },
    /// The kernel has no such parameter.
    TooMany {
        /// The type in the signature.
        given: &'static str,
    },
    /// The parameter has another position or size.
    Layout {
        /// The size of the kernel's parameter, in bytes.
        size: usize,
        /// Its offset in the parameters, in bytes.
        offset: usize,
        /// The type in the signature.
        given: &'static str,
        /// The size of that type, in bytes.
        given_size: usize,
        /// The offset that it would have.
        given_offset: usize,
    },
    /// A guarded kernel uses the parameter as something else.
    Use {
        /// The use.
        uses: &'static str,
        /// The type in the signature.
        given: &'static str,
    },
    /// The size matches, but the PTX text declares another type.
    Type {
        /// The type in the PTX text.
        ptx: String,
        /// The type in the signature.
        given: &'static str,
    },
}

impl SignatureError {
    /// Returns the kernel's name.
    #[must_use]
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Returns the index of the parameter, counted from 0.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the difference.
    #[must_use]
    pub fn problem(&self) -> &SignatureProblem {
        &self.problem
    }
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SignatureError { kernel, index, problem } = self;
        write!(f, "the signature does not match `{kernel}`: parameter {index} ")?;
        match problem {
            SignatureProblem::TooFew { size, offset } => {
                write!(
                    f,
                    "is missing; the kernel has a parameter of {size} bytes at offset {offset}"
                )
            }
            SignatureProblem::TooMany { given } => {
                write!(f, "is `{given}`, but the kernel has no such parameter")
            }
            SignatureProblem::Layout { size, offset, given, given_size, given_offset } => write!(
                f,
                "has {size} bytes at offset {offset}, but `{given}` has {given_size} bytes at \
                 offset {given_offset}"
            ),
            SignatureProblem::Use { uses, given } => {
                write!(f, "is {uses}, but `{given}` in the signature")
            }
            SignatureProblem::Type { ptx, given } => {
                write!(f, "is `{ptx}` in the PTX text, but `{given}` in the signature")
            }
        }?;
        f.write_str("; declare the parameters as the kernel does")
    }
}

super::debug_with_message!(SignatureError: kernel index problem);

impl std::error::Error for SignatureError {}
