//! Accesses that guarded kernels did not make, and kernels that cannot be guarded.

use std::fmt;

/// A guarded kernel was to access memory outside of its arguments, or at an address that is not a multiple of the size of the
/// access: vectors of `float4` need memory that begins at a multiple of 16 bytes. The access was not made: a read gave 0, and a write did
/// nothing. Accesses of one argument that follow each other are compared together, and none of them was made. Everything
/// else of the launch was done, and the context can be used as before.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct OutOfBounds {
    pub(crate) kernel: String,
    pub(crate) line: u32,
    pub(crate) further: Vec<u32>,
    pub(crate) instruction: String,
    pub(crate) source: Option<(String, u32)>,
    pub(crate) function: Option<String>,
    pub(crate) arguments: Vec<usize>,
    pub(crate) does: &'static str,
    pub(crate) bytes: u32,
}

impl OutOfBounds {
    /// Returns the kernel's name.
    #[must_use]
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Returns the line of the PTX text, from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns the lines of further accesses that were compared together with the one of [`line`](Self::line). One of all
    /// these was outside, and none was made.
    #[must_use]
    pub fn further_lines(&self) -> &[u32] {
        &self.further
    }

    /// Returns the instruction in [`line`](Self::line).
    #[must_use]
    pub fn instruction(&self) -> &str {
        &self.instruction
    }

    /// Returns the file and the line of the source, if the text tells them by `.loc`: compile with `-lineinfo`.
    #[must_use]
    pub fn source(&self) -> Option<(&str, u32)> {
        self.source.as_ref().map(|(file, line)| (file.as_str(), *line))
    }

    /// Returns the function of the text that the instruction is in, if that is not the kernel itself.
    #[must_use]
    pub fn function(&self) -> Option<&str> {
        self.function.as_deref()
    }

    /// Returns the arguments that the address was compared with, counted from 0: those of the kernel, or of the
    /// [function](Self::function). Several if the text does not tell which of them the address comes from.
    #[must_use]
    pub fn arguments(&self) -> &[usize] {
        &self.arguments
    }

    /// Returns the number of bytes of the access.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Returns whether the access was to write.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.does != "read"
    }
}

impl fmt::Display for OutOfBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutOfBounds {
            kernel,
            line,
            further,
            instruction,
            source,
            function,
            arguments,
            does,
            bytes,
        } = self;
        if kernel.is_empty() {
            return f.write_str("a guarded kernel that is not loaded any more was to access memory outside of its arguments");
        }
        write!(f, "`{kernel}` was to {does} {bytes} bytes outside of ")?;
        match &arguments[..] {
            [] => f.write_str("its variables")?,
            [one] => write!(f, "argument {one}")?,
            several => {
                let several: Vec<_> = several.iter().map(usize::to_string).collect();
                write!(f, "arguments {}", several.join(", "))?;
            }
        }
        if let Some(function) = function {
            write!(f, " of `{function}`")?;
        }
        if !arguments.is_empty() {
            f.write_str(" (the first is 0)")?;
        }
        write!(f, ", at line {line} of its PTX, `{instruction}`")?;
        if let Some((file, line)) = source {
            write!(f, ", {file}:{line}")?;
        }
        if !further.is_empty() {
            let further: Vec<_> = further.iter().map(u32::to_string).collect();
            write!(f, ", or at line {}, which were compared together", further.join(", "))?;
        }
        let made = if further.is_empty() { "the access was not" } else { "none of them was" };
        write!(f, "; {made} made, and everything else was: pass memory that is long enough")?;
        if *bytes >= 8 {
            write!(f, " and begins at a multiple of {bytes} bytes")?;
        }
        f.write_str(
            ", compare the index in the kernel with the length, and, if the kernel writes there, pass `&mut`",
        )
    }
}

super::debug_with_message!(OutOfBounds: kernel line further instruction source function arguments does bytes);

impl std::error::Error for OutOfBounds {}

/// PTX text, or one of its kernels, cannot be guarded. Nothing was launched.
#[derive(Clone, PartialEq, Eq)]
pub struct GuardError {
    pub(crate) kernel: Option<String>,
    pub(crate) line: u32,
    pub(crate) instruction: String,
    pub(crate) reason: String,
}

impl GuardError {
    /// Returns the kernel, or `None` if the text cannot be read.
    #[must_use]
    pub fn kernel(&self) -> Option<&str> {
        self.kernel.as_deref()
    }

    /// Returns the line of the text that is the reason, from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns that line.
    #[must_use]
    pub fn instruction(&self) -> &str {
        &self.instruction
    }

    /// Returns the reason.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for GuardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GuardError { kernel, line, instruction, reason } = self;
        match kernel {
            Some(kernel) => write!(f, "`{kernel}` cannot be guarded")?,
            None => f.write_str("the PTX text cannot be guarded")?,
        }
        write!(
            f,
            ": line {line}, `{instruction}`: {reason}; change that, or, if the driver takes the text as it is, load it \
             with `load_ptx` and `trust` the kernel"
        )
    }
}

super::debug_with_message!(GuardError: kernel line instruction reason);

impl std::error::Error for GuardError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() -> OutOfBounds {
        OutOfBounds {
            kernel: "k".to_owned(),
            line: 7,
            instruction: "st.global.u32 [%rd1], %r1;".to_owned(),
            arguments: vec![2],
            does: "write",
            bytes: 4,
            ..OutOfBounds::default()
        }
    }

    #[test]
    fn a_message_says_which_access_it_was() {
        let text = one().to_string();
        assert!(
            text.starts_with(
                "`k` was to write 4 bytes outside of argument 2 (the first is 0), at line 7"
            ),
            "{text}"
        );
        assert!(
            text.contains("the access was not made") && !text.contains(" or at line"),
            "{text}"
        );
        assert!(one().source().is_none() && one().writes());

        let several = OutOfBounds {
            arguments: vec![0, 3],
            function: Some("inner".to_owned()),
            source: Some(("k.cu".to_owned(), 12)),
            further: vec![9, 11],
            does: "read",
            ..one()
        };
        let text = several.to_string();
        for part in [
            "was to read 4 bytes outside of arguments 0, 3 of `inner` (the first is 0), at line 7",
            "`st.global.u32 [%rd1], %r1;`, k.cu:12, or at line 9, 11",
            "none of them was made",
        ] {
            assert!(text.contains(part), "{part:?} is not in: {text}");
        }
        assert_eq!((several.source(), several.function()), (Some(("k.cu", 12)), Some("inner")));
        assert!(!several.writes());

        let vector = OutOfBounds { bytes: 16, ..one() }.to_string();
        assert!(vector.contains("long enough and begins at a multiple of 16 bytes"), "{vector}");
        assert!(!text.contains("multiple"), "{text}");

        let variables = OutOfBounds { arguments: vec![], ..one() }.to_string();
        assert!(variables.contains("outside of its variables, at line 7"), "{variables}");
        // All that is known of a kernel whose module was unloaded before anybody asked.
        let gone = OutOfBounds::default().to_string();
        assert!(gone.contains("not loaded any more"), "{gone}");
    }

    #[test]
    fn a_text_that_cannot_be_guarded_is_told_from_a_kernel() {
        let of = |kernel: Option<&str>| GuardError {
            kernel: kernel.map(str::to_owned),
            line: 3,
            instruction: "call (%r1), %rd1;".to_owned(),
            reason: "it calls a function by its address".to_owned(),
        };
        assert_eq!(of(None).reason(), "it calls a function by its address");
        let (text, kernel) = (of(None).to_string(), of(Some("k")).to_string());
        let rest =
            "cannot be guarded: line 3, `call (%r1), %rd1;`: it calls a function by its address";
        assert!(text.starts_with(&format!("the PTX text {rest}")), "{text}");
        assert!(kernel.starts_with(&format!("`k` {rest}")), "{kernel}");
        assert!(
            text.contains("if the driver takes the text as it is, load it with `load_ptx`"),
            "{text}"
        );
    }
}
