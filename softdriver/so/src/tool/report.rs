//! What is told when the program has ended.

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
        wrong |= is_wrong(&summary);
        if !run.quiet || needs_a_look(&summary) {
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

/// Whether there are errors or races.
fn is_wrong(summary: &str) -> bool {
    number(summary, "ERROR SUMMARY:") + number(summary, "RACE SUMMARY:") > 0
}

/// Whether there is something to be told of a process at all.
fn needs_a_look(summary: &str) -> bool {
    let begins = |line: &str| {
        let line = line.trim_start_matches("========= ");
        ["Not supported", "PTX was refused", "Machine code was refused"]
            .iter()
            .any(|of| line.starts_with(of))
    };
    is_wrong(summary) || summary.lines().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_the_summary() {
        let summary = "========= RACE SUMMARY: 0 races\n========= ERROR SUMMARY: 1,200 errors\n";
        assert_eq!(number(summary, "ERROR SUMMARY:"), 1200);
        assert!(is_wrong(summary) && needs_a_look(summary));
        let well = "========= RACE SUMMARY: 0 races\n========= ERROR SUMMARY: 0 errors\n";
        assert!(!is_wrong(well) && !needs_a_look(well));
        assert!(needs_a_look("========= Not supported: x\n"));
    }
}
