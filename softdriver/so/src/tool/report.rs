//! The report when the program has ended.

use crate::options::Run;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Said if no process wrote a summary.
const UNUSED: &str = "cuscope-softcuda: no process called cuInit of the software driver. A program finds it as \
    libcuda.so.1 by LD_LIBRARY_PATH: not by an absolute path, nor behind an RPATH of its own, nor in a container\n";

/// Tells what each process did, in the order of their numbers; whether something went wrong.
pub(crate) fn tell(run: &Run, folder: &Path) -> io::Result<bool> {
    let files = fs::read_dir(folder)?.filter_map(|file| {
        let path = file.ok()?.path();
        let number = path.file_name()?.to_str()?.strip_prefix("summary.")?.parse::<u32>().ok()?;
        Some((number, path))
    });
    let mut files: Vec<_> = files.collect();
    files.sort_unstable();
    let (mut text, mut wrong) = (String::new(), false);
    for (_, path) in &files {
        let summary = fs::read_to_string(path)?;
        let found = found(&summary);
        wrong |= found.iter().any(|kind| !run.allowed.contains(kind));
        if !run.quiet || !found.is_empty() {
            text += &summary;
        }
    }
    if files.is_empty() {
        text += UNUSED;
    }
    match &run.output {
        Some(file) => fs::write(file, text)
            .map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?,
        // Nobody may be there to read it.
        None => drop(io::stderr().write_all(text.as_bytes())),
    }
    Ok(wrong)
}

/// The number at the end of a summary's line.
fn number(summary: &str, line: &str) -> u64 {
    let line = summary.lines().find_map(|text| text.strip_prefix("========= ")?.strip_prefix(line));
    let digits = line.and_then(|rest| rest.trim_start().split(' ').next()).unwrap_or("0");
    digits.replace(',', "").parse().unwrap_or(0)
}

/// A failure of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A kernel faulted, or an access is wrong.
    Error,
    Race,
    /// A call failed.
    Call,
    /// A call of something that is not supported.
    Unsupported,
    /// Code that was refused.
    Refused,
    Leak,
}

/// Those that can be allowed, by name.
pub(crate) const ALLOWED: [(&str, Kind); 4] = [
    ("calls", Kind::Call),
    ("unsupported", Kind::Unsupported),
    ("refused", Kind::Refused),
    ("leaks", Kind::Leak),
];

/// Returns the failures in a summary.
fn found(summary: &str) -> Vec<Kind> {
    let begins = |with: &str| {
        summary.lines().any(|line| line.trim_start_matches("========= ").starts_with(with))
    };
    let all = [
        (Kind::Error, number(summary, "ERROR SUMMARY:") > 0),
        (Kind::Race, number(summary, "RACE SUMMARY:") > 0),
        (Kind::Call, begins("Program hit")),
        (Kind::Unsupported, begins("Not supported")),
        (Kind::Refused, begins("PTX was refused") || begins("Machine code was refused")),
        (Kind::Leak, number(summary, "LEAK SUMMARY:") > 0),
    ];
    all.into_iter().filter(|&(_, there)| there).map(|(kind, _)| kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_the_summary() {
        let summary = "========= RACE SUMMARY: 0 races\n========= ERROR SUMMARY: 1,200 errors\n";
        assert_eq!(number(summary, "ERROR SUMMARY:"), 1200);
        assert_eq!(found(summary), [Kind::Error]);
        let well = "========= LEAK SUMMARY: 0 bytes leaked in 0 allocations\n========= RACE SUMMARY: 0 races\n\
            ========= ERROR SUMMARY: 0 errors\n";
        assert_eq!(found(well), []);
        for (line, kind) in [
            ("Not supported: x", Kind::Unsupported),
            ("Program hit: x", Kind::Call),
            ("PTX was refused: x", Kind::Refused),
            ("Machine code was refused: x", Kind::Refused),
            ("LEAK SUMMARY: 128 bytes leaked in 1 allocation", Kind::Leak),
            ("RACE SUMMARY: 1 race", Kind::Race),
        ] {
            assert_eq!(found(&format!("========= {line}\n")), [kind], "{line}");
        }
    }
}
