//! The compiler's log, split into its messages.

use std::fmt;

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// Information.
    Remark,
    /// A warning. The program compiled.
    Warning,
    /// An error. The program did not compile.
    Error,
    /// An error at which the compiler stopped. The program did not compile.
    Fatal,
}

/// One message of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The name of the program or header; `__nv_name_map` for a name expression, `PTX` for the output of the
    /// compiler itself. `None` if the message has no position, as for options.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1, if the compiler marked one.
    pub column: Option<u32>,
    /// The compiler's number for the message.
    pub number: Option<u32>,
    /// The text of the message, with further lines that belong to it.
    pub message: String,
    /// The text of that line.
    pub source: Option<String>,
}

/// The compiler's log. As text it shows the source line of each message, with a mark below.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileLog {
    text: String,
    diagnostics: Vec<Diagnostic>,
}

/// The file name in messages of the assembler, which know only lines of PTX.
pub(crate) const PTX: &str = "PTX";

impl CompileLog {
    /// Splits a log into messages. `line_of` returns the text of a line in a known file, because the compiler
    /// does not always show it.
    pub(crate) fn new(log: &str, line_of: &dyn Fn(&str, u32) -> Option<String>) -> Self {
        let log = log.trim_end_matches(['\n', '\0', ' ']);
        let mut text = String::with_capacity(log.len());
        let mut diagnostics = Vec::new();
        let mut lines = log.lines().peekable();
        while let Some(line) = lines.next() {
            put(&mut text, line);
            let Some(mut found) = head(line) else { continue };
            // The lines that belong to it are indented, and end before an empty line.
            let mut more: Vec<&str> = Vec::new();
            while let Some(next) =
                lines.next_if(|next| next.starts_with("  ") && head(next).is_none())
            {
                put(&mut text, next);
                more.push(next);
            }
            let mark = more.iter().position(|line| line.trim() == "^");
            if let Some(at) = mark.filter(|&at| at > 0) {
                // The compiler indents both by two.
                found.column = more[at].find('^').and_then(|column| u32::try_from(column - 1).ok());
                found.source = more[at - 1].get(2..).map(str::to_owned);
                more.drain(at - 1..=at);
            } else if let (Some(file), Some(line)) = (&found.file, found.line) {
                found.source = line_of(file, line);
                if let Some(source) = &found.source {
                    let indent: String = source.chars().take_while(|c| c.is_whitespace()).collect();
                    put(&mut text, &format!("  {source}"));
                    put(&mut text, &format!("  {indent}^"));
                }
            }
            for line in more {
                found.message.push('\n');
                found.message.push_str(line.trim());
            }
            diagnostics.push(found);
        }
        CompileLog { text, diagnostics }
    }

    /// Returns the messages, in their order.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the text. It is empty if the compiler wrote nothing.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the compiler wrote nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

impl fmt::Display for CompileLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn put(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

/// The compiler's names for the severities, longer ones first.
const SEVERITIES: [(&str, Severity); 8] = [
    ("catastrophic error", Severity::Fatal),
    ("internal error", Severity::Fatal),
    ("error", Severity::Error),
    ("fatal", Severity::Fatal),
    ("warning", Severity::Warning),
    ("remark", Severity::Remark),
    ("note", Severity::Remark),
    ("info", Severity::Remark),
];

/// Returns the first line of a message, if the line is one.
fn head(line: &str) -> Option<Diagnostic> {
    let (place, rest) = if let Some(rest) = line.strip_prefix("ptxas ") {
        match rest.strip_prefix("application ptx input, line ").and_then(|it| it.split_once("; ")) {
            Some((line, rest)) => (Some((PTX, line.parse().ok()?)), rest),
            None => (None, rest),
        }
    } else if let Some(rest) = line.strip_prefix("nvrtc: ") {
        (None, rest)
    } else if let Some(rest) = line.strip_prefix("At end of source: ") {
        (None, rest)
    } else {
        let (file, line, rest) = file_and_line(line)?;
        (Some((file, line)), rest)
    };
    let (severity, number, message) = kind(rest)?;
    Some(Diagnostic {
        severity,
        file: place.map(|(file, _)| file.to_owned()),
        line: place.map(|(_, line)| line),
        column: None,
        number,
        message: message.to_owned(),
        source: None,
    })
}

/// Returns the parts of `name(3): rest`. The name may contain parentheses too.
fn file_and_line(line: &str) -> Option<(&str, u32, &str)> {
    line.match_indices("): ").find_map(|(end, _)| {
        let (file, number) = line[..end].rsplit_once('(')?;
        let rest = &line[end + 3..];
        kind(rest)?;
        Some((file, number.parse().ok()?, rest))
    })
}

/// Returns the parts of `error #20: message`.
fn kind(rest: &str) -> Option<(Severity, Option<u32>, &str)> {
    let (severity, rest) = SEVERITIES
        .iter()
        .find_map(|(name, severity)| Some((*severity, rest.strip_prefix(name)?)))?;
    let (before, message) = rest.split_once(':')?;
    let number = match before.trim() {
        "" => None,
        number => {
            let number = number.strip_prefix('#')?;
            Some(number.strip_suffix("-D").unwrap_or(number).parse().ok()?)
        }
    };
    Some((severity, number, message.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: &str, _: u32) -> Option<String> {
        None
    }

    #[test]
    fn a_message_is_taken_apart() {
        let log = "k.cu(3): error: identifier \"foo\" is undefined\n    y[i] = foo;\n           ^\n\n\
                   1 error detected in the compilation of \"k.cu\".\n\0";
        let log = CompileLog::new(log, &nothing);
        assert_eq!(log.diagnostics().len(), 1);
        let found = &log.diagnostics()[0];
        assert_eq!((found.severity, found.number), (Severity::Error, None));
        let at = (found.file.as_deref(), found.line, found.column);
        assert_eq!(at, (Some("k.cu"), Some(3), Some(10)));
        assert_eq!(found.message, "identifier \"foo\" is undefined");
        assert_eq!(found.source.as_deref(), Some("  y[i] = foo;"));
        assert!(log.text().ends_with("\"k.cu\"."), "{log}");
    }

    #[test]
    fn names_numbers_and_kinds_are_understood() {
        let rows = [
            (
                "a(1) b.cu(7): warning #177-D: unused",
                Severity::Warning,
                Some(("a(1) b.cu", 7)),
                Some(177),
            ),
            ("k.cu(1): catastrophic error: cannot open", Severity::Fatal, Some(("k.cu", 1)), None),
            ("k.cu(2): error #20: identifier: x", Severity::Error, Some(("k.cu", 2)), Some(20)),
            ("nvrtc: error: unrecognized option", Severity::Error, None, None),
            ("At end of source: error: expected", Severity::Error, None, None),
            (
                "ptxas application ptx input, line 24; error   : Unknown",
                Severity::Error,
                Some((PTX, 24)),
                None,
            ),
            ("ptxas fatal   : Ptx assembly aborted", Severity::Fatal, None, None),
        ];
        for (line, severity, place, number) in rows {
            let log = CompileLog::new(line, &nothing);
            let [found] = log.diagnostics() else { panic!("{line}: {log:?}") };
            assert_eq!((found.severity, found.number), (severity, number), "{line}");
            let at = found.file.as_deref().zip(found.line);
            assert_eq!(at, place, "{line}");
        }
        for line in
            ["", "1 error detected in the compilation of \"k.cu\".", "Remark: x", "a(x): error"]
        {
            assert!(CompileLog::new(line, &nothing).diagnostics().is_empty(), "{line}");
        }
    }

    #[test]
    fn a_line_that_the_compiler_does_not_show_is_added() {
        let log = CompileLog::new("k.cu(2): error: bad\nk.h(9): error: worse", &|file, line| {
            (file == "k.cu").then(|| format!("   line {line};"))
        });
        assert_eq!(log.text(), "k.cu(2): error: bad\n     line 2;\n     ^\nk.h(9): error: worse");
        assert_eq!(log.diagnostics()[0].source.as_deref(), Some("   line 2;"));
        assert_eq!(log.diagnostics()[1].source, None);
    }

    #[test]
    fn the_lines_of_a_message_stay_together() {
        let log = "k.cu(2): error: no operator\n            operand types are: S + S\n    x + y;\n      \
                   ^\n          detected during instantiation at line 7\n\nnext";
        let log = CompileLog::new(log, &nothing);
        let found = &log.diagnostics()[0];
        assert_eq!(
            found.message,
            "no operator\noperand types are: S + S\ndetected during instantiation at line 7"
        );
        assert_eq!((found.source.as_deref(), found.column), (Some("  x + y;"), Some(5)));
    }
}
