//! Declarations of variables and parameters.

use super::super::error::Diagnostic;
use super::super::lex::Kind;
use super::super::tree::{Init, Pointer, Space, Variable};
use super::super::types::Type;
use super::constant::Constant;
use super::{Linkage, Parser};

/// The most elements that inner braces of an initialiser are for.
const MOST_NESTED: u64 = 1 << 20;

/// The part of a declaration before its names.
pub(super) struct Specified {
    pub(super) space: Space,
    pub(super) ty: Type,
    /// More than one of a vector.
    pub(super) elements: u8,
    align: Option<u64>,
    /// `.attribute(.managed)`
    managed: bool,
}

impl<'s> Parser<'_, 's> {
    /// The type that a word such as `.u32` names.
    pub(super) fn ty(&mut self) -> Result<Type, Diagnostic> {
        let Kind::Word(word) = self.peek(0) else {
            return self.unexpected("a type");
        };
        match word.strip_prefix('.').and_then(Type::named) {
            Some(ty) => {
                self.at += 1;
                Ok(ty)
            }
            None => self.error(format!("Type '{word}' is not supported")),
        }
    }

    /// `( … )`, or nothing.
    pub(super) fn parameters(&mut self, entry: bool) -> Result<Vec<Variable<'s>>, Diagnostic> {
        let mut list = Vec::new();
        if !self.take('(') || self.take(')') {
            return Ok(list);
        }
        loop {
            let specified = self.specified()?;
            if !matches!(specified.space, Space::Param | Space::Reg) {
                return self.error("A parameter is in '.param' or '.reg'");
            }
            let mut pointer = None;
            if entry && self.take_word(".ptr") {
                let space = self.space();
                if let Some(Space::Param | Space::Reg) = space {
                    return self.error("A pointer leads to no such state space");
                }
                let align = if self.take_word(".align") { Some(self.alignment()?) } else { None };
                pointer = Some(Pointer { space, align });
            }
            let param = self.named(&specified, Linkage::default(), false)?;
            list.push(Variable { pointer, ..param });
            if !self.take(',') {
                self.expect(')')?;
                return Ok(list);
            }
        }
    }

    /// Variables after what is [specified](Self::specified), to the `;`. There may be none.
    pub(super) fn variables(
        &mut self,
        specified: &Specified,
        linkage: Linkage,
        list: &mut Vec<Variable<'s>>,
    ) -> Result<(), Diagnostic> {
        if self.take(';') {
            return Ok(());
        }
        loop {
            let variable = self.named(specified, linkage, true)?;
            list.push(variable);
            // Further names share the type: `.u32 a, b;`.
            if !self.take(',') {
                return self.expect(';');
            }
        }
    }

    /// Reads the beginning of a declaration: `.align 8 .global .v2 .u32`.
    pub(super) fn specified(&mut self) -> Result<Specified, Diagnostic> {
        let (mut align, mut space, mut managed) = (None, None, false);
        loop {
            if self.take_word(".align") {
                align = Some(self.alignment()?);
            } else if let Some(named) = self.space() {
                if space.replace(named).is_some() {
                    return self.error("Multiple state spaces specified");
                }
            } else if self.take_word(".attribute") {
                loop {
                    match self.next() {
                        Kind::Mark(')') => break,
                        Kind::Word(".managed") => managed = true,
                        _ if self.peek(0) == Kind::End => return self.unexpected("')'"),
                        _ => {}
                    }
                }
            } else {
                break;
            }
        }
        let elements = match self.peek(0) {
            Kind::Word(".v2") => 2,
            Kind::Word(".v4") => 4,
            _ => 1,
        };
        self.at += usize::from(elements > 1);
        let ty = self.ty()?;
        // A declaration without a name declares nothing, wherever that would be.
        let nothing = (self.peek(0) == Kind::Mark(';')).then_some(Space::Global);
        let Some(space) = space.or(nothing) else {
            return self.error("No variable storage specified");
        };
        if !ty.is_declarable() || ty == Type::PRED && elements > 1 {
            return self.error("This type is not allowed here");
        }
        if ty.bytes * elements > 16 {
            return self.error("Vector type too large, exceeds 128 bit limit");
        }
        Ok(Specified { space, ty, elements, align, managed })
    }

    fn alignment(&mut self) -> Result<u64, Diagnostic> {
        let align = self.integer()?;
        if align.is_power_of_two() && align <= 1 << 20 {
            return Ok(align);
        }
        self.error(format!("Invalid alignment {align}"))
    }

    /// A variable from its name on.
    fn named(
        &mut self,
        &Specified { space, ty, elements, align, managed }: &Specified,
        linkage: Linkage,
        initialised: bool,
    ) -> Result<Variable<'s>, Diagnostic> {
        let (line, at) = (self.line(), self.at);
        let name = if !initialised && self.take_word("_") { "_" } else { self.declared()? };
        if ty == Type::PRED && space != Space::Reg {
            return self.error("This type is not allowed here");
        }
        let bytes = u64::from(ty.bytes * elements);
        let (mut size, mut extents) = (Some(bytes), Vec::new());
        while self.take('[') {
            let first = extents.is_empty();
            let count = if first && self.peek(0) == Kind::Mark(']') { 0 } else { self.integer()? };
            self.expect(']')?;
            if count == 0 && !first {
                return self.error("Array of incomplete type");
            }
            extents.push(count);
            // Without a first extent it is the initialiser that tells.
            let count = count.max(1);
            size = match size.and_then(|size| size.checked_mul(count)) {
                Some(size) if size <= 1 << 40 => Some(size),
                _ => return self.error(format!("Invalid size of variable '{name}'")),
            };
        }
        let array = !extents.is_empty();
        if space == Space::Param && (elements > 1 || ty == Type::F16X2) && !array {
            return self.error(format!("Variable '{name}' cannot be allocated in .param"));
        }
        if !initialised && extents.len() > 1 {
            return self.error("A parameter has one extent at most");
        }
        if array && space == Space::Reg {
            return self.error(format!("Variable '{name}' cannot be allocated into a register"));
        }
        let open = extents.first() == Some(&0);
        if elements > 1 {
            extents.push(elements.into());
        }
        let mut init = Vec::new();
        if initialised && self.take('=') {
            init = self.initialiser(&extents, elements > 1)?;
        }
        if open {
            let all = u64::from(ty.bytes) * init.len() as u64;
            size = if init.is_empty() { None } else { Some(all) };
        }
        Ok(Variable {
            name,
            line,
            at,
            space,
            align: align.unwrap_or(bytes),
            ty,
            size,
            array,
            init,
            managed,
            visible: linkage.visible,
            external: linkage.external,
            common: linkage.common,
            pointer: None,
        })
    }

    /// An initialiser of an array with these extents, the last of which is that of a vector if it is one; what braces
    /// leave out is zero.
    fn initialiser(&mut self, extents: &[u64], vector: bool) -> Result<Vec<Init<'s>>, Diagnostic> {
        let Some((&extent, inner)) = extents.split_first() else {
            return Ok(vec![self.init()?]);
        };
        let open = extent == 0 || vector && inner.is_empty();
        if !self.take('{') || open && self.peek(0) == Kind::Mark('}') {
            return self.error("Initial value type mismatch");
        }
        if self.take('}') {
            return Ok(Vec::new());
        }
        let len = inner.iter().fold(1u64, |all, &extent| all.saturating_mul(extent));
        if len > MOST_NESTED {
            return self.error("Invalid size of an initialiser");
        }
        let mut items = Vec::new();
        for number in 1.. {
            if extent != 0 && number > extent {
                return self.error("Greater number of elements in array initializer");
            }
            let end = items.len() + len as usize;
            items.extend(self.initialiser(inner, vector)?);
            items.resize(end, Init::Int(0));
            if !self.take(',') {
                self.expect('}')?;
                if vector && inner.is_empty() && number != extent {
                    return self.error("Incorrect number of elements in vector initializer");
                }
                break;
            }
        }
        Ok(items)
    }

    fn init(&mut self) -> Result<Init<'s>, Diagnostic> {
        // A byte of an address: `0xff00(name)`.
        if let (Kind::Int(mask), Kind::Mark('(')) = (self.peek(0), self.peek(1)) {
            self.at += 2;
            let generic = self.peek(0) == Kind::Word("generic");
            if generic {
                self.at += 1;
                self.expect('(')?;
            }
            let name = self.name()?;
            let addend = self.addend()?;
            if generic {
                self.expect(')')?;
            }
            let addend = addend.wrapping_add(self.addend()?);
            self.expect(')')?;
            let byte = mask.trailing_zeros() / 8;
            if mask.checked_shr(8 * byte) != Some(0xff) || mask.trailing_zeros() % 8 != 0 {
                return self.error("Invalid mask of an address");
            }
            return Ok(Init::AddressByte(name, addend, byte));
        }
        if let Some(value) = self.number()? {
            return Ok(value);
        }
        let name = self.name()?;
        if name == "generic" && self.take('(') {
            let inner = self.name()?;
            self.expect(')')?;
            return Ok(Init::Address(inner, Some(self.addend()?)));
        }
        let sum = self.peek(0) == Kind::Mark('+');
        let addend = self.addend()?;
        Ok(Init::Address(name, sum.then_some(addend)))
    }

    /// A number, if one is next.
    fn number(&mut self) -> Result<Option<Init<'s>>, Diagnostic> {
        if self.is_constant() {
            return Ok(Some(match self.constant()? {
                Constant::Signed(value) => Init::Int(value as u64),
                Constant::Unsigned(value) => Init::Int(value),
                Constant::Real(value) => Init::F64(value.to_bits()),
            }));
        }
        let value = match self.peek(0) {
            Kind::F32(bits) => Init::F32(bits),
            Kind::Bits64(bits) => Init::F64(bits),
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(value))
    }

    /// `+` and a constant, or nothing: 0.
    pub(super) fn addend(&mut self) -> Result<i64, Diagnostic> {
        if self.take('+') { Ok(self.whole()? as i64) } else { Ok(0) }
    }
}
