//! The names of the functions that the crate links, read from its sources.

/// The names in lines like `7000 fn nvrtcName(` of the list `nvrtc_functions`; those of the other lists
/// are looked up.
pub(crate) fn functions(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut linked = false;
    for line in source.lines().map(str::trim_start) {
        if let Some(list) = line.strip_prefix("macro_rules! ") {
            linked = list.starts_with("nvrtc_functions ");
        } else if linked {
            names.extend(in_line(line).map(str::to_owned));
        }
    }
    names
}

fn in_line(line: &str) -> Option<&str> {
    let (since, declaration) = line.split_once(" fn ")?;
    let (name, _) = declaration.split_once('(')?;
    since.parse::<u32>().is_ok().then_some(name)
}
