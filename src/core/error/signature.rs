//! Signatures that do not match the kernel.

use std::fmt;

/// A signature, or a list of arguments, does not match the kernel. Nothing was launched.
#[derive(Clone, PartialEq, Eq)]
pub struct SignatureError {
    pub(crate) kernel: String,
    pub(crate) index: usize,
    pub(crate) problem: SignatureProblem,
    /// It is about a list of arguments.
    pub(crate) listed: bool,
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

/// Returns the name of a type without the paths to its parts.
fn short(name: &str) -> String {
    let mut short = String::new();
    for part in name.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_')) {
        match part.strip_suffix(':') {
            // The end of a module's name, or the second colon behind it.
            Some(_) => {}
            None => short.push_str(part),
        }
    }
    short
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SignatureError { kernel, index, problem, listed } = self;
        let (what, place, advice) = match listed {
            false => {
                ("signature does", "in the signature", "declare the parameters as the kernel does")
            }
            true => (
                "arguments do",
                "was pushed",
                "pass what the kernel takes, and `&mut` for memory that it writes",
            ),
        };
        write!(
            f,
            "the {what} not match `{kernel}`, whose first parameter is 0: parameter {index} "
        )?;
        match problem {
            SignatureProblem::TooFew { size, offset } => {
                write!(
                    f,
                    "is missing; the kernel has a parameter of {size} bytes at offset {offset}"
                )
            }
            SignatureProblem::TooMany { given } => {
                let given = short(given);
                write!(f, "is `{given}`, but the kernel has no such parameter")
            }
            SignatureProblem::Layout { size, offset, given, given_size, given_offset } => {
                let given = short(given);
                write!(
                    f,
                    "has {size} bytes at offset {offset}, but `{given}` has {given_size} bytes at \
                     offset {given_offset}"
                )
            }
            SignatureProblem::Use { uses, given } => {
                write!(f, "is {uses}, but `{}` {place}", short(given))
            }
            SignatureProblem::Type { ptx, given } => {
                write!(f, "is `{ptx}` in the PTX text, but `{}` {place}", short(given))
            }
        }?;
        write!(f, "; {advice}")
    }
}

super::debug_with_message!(SignatureError: kernel index problem listed);

impl std::error::Error for SignatureError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_types_without_paths_and_tells_a_list_from_a_signature() {
        for (name, expected) in [
            ("f32", "f32"),
            (
                "&mut a::b::Ordered<a::c::Buffer<'_, [d_1::E; 4]>>",
                "&mut Ordered<Buffer<'_, [E; 4]>>",
            ),
            ("(a::B, &[c::D])", "(B, &[D])"),
        ] {
            assert_eq!(short(name), expected);
        }
        let of = |listed| {
            let problem =
                SignatureProblem::Use { uses: "memory that the kernel writes", given: "&a::B" };
            SignatureError { kernel: "k".to_owned(), index: 3, problem, listed }.to_string()
        };
        assert_eq!(
            of(false),
            "the signature does not match `k`, whose first parameter is 0: parameter 3 is memory that the kernel \
             writes, but `&B` in the signature; declare the parameters as the kernel does"
        );
        assert_eq!(
            of(true),
            "the arguments do not match `k`, whose first parameter is 0: parameter 3 is memory that the kernel \
             writes, but `&B` was pushed; pass what the kernel takes, and `&mut` for memory that it writes"
        );
    }
}
