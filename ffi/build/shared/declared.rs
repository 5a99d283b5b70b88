//! The names of functions, read from the lists that declare them.

/// The names in lines like `4000 fn cuName(` of the lists that are linked, as what follows `macro_rules! ` tells.
pub(crate) fn in_lists(source: &str, is_linked: impl Fn(&str) -> bool) -> Vec<String> {
    let mut names = Vec::new();
    let mut linked = false;
    for line in source.lines().map(str::trim_start) {
        if let Some(list) = line.strip_prefix("macro_rules! ") {
            linked = is_linked(list);
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
