//! Declarations of PTX text: kernels with their parameters, and variables.

use super::{Token, Tokens, number};
use bytemuck::NoUninit;
use std::any::TypeId;

/// A kernel that PTX text declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PtxEntry {
    pub(crate) name: String,
    pub(crate) params: Vec<PtxParam>,
}

/// A parameter as the text declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PtxParam {
    /// Its type: `.f32`.
    pub(crate) ty: String,
    /// Whether it is declared as a pointer.
    pub(crate) pointer: bool,
    /// Whether it is an array, as a struct is.
    pub(crate) array: bool,
    pub(crate) size: usize,
    pub(crate) align: usize,
}

/// The values that a parameter may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(unreachable_pub, reason = "a sealed method returns it")]
pub enum Class {
    Integer,
    Float,
    Pointer,
    /// A struct or array. PTX text declares it as bytes, or as another type of its size, but not as a pointer.
    Bytes,
}

impl Class {
    /// Returns the class of a plain value: of a number, what the number is.
    #[inline]
    pub(crate) fn of<T: NoUninit>() -> Self {
        let is = |numbers: &[TypeId]| numbers.contains(&TypeId::of::<T>());
        #[cfg(feature = "half")]
        if is(&[TypeId::of::<half::f16>(), TypeId::of::<half::bf16>()]) {
            return Class::Float;
        }
        if is(&[TypeId::of::<f32>(), TypeId::of::<f64>()]) {
            Class::Float
        } else if is(&[
            TypeId::of::<u8>(),
            TypeId::of::<u16>(),
            TypeId::of::<u32>(),
            TypeId::of::<u64>(),
            TypeId::of::<usize>(),
            TypeId::of::<i8>(),
            TypeId::of::<i16>(),
            TypeId::of::<i32>(),
            TypeId::of::<i64>(),
            TypeId::of::<isize>(),
            TypeId::of::<bool>(),
        ]) {
            Class::Integer
        } else {
            Class::Bytes
        }
    }
}

impl PtxParam {
    /// Returns its declaration as messages have it: `.u64 .ptr`.
    pub(crate) fn declaration(&self) -> String {
        let pointer = if self.pointer { " .ptr" } else { "" };
        let array = if self.array { " […]" } else { "" };
        format!("{}{pointer}{array}", self.ty)
    }

    /// Returns whether it can be of the class, as far as the text declares it.
    #[inline]
    pub(crate) fn admits(&self, class: Class) -> bool {
        let kind = self.ty.as_bytes().get(1).copied().unwrap_or(b'b');
        match class {
            Class::Pointer => !self.array && kind != b'f',
            _ if self.pointer => false,
            Class::Bytes => true,
            _ if self.array => true,
            Class::Integer => kind != b'f',
            Class::Float => matches!(kind, b'f' | b'b'),
        }
    }
}

/// Returns the size in bytes of a type such as `.f32`, or `None` for another name.
#[inline]
fn size_of_type(ty: &str) -> Option<usize> {
    let bits: usize = ty.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    (bits >= 8 && bits % 8 == 0).then_some(bits / 8)
}

/// The declarations of PTX text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PtxContents {
    /// The kernels, except those with an unknown form of declaration.
    pub(crate) kernels: Vec<PtxEntry>,
    /// The names of the variables that are looked up by name.
    pub(crate) variables: Vec<String>,
}

impl PtxContents {
    /// Reads a text, in one pass.
    #[inline]
    pub(crate) fn of(text: &[u8]) -> PtxContents {
        let mut tokens = Tokens::new(text);
        let mut contents = PtxContents::default();
        // In a body, `.global` is a part of an instruction.
        let mut depth = 0_usize;
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(b".entry") => contents.kernels.extend(entry(&mut tokens)),
                Token::Word(b".global" | b".const") if depth == 0 => {
                    contents.variables.extend(variable(&mut tokens));
                }
                Token::Mark(b'{') => depth += 1,
                Token::Mark(b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        contents
    }

    /// Returns the kernel of this name.
    pub(crate) fn kernel(&self, name: &str) -> Option<&PtxEntry> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }
}

/// Returns the name of a variable, after its `.global`: `.align 4 .b8 name[8]`. Stops before it, or before what belongs to
/// something else.
#[inline]
fn variable(tokens: &mut Tokens<'_>) -> Option<String> {
    loop {
        match tokens.peek()? {
            Token::Word(b".align") => {
                tokens.next();
                next_number(tokens)?;
            }
            Token::Word(b".entry" | b".func" | b".global" | b".const") => return None,
            // `.attribute(.managed)`
            Token::Word([b'.', ..]) => {
                tokens.next();
                if tokens.skip_mark(b'(') {
                    tokens.by_ref().find(|token| *token == Token::Mark(b')'))?;
                }
            }
            Token::Word(name) => return Some(String::from_utf8_lossy(name).into_owned()),
            _ => return None,
        }
    }
}

/// Reads a kernel, after its `.entry`.
#[inline]
fn entry(tokens: &mut Tokens<'_>) -> Option<PtxEntry> {
    let Some(Token::Word(name)) = tokens.peek().filter(|&next| !is_directive(next)) else {
        return None;
    };
    tokens.next();
    let name = String::from_utf8_lossy(name).into_owned();
    let mut params = Vec::new();
    if tokens.skip_mark(b'(') && !tokens.skip_mark(b')') {
        loop {
            params.push(param(tokens)?);
            if tokens.skip_mark(b')') {
                break;
            }
            if !tokens.skip_mark(b',') {
                return None;
            }
        }
    }
    Some(PtxEntry { name, params })
}

#[inline]
fn is_directive(token: Token<'_>) -> bool {
    matches!(token, Token::Word([b'.', ..]))
}

/// Reads the next number.
#[inline]
fn next_number(tokens: &mut Tokens<'_>) -> Option<usize> {
    let Some(Token::Word(word)) = tokens.peek() else { return None };
    tokens.next();
    number(word)?.try_into().ok()
}

/// `.param .align 4 .b8 name[8]`, `.param .u64 .ptr .global .align 4 name`
#[inline]
fn param(tokens: &mut Tokens<'_>) -> Option<PtxParam> {
    let (mut ty, mut size, mut align, mut pointer) = (None, 0, None, false);
    while let Some(Token::Word(word)) = tokens.peek() {
        // A word that begins another kernel is no part of this one.
        if word == b".entry" {
            return None;
        }
        tokens.next();
        match word {
            b".ptr" => pointer = true,
            // After `.ptr` it is the alignment of the memory that it points to.
            b".align" if !pointer => align = Some(next_number(tokens)?),
            [b'.', ..] => {
                let word = String::from_utf8_lossy(word);
                if let Some(bytes) = size_of_type(&word) {
                    (ty, size) = (Some(word.into_owned()), bytes);
                }
            }
            _ => {}
        }
    }
    let array = tokens.skip_mark(b'[');
    let count = if array { next_number(tokens)? } else { 1 };
    if array && !tokens.skip_mark(b']') {
        return None;
    }
    let bytes = size.checked_mul(count)?;
    Some(PtxParam { ty: ty?, pointer, array, size: bytes, align: align.unwrap_or(size) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(list: &str) -> PtxEntry {
        let text = format!(".version 7.0 /* .entry no() */\n.visible .entry k({list}) {{ ret; }}");
        let mut all = PtxContents::of(text.as_bytes()).kernels;
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
        assert_eq!(PtxContents::of(b".entry a { ret; } .entry b() { ret; }").kernels.len(), 2);
    }

    #[test]
    fn classes_are_told_apart_where_the_text_says_so() {
        let admits = |list, class| one(list).params[0].admits(class);
        assert!(admits(".param .f32 a", Class::Float) && !admits(".param .f32 a", Class::Integer));
        assert!(!admits(".param .u32 a", Class::Float) && admits(".param .b32 a", Class::Float));
        assert!(admits(".param .u64 a", Class::Pointer) && admits(".param .u64 a", Class::Integer));
        assert!(!admits(".param .f64 a", Class::Pointer));
        assert!(!admits(".param .u64 .ptr a", Class::Integer));
        assert!(!admits(".param .u64 .ptr a", Class::Bytes));
        assert!(
            !admits(".param .b8 a[8]", Class::Pointer) && admits(".param .b8 a[8]", Class::Bytes)
        );
        // An array may be a struct of anything.
        for list in [".param .f32 a[2]", ".param .u32 a[2]"] {
            assert!(admits(list, Class::Float) && admits(list, Class::Integer), "{list}");
        }
    }

    #[test]
    fn a_kernel_whose_declaration_is_unknown_hides_no_other() {
        for unknown in [
            ".entry k(.param .b12 n)",
            ".entry k(.param .b4 n)",
            ".entry k(.param .b0 n)",
            ".entry k(.param .pred n)",
            ".entry k(.param .u32 n[)",
            ".entry k(.param .u32 n",
            ".entry k(",
            ".entry",
            ".global",
            ".global .align 4 .u32",
        ] {
            let text = format!("{unknown} .entry next(.param .u8 n) {{ ret; }}");
            let PtxContents { kernels, variables } = PtxContents::of(text.as_bytes());
            let names: Vec<_> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
            assert_eq!((&*names, &*variables), (&["next"][..], &[][..]), "{unknown}");
        }
    }

    #[test]
    fn a_kernel_in_a_string_or_comment_is_none() {
        let text = b".pragma \".entry k(.param .u32 no)\"; // .entry k(.param .u8 no)\n\
            /* .entry k(.param .u16 no) */ .visible.entry k(.param.u64 yes) { ret; }";
        let all = PtxContents::of(text).kernels;
        let [PtxEntry { name, params }] = &*all else { panic!("{all:?}") };
        assert_eq!((&**name, params.len(), &*params[0].ty), ("k", 1, ".u64"));
    }

    #[test]
    fn variables_are_those_outside_of_bodies() {
        let text = b".const .align 4 .f32 factor[4]; .visible .global .align 4 .u32 counter = 5;\n\
            .global .attribute(.managed) .align 8 .b8 both[8]; .extern .shared .b8 dynamic[];\n\
            .entry k() { ld.global.u32 %r1, [counter]; .const .u32 inner; }\n\
            .global .texref texture; .global .v4 .f32 four;";
        let contents = PtxContents::of(text);
        assert_eq!(contents.variables, ["factor", "counter", "both", "texture", "four"]);
        assert!(contents.kernel("k").is_some() && contents.kernel("factor").is_none());
        for nameless in [".global", ".global;", ".global .u32 [", ".const .align 4 \"no\";"] {
            let text = format!("{nameless} .global .u32 x");
            assert_eq!(PtxContents::of(text.as_bytes()).variables, ["x"], "{nameless}");
        }
    }

    /// Returns the time for which this thread ran, however busy the machine is.
    #[cfg(target_os = "linux")]
    #[allow(unsafe_code, reason = "the standard library has no such clock")]
    fn processor_time() -> std::time::Duration {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: writes one value to `time`, which is valid for it.
        let code = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
        assert_eq!(code, 0);
        std::time::Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri is no measure of time")]
    #[cfg(target_os = "linux")]
    fn kernels_that_do_not_end_cost_no_more_than_their_text() {
        for one in [
            ".global ",
            ".global .x(",
            ".entry ",
            ".entry k(",
            ".entry k(.param .u32 n, ",
            ".entry k(.param .u32 n[",
            "/*",
        ] {
            let time = |count: usize| {
                let text = one.repeat(count);
                let once = |_| {
                    let begin = processor_time();
                    assert_eq!(PtxContents::of(text.as_bytes()).kernels, []);
                    processor_time() - begin
                };
                (0..5).map(once).min().unwrap()
            };
            let (few, many) = (time(2000), time(16_000));
            // 8 times as much; 64 times as much if each kernel were read to the end of the text.
            assert!(
                many < 24 * few + std::time::Duration::from_millis(5),
                "{one}: {few:?} {many:?}"
            );
        }
    }
}
