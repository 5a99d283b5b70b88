//! Tokens to the syntax tree.

mod body;
mod constant;
mod operand;
mod variable;

use super::error::{Diagnostic, ParseError, ParseErrorKind, not_ascii, report};
use super::lex::{Kind, Token, tokens};
use super::tree::{BlockLimit, Function, Source, Space, StatementKind};

/// The newest `.version` that is taken: that of CUDA 13.0.
pub const NEWEST_VERSION: (u32, u32) = (9, 0);

/// The numbers of the `.target`s there are, each with the `.version` in tenths that it needs (PTX ISA,
/// "Release Notes"). Those below `sm_50` load as well: the assembler of CUDA 13.0 takes them.
const TARGETS: &[(u32, u32)] = &[
    (10, 10),
    (11, 10),
    (12, 12),
    (13, 12),
    (20, 20),
    (21, 20),
    (30, 30),
    (32, 40),
    (35, 31),
    (37, 41),
    (50, 40),
    (52, 41),
    (53, 42),
    (60, 50),
    (61, 50),
    (62, 50),
    (70, 60),
    (72, 61),
    (75, 63),
    (80, 70),
    (86, 71),
    (87, 74),
    (88, 90),
    (89, 78),
    (90, 78),
    (100, 86),
    (101, 86),
    (103, 88),
    (110, 90),
    (120, 87),
    (121, 88),
];

/// An error, with the kind that decides the driver's code.
struct Failure(ParseErrorKind, Diagnostic);

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(ParseErrorKind::InvalidPtx, diagnostic)
    }
}

/// Parses a module's text.
pub fn parse(text: &str) -> Result<Source<'_>, ParseError> {
    if let Some(at) = text.bytes().position(|byte| !byte.is_ascii()) {
        let before = text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count();
        return Err(not_ascii(u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)));
    }
    let parsed = tokens(text)
        .map_err(Failure::from)
        .and_then(|tokens| Parser { tokens: &tokens, at: 0 }.module());
    parsed.map_err(|Failure(kind, diagnostic)| report(kind, &[diagnostic]))
}

/// What may stand before a declaration.
#[derive(Clone, Copy, Default)]
struct Linkage<'s> {
    visible: bool,
    external: bool,
    word: Option<&'s str>,
}

/// What blocks a function takes, and the directives that say so, with their numbers.
type Directives<'s> = (BlockLimit, Vec<(&'s str, Vec<u32>)>);

struct Parser<'t, 's> {
    tokens: &'t [Token<'s>],
    at: usize,
}

impl<'s> Parser<'_, 's> {
    /// The token `ahead` of the next; the last of all is repeated.
    fn peek(&self, ahead: usize) -> Kind<'s> {
        self.tokens.get(self.at + ahead).map_or(Kind::End, |token| token.kind)
    }

    fn line(&self) -> u32 {
        let at = self.at.min(self.tokens.len().saturating_sub(1));
        self.tokens.get(at).map_or(0, |token| token.line)
    }

    fn next(&mut self) -> Kind<'s> {
        let kind = self.peek(0);
        self.at += 1;
        kind
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, Diagnostic> {
        Err(Diagnostic::new(self.line(), message))
    }

    fn unexpected<T>(&self, wanted: &str) -> Result<T, Diagnostic> {
        let found = match self.peek(0) {
            Kind::Word(word) => format!("'{word}'"),
            Kind::Int(value) | Kind::Unsigned(value) => format!("'{value}'"),
            Kind::Operator(operator) => format!("'{operator}'"),
            Kind::F32(_) | Kind::F64(_) | Kind::Bits64(_) => "a floating-point number".to_owned(),
            Kind::Text(_) => "a string".to_owned(),
            Kind::Mark(mark) => format!("'{mark}'"),
            Kind::End => "the end of the text".to_owned(),
        };
        self.error(format!("Parsing error near {found}: syntax error, {wanted} expected"))
    }

    /// Takes a mark, if it is the next token.
    fn take(&mut self, mark: char) -> bool {
        let there = self.peek(0) == Kind::Mark(mark);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, mark: char) -> Result<(), Diagnostic> {
        if self.take(mark) {
            return Ok(());
        }
        self.unexpected(&format!("'{mark}'"))
    }

    /// Takes a word, if it is the next token.
    fn take_word(&mut self, word: &str) -> bool {
        let there = self.peek(0) == Kind::Word(word);
        self.at += usize::from(there);
        there
    }

    /// A name: a word that is no directive.
    fn name(&mut self) -> Result<&'s str, Diagnostic> {
        match self.peek(0) {
            Kind::Word(word) if !word.starts_with('.') => {
                self.at += 1;
                Ok(word)
            }
            _ => self.unexpected("a name"),
        }
    }

    fn integer(&mut self) -> Result<u64, Diagnostic> {
        match self.peek(0) {
            Kind::Int(value) | Kind::Unsigned(value) => {
                self.at += 1;
                Ok(value)
            }
            _ => self.unexpected("an integer"),
        }
    }

    fn small(&mut self) -> Result<u32, Diagnostic> {
        let value = self.integer()?;
        u32::try_from(value).or_else(|_| self.error(format!("Value {value} is out of range")))
    }

    fn module(&mut self) -> Result<Source<'s>, Failure> {
        let mut source = Source { version: self.version()?, ..Source::default() };
        (source.target, source.specific) = self.target(source.version, &mut source.targets)?;
        while self.peek(0) != Kind::End {
            self.item(&mut source)?;
        }
        Ok(source)
    }

    /// `.version`, in tenths.
    fn version(&mut self) -> Result<u32, Failure> {
        if !self.take_word(".version") {
            return Err(Failure::from(Diagnostic::new(
                self.line(),
                "Missing .version directive at start of file",
            )));
        }
        let Kind::F64(bits) = self.peek(0) else {
            return Ok(self.unexpected("a version such as 9.0")?);
        };
        let tenths = f64::from_bits(bits) * 10.0;
        let newest = f64::from(NEWEST_VERSION.0 * 10 + NEWEST_VERSION.1);
        if !(10.0..=newest).contains(&tenths.round()) {
            let message = format!(
                "Unsupported .version {:.1}; current version is '{}.{}'",
                tenths / 10.0,
                NEWEST_VERSION.0,
                NEWEST_VERSION.1
            );
            return Err(Failure(
                ParseErrorKind::UnsupportedVersion,
                Diagnostic::new(self.line(), message),
            ));
        }
        self.at += 1;
        Ok(tenths.round() as u32) // 10 to 90
    }

    fn target(&mut self, version: u32, words: &mut Vec<&'s str>) -> Result<(u32, bool), Failure> {
        if !self.take_word(".target") {
            return Ok(self.error("Missing .target directive")?);
        }
        let name = self.name()?;
        words.push(name);
        let number = name
            .strip_prefix("sm_")
            .map(|number| number.trim_end_matches(['a', 'f']))
            .and_then(|number| number.parse::<u32>().ok());
        let Some(&(number, needs)) =
            TARGETS.iter().find(|&&(known, _)| number.is_some_and(|number| number == known))
        else {
            return Ok(self.error(format!("Unsupported .target '{name}'"))?);
        };
        if version < needs {
            let (major, minor) = (version / 10, version % 10);
            let message = format!("PTX .version {major}.{minor} does not support .target {name}");
            return Ok(self.error(message)?);
        }
        while self.take(',') {
            match self.name()? {
                word @ ("debug" | "texmode_unified" | "texmode_independent") => words.push(word),
                other => return Ok(self.error(format!("Unknown target option '{other}'"))?),
            }
        }
        Ok((number, name.ends_with('a')))
    }

    /// One declaration or directive of module scope.
    fn item(&mut self, source: &mut Source<'s>) -> Result<(), Diagnostic> {
        let linkage = self.linkage();
        let Kind::Word(word) = self.peek(0) else {
            return self.unexpected("a directive");
        };
        match word {
            ".entry" | ".func" => {
                let function = self.function(word == ".entry", linkage.word)?;
                source.functions.push(function);
            }
            ".address_size" => {
                self.at += 1;
                if self.integer()? != 64 {
                    return self.error("Only .address_size 64 is supported");
                }
            }
            ".pragma" | ".file" | ".loc" => {
                self.line_directive(&mut source.files)?;
            }
            ".section" => self.skip_section()?,
            _ => match self.space() {
                Some(space @ (Space::Global | Space::Const | Space::Shared)) => {
                    self.variables(space, linkage, &mut source.variables)?;
                }
                _ => return self.error(format!("Directive '{word}' is not supported here")),
            },
        }
        Ok(())
    }

    fn linkage(&mut self) -> Linkage<'s> {
        let mut linkage = Linkage::default();
        loop {
            match self.peek(0) {
                Kind::Word(word @ (".visible" | ".weak" | ".common" | ".extern")) => {
                    self.at += 1;
                    linkage.word = Some(word);
                    linkage.external |= word == ".extern";
                    linkage.visible |= word != ".extern";
                }
                _ => return linkage,
            }
        }
    }

    /// The state space that the next word names, which is taken.
    fn space(&mut self) -> Option<Space> {
        let space = match self.peek(0) {
            Kind::Word(".global") => Space::Global,
            Kind::Word(".const") => Space::Const,
            Kind::Word(".shared") => Space::Shared,
            Kind::Word(".local") => Space::Local,
            Kind::Word(".param") => Space::Param,
            Kind::Word(".reg") => Space::Reg,
            _ => return None,
        };
        self.at += 1;
        Some(space)
    }

    /// `.pragma "…";`, `.file …` or `.loc …`. A file is added to the list.
    fn line_directive(
        &mut self,
        files: &mut Vec<(u64, &'s str)>,
    ) -> Result<Option<StatementKind<'s>>, Diagnostic> {
        let line = self.line();
        let word = self.next();
        if word == Kind::Word(".pragma") {
            let mut texts = Vec::new();
            loop {
                match self.next() {
                    Kind::Mark(';') => return Ok(Some(StatementKind::Pragma(texts))),
                    Kind::Text(text) => texts.push(text),
                    _ => {}
                }
                if self.peek(0) == Kind::End {
                    return self.unexpected("';'");
                }
            }
        }
        let start = self.at;
        while self.line() == line && self.peek(0) != Kind::End {
            self.at += 1;
        }
        let number = |at: usize| match self.tokens[start..self.at].get(at) {
            Some(Token { kind: Kind::Int(value), .. }) => Some(*value),
            _ => None,
        };
        match self.tokens[start..self.at].get(1) {
            Some(Token { kind: Kind::Text(name), .. }) if word == Kind::Word(".file") => {
                files.extend(number(0).map(|at| (at, *name)));
                Ok(None)
            }
            _ if word == Kind::Word(".loc") => Ok(match (number(0), number(1), number(2)) {
                (Some(file), Some(line), Some(column)) => {
                    Some(StatementKind::Location(file, line, column))
                }
                _ => None,
            }),
            _ => Ok(None),
        }
    }

    /// Passes over `.section name { … }`.
    fn skip_section(&mut self) -> Result<(), Diagnostic> {
        self.at += 1;
        while self.next() != Kind::Mark('}') {
            if self.peek(0) == Kind::End {
                return self.unexpected("'}'");
            }
        }
        Ok(())
    }

    /// An `.entry` or `.func`, from that word on.
    fn function(
        &mut self,
        entry: bool,
        linkage: Option<&'s str>,
    ) -> Result<Function<'s>, Diagnostic> {
        self.at += 1;
        let line = self.line();
        let returns = if entry { Vec::new() } else { self.parameters()? };
        let name = self.name()?;
        let params = self.parameters()?;
        let (block, directives) = self.function_directives()?;
        let body = if self.take(';') { None } else { Some(self.body()?) };
        Ok(Function { name, line, entry, returns, params, block, directives, linkage, body })
    }

    /// `.maxntid`, `.reqntid` and what else may stand before the body.
    fn function_directives(&mut self) -> Result<Directives<'s>, Diagnostic> {
        let mut block = BlockLimit::default();
        let mut list = Vec::new();
        loop {
            match self.peek(0) {
                Kind::Word(word @ (".maxntid" | ".reqntid" | ".reqnctapercluster")) => {
                    self.at += 1;
                    let mut shape = [self.small()?, 1, 1];
                    for extent in &mut shape[1..] {
                        if self.take(',') {
                            *extent = self.small()?;
                        }
                    }
                    list.push((word, shape.to_vec()));
                    if word == ".reqnctapercluster" {
                        block.cluster = Some(shape);
                    } else if word == ".reqntid" {
                        block.required = Some(shape);
                    } else {
                        let product = shape.into_iter().fold(1, u32::saturating_mul);
                        block.max_threads = Some(product);
                    }
                }
                Kind::Word(word @ ".maxnreg") => {
                    self.at += 1;
                    let most = self.small()?;
                    list.push((word, vec![most]));
                    block.max_registers = Some(most);
                }
                Kind::Word(word @ (".minnctapersm" | ".maxnctapersm" | ".maxclusterrank")) => {
                    self.at += 1;
                    list.push((word, vec![self.small()?]));
                }
                Kind::Word(word @ ".noreturn") => {
                    self.at += 1;
                    list.push((word, Vec::new()));
                }
                Kind::Word(word @ ".explicitcluster") => {
                    self.at += 1;
                    list.push((word, Vec::new()));
                    block.explicit_cluster = true;
                }
                Kind::Word(".pragma") => {
                    self.line_directive(&mut Vec::new())?;
                }
                Kind::Mark('{' | ';') => return Ok((block, list)),
                Kind::Word(word) if word.starts_with('.') => {
                    return self.error(format!("Directive '{word}' is not supported"));
                }
                _ => return self.unexpected("'{'"),
            }
        }
    }
}
