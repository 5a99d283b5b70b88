//! Tokens to the syntax tree.

mod body;
mod constant;
mod operand;
mod variable;

use super::error::{Diagnostic, ParseError, ParseErrorKind, not_ascii, report};
use super::lex::{Kind, Token, tokens};
use super::tree::{BlockLimit, Function, Source, Space, StatementKind};
use super::types::Type;

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

/// The state spaces of declarations.
const SPACES: &[&str] = &["global", "const", "shared", "local", "param", "reg"];

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

/// The words that may stand before a declaration.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Linkage {
    visible: bool,
    external: bool,
    /// `.common`, which is for device memory.
    common: bool,
}

/// The blocks that a function takes, and the directives that say so, with their numbers.
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

    /// A name that something is declared with.
    fn declared(&mut self) -> Result<&'s str, Diagnostic> {
        match self.peek(0) {
            Kind::Word(word) if word == "_" || word == "WARP_SZ" || word.contains('.') => {
                self.unexpected("a name to declare")
            }
            _ => self.name(),
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
        let (target, specific, words) = self.target(source.version)?;
        (source.target, source.specific, source.targets) = (target, specific, words);
        while self.peek(0) == Kind::Word(".target") {
            self.target(source.version)?;
        }
        if self.take_word(".address_size") && self.integer()? != 64 {
            return Ok(self.error("Only .address_size 64 is supported")?);
        }
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

    fn target(&mut self, version: u32) -> Result<(u32, bool, Vec<&'s str>), Failure> {
        if !self.take_word(".target") {
            return Ok(self.error("Missing .target directive")?);
        }
        let name = self.name()?;
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
        let mut words = vec![name];
        while self.take(',') {
            match self.name()? {
                word @ ("debug" | "texmode_unified" | "texmode_independent") => words.push(word),
                other => return Ok(self.error(format!("Unknown target option '{other}'"))?),
            }
        }
        Ok((number, name.ends_with('a'), words))
    }

    /// One declaration or directive of module scope.
    fn item(&mut self, source: &mut Source<'s>) -> Result<(), Diagnostic> {
        let linkage = self.linkage();
        let Kind::Word(word) = self.peek(0) else {
            return self.unexpected("a directive");
        };
        let none = linkage == Linkage::default();
        match word {
            ".entry" | ".func" if !linkage.common => {
                let function = self.function(word == ".entry", linkage)?;
                source.functions.push(function);
            }
            ".pragma" if none => drop(self.pragma()?),
            ".file" if none => {
                let file = self.file()?;
                source.files.push(file);
            }
            ".section" if none => self.section()?,
            ".align" | ".global" | ".const" | ".shared" | ".local" | ".param" | ".reg"
            | ".attribute" => {
                let specified = self.specified()?;
                let before = source.variables.len();
                self.variables(&specified, linkage, &mut source.variables)?;
                // Without a name, the space means nothing.
                let (named, space) = (source.variables.len() > before, specified.space);
                if named && !matches!(space, Space::Global | Space::Const | Space::Shared) {
                    return self.error("Variables of this state space are not allowed here");
                }
                if named && linkage.common && space != Space::Global {
                    return self.error(".common variables must be declared in .global space");
                }
            }
            _ if self.is_type() => {
                let specified = self.specified()?;
                self.variables(&specified, linkage, &mut source.variables)?;
            }
            _ => return self.error(format!("Directive '{word}' is not supported here")),
        }
        Ok(())
    }

    /// Whether a type is next, or the size of a vector.
    fn is_type(&self) -> bool {
        let Kind::Word(word) = self.peek(0) else { return false };
        let name = word.strip_prefix('.');
        name.is_some_and(|name| matches!(name, "v2" | "v4") || Type::named(name).is_some())
    }

    /// Reads the word that may stand before a declaration.
    fn linkage(&mut self) -> Linkage {
        let mut linkage = Linkage::default();
        match self.peek(0) {
            Kind::Word(".visible" | ".weak") => linkage.visible = true,
            Kind::Word(".common") => (linkage.visible, linkage.common) = (true, true),
            Kind::Word(".extern") => linkage.external = true,
            _ => return linkage,
        }
        self.at += 1;
        linkage
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

    fn text(&mut self) -> Result<&'s str, Diagnostic> {
        match self.peek(0) {
            Kind::Text(text) => {
                self.at += 1;
                Ok(text)
            }
            _ => self.unexpected("a string"),
        }
    }

    /// `.pragma "…", "…";`
    fn pragma(&mut self) -> Result<Vec<&'s str>, Diagnostic> {
        self.at += 1;
        let mut texts = vec![self.text()?];
        while self.take(',') {
            texts.push(self.text()?);
        }
        self.expect(';')?;
        Ok(texts)
    }

    /// `.file 1 "…"` with a time and a size, if they are there.
    fn file(&mut self) -> Result<(u64, &'s str), Diagnostic> {
        self.at += 1;
        let file = (self.integer()?, self.text()?);
        for _ in 0..2 {
            if self.take(',') {
                self.integer()?;
            }
        }
        Ok(file)
    }

    /// `.loc 1 2 3, function_name f, inlined_at 1 2 3`, whose last part is passed over.
    fn location(&mut self) -> Result<StatementKind<'s>, Diagnostic> {
        self.at += 1;
        let place = (self.integer()?, self.integer()?, self.integer()?);
        let place = StatementKind::Location(place.0, place.1, place.2);
        if !self.take(',') {
            return Ok(place);
        }
        if !self.take_word("function_name") {
            return self.unexpected("'function_name'");
        }
        self.name()?;
        self.addend()?;
        self.expect(',')?;
        if !self.take_word("inlined_at") {
            return self.unexpected("'inlined_at'");
        }
        (0..3).try_for_each(|_| self.integer().map(drop))?;
        Ok(place)
    }

    /// Passes over `.section .name { … }`: labels, and lists of numbers and places.
    fn section(&mut self) -> Result<(), Diagnostic> {
        self.at += 1;
        match self.peek(0) {
            Kind::Word(word) if word.starts_with('.') => self.place()?,
            _ => return self.unexpected("the name of a section"),
        }
        self.expect('{')?;
        while !self.take('}') {
            match self.peek(0) {
                Kind::Word(".b8" | ".b16" | ".b32" | ".b64") => {
                    let ty = self.ty()?;
                    self.item_of_section(ty)?;
                    while self.take(',') {
                        self.item_of_section(ty)?;
                    }
                }
                Kind::Word(word) if !word.contains('.') => {
                    self.at += 1;
                    self.expect(':')?;
                }
                _ => return self.unexpected("'}'"),
            }
        }
        Ok(())
    }

    /// A name or a section's name, which no type and no state space is.
    fn place(&mut self) -> Result<(), Diagnostic> {
        let Kind::Word(word) = self.peek(0) else { return self.unexpected("a name") };
        let own = word.strip_prefix('.');
        if own.is_some_and(|own| Type::named(own).is_some() || SPACES.contains(&own)) {
            return self.unexpected("a name");
        }
        self.at += 1;
        Ok(())
    }

    /// `1`, `-1`, `name`, `.section+4`, `name-name`.
    fn item_of_section(&mut self, ty: Type) -> Result<(), Diagnostic> {
        let negative = self.take('-');
        if negative || matches!(self.peek(0), Kind::Int(_) | Kind::Unsigned(_)) {
            let value = self.integer()?;
            return match negative || value <= ty.mask() {
                true => Ok(()),
                false => self.error(format!("Value out of range for type {value}")),
            };
        }
        if ty.bytes < 4 {
            return self.error("Illegal type for a place in a section");
        }
        self.place()?;
        if self.take('-') {
            return self.place();
        }
        self.addend().map(drop)
    }

    /// An `.entry` or `.func`, from that word on.
    fn function(&mut self, entry: bool, linkage: Linkage) -> Result<Function<'s>, Diagnostic> {
        let Linkage { visible, external, .. } = linkage;
        self.at += 1;
        let (line, at) = (self.line(), self.at);
        let returns = if entry { Vec::new() } else { self.parameters(false)? };
        let name = self.declared()?;
        let params = self.parameters(entry)?;
        let (block, directives) = if entry {
            self.function_directives()?
        } else {
            if self.take_word(".noreturn") && !returns.is_empty() {
                return self.error(format!("Invalid directive '.noreturn' for function '{name}'"));
            }
            Directives::default()
        };
        let inner = params.split_last().map_or(&[][..], |(_, inner)| inner);
        if returns.iter().chain(inner).any(|variable| variable.size.is_none()) {
            return self.error("Only the last input parameter can be an incomplete array");
        }
        for variable in returns.iter().chain(&params) {
            if entry && (variable.space != Space::Param || variable.size.is_none()) {
                return self.error(format!("Invalid parameter '{}'", variable.name));
            }
            if !entry && variable.name == "_" {
                return self.error("Illegal parameter name '_'");
            }
        }
        if returns.len() > 1 && returns.iter().any(|variable| variable.space == Space::Param) {
            return self.error("Multiple return parameters require .register state space");
        }
        // A declaration of a function needs no `;`.
        let bare = !entry && self.peek(0) != Kind::Mark('{');
        let body = if self.take(';') || bare { None } else { Some(self.body()?) };
        if external && body.is_some() {
            return self.error(format!("'.extern' function '{name}' has a body"));
        }
        Ok(Function {
            name,
            line,
            at,
            visible,
            external,
            entry,
            returns,
            params,
            block,
            directives,
            body,
        })
    }

    /// A number of a directive, at least 1.
    fn positive(&mut self) -> Result<u32, Diagnostic> {
        match self.small()? {
            0 => self.error("Positive non-zero value expected"),
            value => Ok(value),
        }
    }

    /// `.maxntid`, `.reqntid` and what else may stand before the body of an entry.
    fn function_directives(&mut self) -> Result<Directives<'s>, Diagnostic> {
        let mut block = BlockLimit::default();
        let mut list = Vec::new();
        let mut most_blocks = false;
        loop {
            match self.peek(0) {
                Kind::Word(word @ (".maxntid" | ".reqntid" | ".reqnctapercluster")) => {
                    self.at += 1;
                    let cluster = word == ".reqnctapercluster";
                    let mut shape = [1; 3];
                    for (number, extent) in shape.iter_mut().enumerate() {
                        if number > 0 && !self.take(',') {
                            break;
                        }
                        *extent = if cluster { self.small()? } else { self.positive()? };
                    }
                    list.push((word, shape.to_vec()));
                    if cluster {
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
                    let most = self.positive()?;
                    list.push((word, vec![most]));
                    block.max_registers = Some(most);
                }
                Kind::Word(word @ ".minnctapersm") => {
                    self.at += 1;
                    list.push((word, vec![self.positive()?]));
                }
                Kind::Word(word @ ".maxclusterrank") => {
                    self.at += 1;
                    list.push((word, vec![self.small()?]));
                    most_blocks = true;
                }
                Kind::Word(word @ ".explicitcluster") => {
                    self.at += 1;
                    list.push((word, Vec::new()));
                    block.explicit_cluster = true;
                }
                Kind::Word(".pragma") => drop(self.pragma()?),
                Kind::Mark('{' | ';') => break,
                Kind::Word(word) if word.starts_with('.') => {
                    return self.error(format!("Directive '{word}' is not supported"));
                }
                _ => return self.unexpected("'{'"),
            }
        }
        let conflict = block.max_threads.is_some() && block.required.is_some();
        if conflict || most_blocks && block.cluster.is_some() {
            return self.error("Conflicting directives cannot both be specified");
        }
        Ok((block, list))
    }
}
