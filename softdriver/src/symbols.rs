//! The symbols of the texts that are linked: a local one is known in its own text alone, and of weak ones only one is
//! left.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Who sees a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linkage {
    /// Its own text.
    Local,
    /// All, and it gives way to others of its name.
    Weak,
    /// All.
    Visible,
    /// It is that of another text, or dynamic shared memory.
    Extern,
}

/// A function or a variable that a text has, or takes from another text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Symbol<'t> {
    pub(crate) name: &'t str,
    pub(crate) linkage: Linkage,
    pub(crate) is_function: bool,
    /// Its place in the text.
    place: Range<usize>,
}

/// Returns whether a name may contain this.
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%')
}

/// Where the comment or the text in quotation marks that begins here ends; none if none does.
fn skipped(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let behind = |from: usize, end: &str| {
        rest[from..].find(end).map_or(text.len(), |found| at + from + found + end.len())
    };
    match rest {
        _ if rest.starts_with("//") => Some(behind(2, "\n")),
        _ if rest.starts_with("/*") => Some(behind(2, "*/")),
        _ if rest.starts_with('"') => Some(behind(1, "\"")),
        _ => None,
    }
}

/// The end of the statement that begins here: its semicolon, or the brace that closes a body.
fn end(text: &str, start: usize) -> usize {
    let (mut at, mut depth, mut is_value) = (start, 0_usize, false);
    while let Some(c) = text[at..].chars().next() {
        if let Some(next) = skipped(text, at) {
            at = next;
            continue;
        }
        at += c.len_utf8();
        match c {
            '=' if depth == 0 => is_value = true,
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && !is_value {
                    return at;
                }
            }
            ';' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// The symbol that a statement is, if it is one.
fn symbol(text: &str, place: Range<usize>) -> Option<Symbol<'_>> {
    let statement = &text[place.clone()];
    let linkage = match statement.split_whitespace().next()? {
        ".weak" | ".common" => Linkage::Weak,
        ".visible" => Linkage::Visible,
        ".extern" => Linkage::Extern,
        _ => Linkage::Local,
    };
    let head = &statement[..statement.find(['{', '=', ';']).unwrap_or(statement.len())];
    let has_body = statement[head.len()..].starts_with('{');
    if head.contains(".entry") {
        return None;
    }
    if let Some((_, behind)) = head.split_once(".func") {
        // A result comes before the name.
        let behind = behind.trim_start();
        let name = match behind.strip_prefix('(') {
            Some(result) => result.split_once(')')?.1.trim_start(),
            None => behind,
        };
        let name = name.split(|c| !is_of_name(c)).next()?;
        let known = has_body || linkage == Linkage::Extern;
        return known.then_some(Symbol { name, linkage, is_function: true, place });
    }
    if !head.contains(".global") && !head.contains(".const") && !head.contains(".shared") {
        return None;
    }
    let head = head.split('[').next()?.trim_end();
    let name = head.rsplit(|c| !is_of_name(c)).next().filter(|name| !name.is_empty())?;
    Some(Symbol { name, linkage, is_function: false, place })
}

/// The symbols of a text.
pub(crate) fn symbols(text: &str) -> Vec<Symbol<'_>> {
    let (mut at, mut found) = (0, Vec::new());
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if let Some(next) = skipped(text, at) {
            at = next;
        } else if [".version", ".target", ".address_size", ".file", ".loc"]
            .iter()
            .any(|line| text[at..].starts_with(line))
        {
            // These end with their lines.
            at += text[at..].find('\n').unwrap_or(text.len() - at);
        } else {
            let place = at..end(text, at);
            at = place.end;
            found.extend(symbol(text, place));
        }
    }
    found
}

/// A text with other names for some of its symbols, and without others.
fn changed(text: &str, names: &HashMap<&str, String>, without: &[Range<usize>]) -> String {
    let (mut out, mut at) = (String::new(), 0);
    // They are in order.
    let mut without = without.iter().peekable();
    while let Some(c) = text[at..].chars().next() {
        let next = if let Some(place) = without.next_if(|place| place.start == at) {
            at = place.end;
            continue;
        } else if let Some(next) = skipped(text, at) {
            next
        } else if c == '.' || is_of_name(c) {
            // A word after a dot is no name of a symbol.
            let behind = at + 1;
            let next =
                text[behind..].find(|c| !is_of_name(c)).map_or(text.len(), |len| behind + len);
            if let Some(name) = names.get(&text[at..next]) {
                out.push_str(name);
                at = next;
                continue;
            }
            next
        } else {
            at + c.len_utf8()
        };
        out.push_str(&text[at..next]);
        at = next;
    }
    out
}

/// Texts that can be put together: local symbols have names that no other text has. Of weak symbols of a name the first
/// is left, or none if there is another one. Of declarations of a variable the first is left, or none after its
/// definition.
pub(crate) fn resolved(texts: &[&str]) -> Vec<String> {
    let all: Vec<_> = texts.iter().map(|text| symbols(text)).collect();
    let of = |linkage| {
        all.iter()
            .flatten()
            .filter(move |symbol| symbol.linkage == linkage)
            .map(|symbol| symbol.name)
    };
    let mut taken: HashSet<&str> = of(Linkage::Visible).collect();
    // A local one is not what other texts take, so it has another name than that too.
    let others = of(Linkage::Weak).chain(of(Linkage::Extern));
    let mut used: HashSet<&str> = taken.iter().copied().chain(others).collect();
    let (mut out, mut declared) = (Vec::new(), HashSet::new());
    for (number, (text, symbols)) in texts.iter().zip(&all).enumerate() {
        let (mut names, mut without) = (HashMap::new(), Vec::new());
        for symbol in symbols {
            match symbol.linkage {
                Linkage::Visible => _ = declared.insert(symbol.name),
                Linkage::Weak if taken.insert(symbol.name) => _ = declared.insert(symbol.name),
                Linkage::Weak => without.push(symbol.place.clone()),
                // A function may be declared more than once.
                Linkage::Extern if symbol.is_function => {}
                // An initialiser that names it wants a declaration before the definition.
                Linkage::Extern if declared.insert(symbol.name) => {}
                Linkage::Extern => without.push(symbol.place.clone()),
                Linkage::Local if used.insert(symbol.name) => {}
                Linkage::Local => {
                    // Compilers name their texts `$str` and `$str$1`.
                    names.insert(symbol.name, format!("{}$input${number}", symbol.name));
                }
            }
        }
        out.push(changed(text, &names, &without));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "//\n// .weak f {\n.version 8.0\n.target sm_75, debug\n.address_size 64\n\
        .extern .func other;\n\
        .weak .global .align 4 .u32 w[2] = {1, 2};\n.global .align 1 .b8 text[4] = {1, 2, 3, 4};\n\
        .weak .func (.reg .u32 r) f(.param .b32 a)\n{ { mov.u32 r, 1; } ret; }\n\
        .func local() { ld.weak.global.u32 r, [text]; call f, (x); ret; }\n\
        .visible .func v() { call local; /* text } */ ret; }\n\
        .visible .entry k() { ret; }\n";

    #[test]
    fn symbols_are_found_with_their_linkage() {
        let found: Vec<_> = symbols(ONE)
            .into_iter()
            .map(|symbol| (symbol.name, symbol.linkage, symbol.is_function))
            .collect();
        assert_eq!(
            found,
            [
                ("other", Linkage::Extern, true),
                ("w", Linkage::Weak, false),
                ("text", Linkage::Local, false),
                ("f", Linkage::Weak, true),
                ("local", Linkage::Local, true),
                ("v", Linkage::Visible, true),
            ]
        );
    }

    #[test]
    fn local_symbols_get_names_of_their_own_and_weak_ones_give_way() {
        let two = ".extern .global .u32 w[];\n.visible .func f() { ret; }\n.weak .global .u32 w = 3;\n\
            .func local() { mov.u32 r, %tid.local; call text; ret; }\n.global .u32 only;\n.func other() { }\n";
        let out = resolved(&[ONE, two]);
        // The function of the other text goes before the weak one.
        assert!(!out[0].contains(".func (.reg .u32 r) f"), "{}", out[0]);
        assert!(out[0].contains("w[2] = {1, 2};") && out[0].contains("call f, (x)"), "{}", out[0]);
        assert_eq!(
            out[1],
            "\n.visible .func f() { ret; }\n\n.func local$input$1() { mov.u32 r, %tid.local; call text; ret; }\n\
             .global .u32 only;\n.func other$input$1() { }\n"
        );
        // One alone stays as it is, whatever is in it.
        for text in [ONE, "", "{", ".weak", "\"", ".global", ".func (", "é;"] {
            assert_eq!(resolved(&[text]), [text]);
        }
    }
}
