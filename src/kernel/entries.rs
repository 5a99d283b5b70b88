//! What PTX text says about the parameters of its kernels.

/// A kernel that PTX text declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PtxEntry {
    pub(crate) name: String,
    pub(crate) params: Vec<PtxParam>,
}

/// A parameter, as the text declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PtxParam {
    /// Its type: `.f32`.
    pub(crate) ty: String,
    /// Whether it is said to be a pointer.
    pub(crate) pointer: bool,
    /// Whether it is an array, as a struct is.
    pub(crate) array: bool,
    pub(crate) size: usize,
    pub(crate) align: usize,
}

/// What a parameter may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Integer,
    Float,
    Pointer,
    /// A struct or array, which a text declares as bytes, or as what it has the size of.
    Bytes,
}

impl PtxParam {
    /// Whether it can be of the class, as far as the text says.
    pub(crate) fn admits(&self, class: Class) -> bool {
        let kind = self.ty.as_bytes().get(1).copied().unwrap_or(b'b');
        match class {
            Class::Bytes => true,
            Class::Pointer => !self.array && kind != b'f',
            _ if self.pointer => false,
            _ if self.array => true,
            Class::Integer => kind != b'f',
            Class::Float => matches!(kind, b'f' | b'b'),
        }
    }
}

/// Bytes of a type such as `.f32`; none for what has no such name.
fn size_of_type(ty: &str) -> Option<usize> {
    let bits: usize = ty.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    (bits >= 8 && bits.is_multiple_of(8)).then_some(bits / 8)
}

impl PtxEntry {
    /// All kernels of a text. One that is declared in a way that is not known is left out.
    pub(crate) fn all(text: &str) -> Vec<PtxEntry> {
        let text = without_comments(text);
        let mut rest = text.as_str();
        let mut entries = Vec::new();
        while let Some(found) = rest.find(".entry") {
            rest = &rest[found + ".entry".len()..];
            if !rest.starts_with(char::is_whitespace) {
                continue;
            }
            let declaration = rest.trim_start();
            let end = declaration.find(|c: char| c.is_whitespace() || "({;".contains(c));
            let (name, behind) = declaration.split_at(end.unwrap_or(declaration.len()));
            let params = match behind.trim_start().strip_prefix('(') {
                Some(list) => list.split_once(')').and_then(|(list, _)| params(list)),
                None => Some(Vec::new()),
            };
            entries.extend(params.map(|params| PtxEntry { name: name.to_owned(), params }));
        }
        entries
    }
}

fn params(list: &str) -> Option<Vec<PtxParam>> {
    let list = list.trim();
    if list.is_empty() { Some(Vec::new()) } else { list.split(',').map(param).collect() }
}

/// `.param .align 4 .b8 name[8]`, `.param .u64 .ptr .global .align 4 name`
fn param(text: &str) -> Option<PtxParam> {
    let (text, count) = match text.split_once('[') {
        Some((text, count)) => (text, Some(count.trim().strip_suffix(']')?.trim().parse().ok()?)),
        None => (text, None),
    };
    let mut words = text.split_whitespace();
    let (mut ty, mut size, mut align, mut pointer) = (None, 0, None, false);
    while let Some(word) = words.next() {
        match word {
            ".ptr" => pointer = true,
            // That of what it points to, behind `.ptr`.
            ".align" if pointer => _ = words.next()?,
            ".align" => align = Some(words.next()?.parse().ok()?),
            _ if ty.is_none() && size_of_type(word).is_some_and(|_| word.starts_with('.')) => {
                size = size_of_type(word)?;
                ty = Some(word.to_owned());
            }
            _ => {}
        }
    }
    let align = align.unwrap_or(size);
    let bytes: usize = size.checked_mul(count.unwrap_or(1))?;
    Some(PtxParam { ty: ty?, pointer, array: count.is_some(), size: bytes, align })
}

/// The text with a blank in the place of each comment.
fn without_comments(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('/') {
        out.push_str(&rest[..at]);
        let comment = &rest[at..];
        let end = if comment.starts_with("//") {
            comment.find('\n')
        } else if comment.starts_with("/*") {
            comment.find("*/").map(|end| end + 2)
        } else {
            out.push('/');
            Some(1)
        };
        if end != Some(1) {
            out.push(' ');
        }
        rest = &comment[end.unwrap_or(comment.len())..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(list: &str) -> PtxEntry {
        let text = format!(".version 7.0 /* .entry no() */\n.visible .entry k({list}) {{ ret; }}");
        let mut all = PtxEntry::all(&text);
        assert_eq!(all.len(), 1, "{text}");
        all.remove(0)
    }

    #[test]
    fn parameters_have_their_types_sizes_and_alignments() {
        let entry =
            one("\n .param .u32 n, // .param .u8 no,\n .param .f32 a,.param .align 8 .b8 p[24],\n\
             .param .u64 .ptr .global .align 4 x");
        assert_eq!(entry.name, "k");
        let seen: Vec<_> =
            entry.params.iter().map(|p| (p.ty.as_str(), p.size, p.align, p.pointer)).collect();
        assert_eq!(
            seen,
            [
                (".u32", 4, 4, false),
                (".f32", 4, 4, false),
                (".b8", 24, 8, false),
                (".u64", 8, 8, true)
            ]
        );
        assert!(entry.params[2].array && !entry.params[3].array);
        assert_eq!(one(" ").params, []);
        assert_eq!(PtxEntry::all(".entry a { ret; } .entry b() { ret; }").len(), 2);
    }

    #[test]
    fn classes_are_told_apart_where_the_text_says_so() {
        let admits = |list, class| one(list).params[0].admits(class);
        assert!(admits(".param .f32 a", Class::Float) && !admits(".param .f32 a", Class::Integer));
        assert!(!admits(".param .u32 a", Class::Float) && admits(".param .b32 a", Class::Float));
        assert!(admits(".param .u64 a", Class::Pointer) && admits(".param .u64 a", Class::Integer));
        assert!(!admits(".param .f64 a", Class::Pointer));
        assert!(!admits(".param .u64 .ptr a", Class::Integer));
        assert!(
            !admits(".param .b8 a[8]", Class::Pointer) && admits(".param .b8 a[8]", Class::Bytes)
        );
    }
}
