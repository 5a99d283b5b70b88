//! The reasons that the documentation gives for codes of the driver.

use std::path::Path;

/// Returns the clauses of all `# Errors` sections of public functions that name a code: the file, the function, and the
/// clause without links.
pub(super) fn clauses(src: &Path) -> Vec<(String, String, String)> {
    let mut all = Vec::new();
    walk(src, src, &mut all);
    all.sort();
    all
}

fn walk(src: &Path, folder: &Path, all: &mut Vec<(String, String, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            walk(src, &path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(src).expect("a file of it");
            let name = name.to_string_lossy().replace('\\', "/");
            let text = std::fs::read_to_string(&path).expect("text");
            let found = of_file(&text).into_iter();
            all.extend(found.map(|(function, clause)| (name.clone(), function, clause)));
        }
    }
}

fn of_file(text: &str) -> Vec<(String, String)> {
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    let mut found = Vec::new();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| **line == "/// # Errors") {
        let section = lines[at + 1..].iter().map_while(|line| line.strip_prefix("///"));
        let section: Vec<_> = section.take_while(|line| !line.starts_with(" # ")).collect();
        let Some(function) = lines[at..].iter().find_map(|line| {
            let (before, behind) = line.split_once("fn ")?;
            let is_public = before.contains("pub ");
            (!line.starts_with("//")).then_some((is_public, behind))
        }) else {
            continue;
        };
        let (true, behind) = function else { continue };
        let name: String =
            behind.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let text = without_links(&section.join(""));
        // A clause ends with a semicolon, a point, or the next code.
        for clause in text.split([';', '.']) {
            let mut begin = 0;
            let parts: Vec<_> = clause.match_indices(", `CUDA_ERROR_").map(|(at, _)| at).collect();
            for end in parts.into_iter().chain([clause.len()]) {
                let part = clause[begin..end].trim();
                if part.contains("`CUDA_ERROR_") {
                    found.push((name.clone(), part.to_owned()));
                }
                begin = end;
            }
        }
    }
    found
}

/// Returns the text without the targets of links, and without links to facts.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(begin) = rest.find("](") {
        let end = begin + rest[begin..].find(')').expect("a link ends");
        let label = rest[..begin].rfind('[').expect("a link has a label");
        let fact = rest[label..begin]
            .strip_prefix("[F")
            .is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()));
        out += &rest[..label];
        if !fact {
            out += &rest[label + 1..begin];
        }
        rest = &rest[end + 1..];
    }
    out += rest;
    let out = out.replace("( )", "").replace("()", "").replace("(, )", "");
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn clauses_are_taken_from_the_sections_of_public_functions() {
    let text = "\
/// Does.
///
/// # Errors
/// [`A`](x::A); `CUDA_ERROR_X` for 1 ([F1](f#F1)), `CUDA_ERROR_Y` for 2, or [3](z).
///
/// # Safety
/// `CUDA_ERROR_Z`
#[inline]
pub unsafe fn public() {}
/// # Errors
/// `CUDA_ERROR_X`
pub(crate) fn private() {}
";
    let found = of_file(text);
    let of = |clause: &str| ("public".to_owned(), clause.to_owned());
    assert_eq!(found, [of("`CUDA_ERROR_X` for 1"), of(", `CUDA_ERROR_Y` for 2, or 3")]);
}
