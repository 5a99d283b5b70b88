//! The plan of the houses: which modules of `src/` import which, and that they do so downwards; and those of the
//! software driver.

use crate::{files, read};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How many modules may import each other in a circle: of the software driver, and of `cuscope-ptx`.
const LARGEST_CIRCLES: [(&str, usize); 2] = [("softdriver/src", 3), ("ptx/src", 6)];

/// The modules that each module imports, with one line that does so.
type Imports = BTreeMap<String, BTreeMap<String, String>>;

/// A word, a literal (`"`), `::` or another character, with its line and its place in the source.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    line: usize,
    pub(crate) at: usize,
    pub(crate) text: String,
}

/// The code of a source, without comments and without the text of literals.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (len, text) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), "")
        } else if rest.starts_with("/*") {
            (rest.find("*/").expect("a comment ends") + 2, "")
        } else if word > 0 && matches!(&rest[..word], "r" | "br" | "cr") && is_raw(&rest[word..]) {
            let hashes = rest[word..].find('"').expect("a raw literal begins");
            let end = format!("\"{}", "#".repeat(hashes));
            let begin = word + hashes + 1;
            (begin + rest[begin..].find(&end).expect("a raw literal ends") + end.len(), "\"")
        } else if word > 0 {
            (word, &rest[..word])
        } else if c == '"' || c == '\'' && is_char(rest) {
            (quoted(rest), "\"")
        } else if rest.starts_with("::") {
            (2, "::")
        } else {
            (c.len_utf8(), if c.is_whitespace() { "" } else { &rest[..c.len_utf8()] })
        };
        if !text.is_empty() {
            found.push(Token { line, at, text: text.to_owned() });
        }
        line += rest[..len].matches('\n').count();
        at += len;
    }
    found
}

/// Whether a literal goes on like this after its `r`.
fn is_raw(rest: &str) -> bool {
    rest.trim_start_matches('#').starts_with('"')
}

/// Whether a quote begins a character, and not the name of a lifetime.
fn is_char(rest: &str) -> bool {
    rest[1..].starts_with('\\') || rest[1..].chars().nth(1) == Some('\'')
}

/// How long a literal is that begins with its quote.
fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    let end = rest[1..].find(|c| {
        let is_end = !escaped && rest.starts_with(c);
        escaped = !escaped && c == '\\';
        is_end
    });
    end.expect("a literal ends") + 2
}

/// Where the bracket that opens at `at` closes.
pub(crate) fn closed(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0;
    for (behind, token) in tokens[at..].iter().enumerate() {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + behind;
        }
    }
    panic!("line {}: a bracket does not close", tokens[at].line)
}

/// The code without the items for tests.
pub(crate) fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        if text(at) == "#" && text(at + 1) == "[" {
            let mut end = closed(tokens, at + 1) + 1;
            let condition: Vec<_> = (at + 2..end - 1).map(text).collect();
            let is_test = condition[0] == "cfg"
                && condition.contains(&"test")
                && !condition.windows(3).any(|words| words == ["not", "(", "test"]);
            if is_test {
                // The item ends with its block, or where there is none, with its semicolon.
                while !matches!(text(end), ";" | "{") {
                    end = if matches!(text(end), "(" | "[") {
                        closed(tokens, end) + 1
                    } else {
                        end + 1
                    };
                }
                at = if text(end) == "{" { closed(tokens, end) + 1 } else { end + 1 };
                continue;
            }
        }
        kept.push(tokens[at].clone());
        at += 1;
    }
    kept
}

/// The paths of the tree of paths at `at`, as `a::{b, c::d}`, and where it ends.
fn tree(tokens: &[Token], mut at: usize) -> (Vec<Vec<String>>, usize) {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut path = Vec::new();
    loop {
        if text(at) == "{" {
            let end = closed(tokens, at);
            let mut paths = Vec::new();
            at += 1;
            while at < end {
                let (inner, behind) = tree(tokens, at);
                paths.extend(inner.into_iter().map(|inner| [path.clone(), inner].concat()));
                at = behind + usize::from(text(behind) == ",");
            }
            return (paths, end + 1);
        }
        path.push(text(at).to_owned());
        if text(at + 1) != "::" || text(at + 2) == "<" {
            break;
        }
        at += 2;
    }
    if text(at + 1) == "as" {
        at += 2;
    }
    (vec![path], at + 1)
}

/// The folders of a house whose modules count one by one.
fn parted(root: &str) -> &'static [&'static str] {
    match root {
        "src" => &["core"],
        "softdriver/src" => &["model", "calls"],
        _ => &["lower", "ops", "run"],
    }
}

/// The module that counts: the first of a path, or the first two in a folder that is parted.
fn top(path: &[String], parted: &[&str]) -> Option<String> {
    let parts = if path.len() > 1 && parted.contains(&path[0].as_str()) { 2 } else { 1 };
    Some(path.get(..parts)?.join("::"))
}

/// A source, and the module that it is.
struct Source {
    path: PathBuf,
    module: Vec<String>,
    tokens: Vec<Token>,
}

/// A path in code, from the root of the crate, with the module it is in and its line.
struct Named {
    path: Vec<String>,
    module: Vec<String>,
    line: usize,
}

impl Source {
    fn read(root: &str, path: &Path) -> Self {
        let inside = path.strip_prefix(root).unwrap().with_extension("");
        let mut module: Vec<_> =
            inside.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
        if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
            module.pop();
        }
        let tokens = without_tests(&tokens(&read(path)));
        Source { path: path.to_owned(), module, tokens }
    }

    /// The paths that begin with `crate`, `super` or `self`, and in `lib.rs` all that are imported.
    fn paths(&self) -> Vec<Named> {
        let text = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        let (mut found, mut at) = (Vec::new(), 0);
        // The modules inside of the file that the code is in, each with where it ends.
        let mut inside: Vec<(String, usize)> = Vec::new();
        while at < self.tokens.len() {
            inside.retain(|(_, end)| at < *end);
            if text(at) == "mod" && text(at + 2) == "{" {
                inside.push((text(at + 1).to_owned(), closed(&self.tokens, at + 2)));
            }
            let names = inside.iter().map(|(name, _)| name.clone());
            let module: Vec<_> = self.module.iter().cloned().chain(names).collect();
            let is_first = at == 0 || text(at - 1) != "::";
            let is_rooted = matches!(text(at), "crate" | "super" | "self") && text(at + 1) == "::";
            let is_import = module.is_empty() && at > 0 && text(at - 1) == "use";
            if !is_first || !(is_rooted || is_import) {
                at += 1;
                continue;
            }
            let (paths, end) = tree(&self.tokens, at);
            for path in paths {
                let mut base = module.clone();
                let mut rest = path.as_slice();
                while let Some((first, behind)) = rest.split_first() {
                    match first.as_str() {
                        "crate" => base.clear(),
                        "super" => drop(base.pop()),
                        "self" => {}
                        _ => break,
                    }
                    rest = behind;
                }
                let path = [base.as_slice(), rest].concat();
                found.push(Named { path, module: module.clone(), line: self.tokens[at].line });
            }
            at = end;
        }
        found
    }

    /// The items that it defines.
    fn defined(&self) -> impl Iterator<Item = &str> {
        const KINDS: [&str; 7] = ["const", "enum", "fn", "static", "struct", "trait", "type"];
        let pairs = self.tokens.windows(2).filter(|pair| KINDS.contains(&pair[0].text.as_str()));
        pairs.map(|pair| pair[1].text.as_str())
    }

    /// The macros that every crate can name from the root of this one.
    fn exported_macros(&self) -> Vec<String> {
        let words: Vec<_> = self.tokens.iter().map(|token| token.text.as_str()).collect();
        let exported = ["#", "[", "macro_export", "]", "macro_rules", "!"];
        let found = words.windows(exported.len() + 1).filter(|words| words.starts_with(&exported));
        found.map(|words| words[exported.len()].to_owned()).collect()
    }
}

/// Which top module imports which.
fn imports(sources: &[Source], parted: &[&str]) -> Imports {
    let top = |path: &[String]| top(path, parted);
    let tops: BTreeSet<_> = sources.iter().filter_map(|source| top(&source.module)).collect();
    // The module that each name at the root of the crate comes from.
    let mut origins: BTreeMap<Vec<String>, String> = BTreeMap::new();
    for source in sources {
        for name in source.exported_macros() {
            origins.insert(vec![name], top(&source.module).unwrap());
        }
        if source.module.is_empty() {
            for Named { path, module, .. } in source.paths() {
                let name = [module, vec![path.last().unwrap().clone()]].concat();
                origins.insert(name, top(&path).unwrap());
            }
        }
    }
    // A name may come from a module that the root has from another one.
    let names = origins.clone();
    for origin in origins.values_mut() {
        while let Some(module) = names.get(std::slice::from_ref(origin)) {
            if tops.contains(origin) || module == origin {
                break;
            }
            origin.clone_from(module);
        }
    }
    // What the root itself defines belongs to no module.
    let root = sources.iter().filter(|source| source.module.is_empty());
    let of_root: BTreeSet<_> = root.flat_map(Source::defined).collect();
    let mut imports: Imports = tops.iter().map(|top| (top.clone(), BTreeMap::new())).collect();
    for source in sources {
        let Some(from) = top(&source.module) else { continue };
        for Named { path, line, .. } in source.paths() {
            let at = format!("{}:{line}", source.path.display());
            // A name that a macro is given, or all names of the root.
            let Some(to) = top(&path).filter(|_| !matches!(path[0].as_str(), "$" | "*")) else {
                continue;
            };
            if of_root.contains(path[0].as_str()) {
                continue;
            }
            let found = tops
                .get(&to)
                .or_else(|| (1..=path.len().min(2)).find_map(|len| origins.get(&path[..len])))
                // A name that a folder has in its own file.
                .or_else(|| tops.get(&path[0]));
            let to = found.unwrap_or_else(|| panic!("{at}: {}: from where?", path.join("::")));
            // The root also has names of other crates.
            if *to != from && tops.contains(to) {
                let example = format!("{at}: {}", path.join("::"));
                imports.get_mut(&from).unwrap().entry(to.clone()).or_insert(example);
            }
        }
    }
    imports
}

/// The modules that a module imports, also through others.
fn reached(imports: &Imports, from: &str) -> BTreeSet<String> {
    let (mut found, mut left) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(module) = left.pop() {
        for to in imports[&module].keys() {
            if found.insert(to.clone()) {
                left.push(to.clone());
            }
        }
    }
    found
}

/// The modules that import a module that imports them, also through others: the circle that it is in.
fn circle(imports: &Imports, module: &str) -> BTreeSet<String> {
    let reached_from = |from: &str| reached(imports, from).contains(module);
    reached(imports, module).into_iter().filter(|other| reached_from(other)).collect()
}

/// A circle, with one line for each import in it.
fn shown(imports: &Imports, circle: &BTreeSet<String>) -> String {
    let mut text = format!("a circle of {}:\n", circle.len());
    for from in circle {
        for (to, example) in imports[from].iter().filter(|(to, _)| circle.contains(*to)) {
            text += &format!("  {from} imports {to}: {example}\n");
        }
    }
    text
}

fn house(root: &str) -> Imports {
    let found: Vec<_> = files(root, "rs").iter().map(|path| Source::read(root, path)).collect();
    let imports = imports(&found, parted(root));
    assert!(imports.len() > 10 && imports.values().any(|to| to.len() > 5), "few modules are read");
    imports
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let imports = house("src");
    let circles: BTreeSet<_> = imports.keys().map(|module| circle(&imports, module)).collect();
    let circles = circles.iter().filter(|circle| !circle.is_empty());
    let shown: String = circles.map(|circle| shown(&imports, circle)).collect();
    assert!(shown.is_empty(), "{shown}");
}

/// A queue, its scheduler and the domain that a fault ends need each other; so do a warp and its accesses.
#[test]
fn the_circles_of_the_software_driver_and_of_ptx_are_small() {
    for (root, most) in LARGEST_CIRCLES {
        let imports = house(root);
        let circles: BTreeSet<_> = imports.keys().map(|module| circle(&imports, module)).collect();
        let large: Vec<_> = circles.iter().filter(|circle| circle.len() > most).collect();
        let shown: String = large.into_iter().map(|circle| shown(&imports, circle)).collect();
        assert!(shown.is_empty(), "{root}: {shown}");
    }
    let imports = house("softdriver/src");
    let state = imports.iter().filter(|(module, _)| module.starts_with("model::"));
    let upwards: Vec<_> = state
        .flat_map(|(_, to)| to.iter())
        .filter(|(to, _)| to.starts_with("calls::") || *to == "call")
        .collect();
    assert!(upwards.is_empty(), "state imports entry points: {upwards:#?}");
}

#[test]
fn errors_are_data_and_messages() {
    let imports = house("src");
    assert!(imports["core::error"].is_empty(), "`error` imports: {:#?}", imports["core::error"]);
}

/// Who reviews the heart needs to read nothing else of the crate.
#[test]
fn the_heart_imports_nothing_above_it() {
    let imports = house("src");
    let heart: Vec<_> = imports.iter().filter(|(module, _)| module.starts_with("core::")).collect();
    assert!(heart.len() == 10, "the heart has {:?}", heart.iter().map(|(module, _)| module));
    let all = heart.iter().flat_map(|(from, to)| to.iter().map(move |(to, line)| (from, to, line)));
    let upwards: Vec<_> = all.filter(|(_, to, _)| !to.starts_with("core::")).collect();
    assert!(upwards.is_empty(), "the heart imports what is above it: {upwards:#?}");
}

/// Where code of the packages is. Tests, examples and benchmarks announce theirs in the file of the binary.
const CODE: [&str; 9] = [
    "src",
    "ffi/src",
    "nvrtc/src",
    "nvrtc/safe/src",
    "ptx/src",
    "ptx/syntax/src",
    "guard/src",
    "softdriver/src",
    "softdriver/so/src",
];

/// Whether code is `unsafe`, but for the types of functions.
fn is_unsafe(tokens: &[Token]) -> bool {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is = |at: usize| {
        let function = if text(at + 1) == "extern" { at + 3 } else { at + 1 };
        !(text(function) == "fn" && text(function + 1) == "(")
    };
    (0..tokens.len()).any(|at| text(at) == "unsafe" && is(at))
}

/// Whether a file says so itself. An attribute of the module that it is in would do for the compiler.
fn announces_unsafe(tokens: &[Token]) -> bool {
    let words: Vec<_> = tokens.iter().map(|token| token.text.as_str()).collect();
    words.windows(5).any(|words| *words == ["allow", "(", "unsafe_code", ",", "reason"])
}

#[test]
fn a_file_with_unsafe_announces_it() {
    let code = |source: &str| tokens(source);
    assert!(is_unsafe(&code("unsafe { f() }")) && is_unsafe(&code("unsafe impl A for B {}")));
    assert!(is_unsafe(&code("unsafe extern \"C\" fn f() {}")) && is_unsafe(&code("#[unsafe(a)]")));
    assert!(!is_unsafe(&code("type F = unsafe extern \"C\" fn(); // unsafe { f() }")));
    assert!(announces_unsafe(&code("#![allow(unsafe_code, reason = \"calls the driver\")]")));
    assert!(!announces_unsafe(&code("// #![allow(unsafe_code, reason = \"calls the driver\")]")));
    let (mut read_files, mut silent) = (0, Vec::new());
    for path in CODE.iter().flat_map(|folder| files(folder, "rs")) {
        let tokens = tokens(&read(&path));
        read_files += 1;
        if is_unsafe(&tokens) && !announces_unsafe(&tokens) {
            silent.push(path);
        }
    }
    assert!(read_files > 300, "{read_files} files are read");
    assert!(silent.is_empty(), "`unsafe` without a word at the top of the file: {silent:#?}");
}

/// A fill and a copy without a stream are in the order of the legacy one, for which other streams do not wait (F633).
#[test]
fn no_copy_or_fill_goes_to_the_legacy_stream_unasked() {
    let without_a_stream = |name: &str| {
        ["cuMemset", "cuMemcpy"].iter().any(|begin| name.starts_with(begin))
            && !name.contains("Async")
    };
    let (mut found, mut with_one) = (Vec::new(), 0);
    for path in files("src", "rs") {
        for token in without_tests(&tokens(&read(&path))) {
            with_one += usize::from(token.text.starts_with("cuMemcpy"));
            if without_a_stream(&token.text) {
                found.push(format!("{}:{}: {}", path.display(), token.line, token.text));
            }
        }
    }
    assert!(with_one > 10, "{with_one} copies are seen");
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_guide_has_every_feature() {
    let (manifest, page) = (read("Cargo.toml"), read("docs/guide/09-linking.md"));
    let section = manifest.split_once("\n[features]\n").unwrap().1.split_once("\n[").unwrap().0;
    let lines = section.lines().filter(|line| !line.starts_with('#'));
    let features: Vec<_> = lines.filter_map(|line| line.split_once(" = ")).collect();
    assert!(features.len() > 7, "{features:?}");
    let missing: Vec<_> = features
        .iter()
        .filter(|(name, _)| *name != "default" && !page.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "docs/guide/09-linking.md does not have {missing:?}");
}

/// A name that few programs need has its place in the module of its noun.
#[test]
fn the_root_of_the_crate_has_few_names() {
    let tokens = tokens(&read("src/lib.rs"));
    let words: Vec<_> = tokens.iter().map(|token| token.text.as_str()).collect();
    let uses = words.windows(2).enumerate().filter(|(_, words)| *words == ["pub", "use"]);
    let names = uses.flat_map(|(at, _)| tree(&tokens, at + 2).0);
    // The public modules of the heart are modules of the root.
    let names: Vec<_> = names.filter(|path| path.get(1).is_none_or(|one| one != "core")).collect();
    assert!((40..=66).contains(&names.len()), "{} names: {names:#?}", names.len());
}

#[test]
fn imports_are_read_from_code() {
    let source = r##"
        //! use crate::comment::A;
        use super::a::{b::C, self as d, e::*};
        use crate::{f::G as H, i};
        /* crate::comment */
        fn j<'k>(k: &'k str) -> char { let _ = ("crate::literal", r#" " crate::raw "#, '\''); 'k' }
        #[cfg(all(test, unix))]
        #[allow(unused)]
        mod tests { use crate::test::A; }
        #[cfg(not(test))]
        mod m { fn n(_: super::super::o::P) { $crate::q!(crate::r::s::<crate::t::U>()) } }
        "##;
    let tokens = without_tests(&tokens(source));
    let source = Source { path: PathBuf::new(), module: vec!["top".to_owned()], tokens };
    let paths: Vec<_> = source.paths().iter().map(|named| named.path.join("::")).collect();
    let expected = ["a::b::C", "a::self", "a::e::*", "f::G", "i", "o::P", "q", "r::s", "t::U"];
    assert_eq!(paths, expected);
}
