//! Declarations of variables and parameters.

use super::super::error::Diagnostic;
use super::super::lex::Kind;
use super::super::tree::{Init, Pointer, Space, Variable};
use super::super::types::Type;
use super::constant::Constant;
use super::{Linkage, Parser};

/// The most elements that inner braces of an initialiser are for.
const MOST_NESTED: u64 = 1 << 20;

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
    pub(super) fn parameters(&mut self) -> Result<Vec<Variable<'s>>, Diagnostic> {
        let mut list = Vec::new();
        if !self.take('(') || self.take(')') {
            return Ok(list);
        }
        loop {
            match self.space() {
                Some(space @ (Space::Param | Space::Reg)) => {
                    list.push(self.variable(space, Linkage::default())?);
                }
                _ => return self.unexpected("'.param' or '.reg'"),
            }
            if !self.take(',') {
                self.expect(')')?;
                return Ok(list);
            }
        }
    }

    /// Variables after their state space, to the `;`.
    pub(super) fn variables(
        &mut self,
        space: Space,
        linkage: Linkage<'s>,
        list: &mut Vec<Variable<'s>>,
    ) -> Result<(), Diagnostic> {
        let first = self.variable(space, linkage)?;
        let (ty, align, managed) = (first.ty, first.align, first.managed);
        list.push(first);
        // Further names share the type: `.u32 a, b;`.
        while self.take(',') {
            let more = self.named(space, linkage, ty, u64::from(ty.bytes), align)?;
            list.push(Variable { managed, ..more });
        }
        self.expect(';')
    }

    /// A variable: `.align 8 .b8 name[16] = {…}`.
    fn variable(&mut self, space: Space, linkage: Linkage<'s>) -> Result<Variable<'s>, Diagnostic> {
        let mut align = None;
        let mut lanes = 1;
        let mut managed = false;
        let mut pointer: Option<Pointer> = None;
        loop {
            if self.take_word(".align") {
                align = Some(self.alignment()?);
            } else if self.take_word(".ptr") {
                pointer.get_or_insert_with(Pointer::default).space = self.space();
            } else if self.take_word(".v2") {
                lanes = 2;
            } else if self.take_word(".v4") {
                lanes = 4;
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
        let ty = self.ty()?;
        if (ty == Type::PRED && space != Space::Reg) || !ty.is_declarable() {
            return self.error("This type is not allowed here");
        }
        if lanes > 1 && (space == Space::Param || ty == Type::PRED) {
            return self.error("A vector of this type is not allowed here");
        }
        if u64::from(ty.bytes) * lanes > 16 {
            return self.error("Vector type too large, exceeds 128 bit limit");
        }
        if self.take_word(".ptr") {
            let space = self.space();
            let align = if self.take_word(".align") { Some(self.alignment()?) } else { None };
            pointer = Some(Pointer { space, align });
        }
        let bytes = u64::from(ty.bytes) * lanes;
        let variable = self.named(space, linkage, ty, bytes, align.unwrap_or(bytes))?;
        Ok(Variable { managed, pointer, ..variable })
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
        space: Space,
        linkage: Linkage<'s>,
        ty: Type,
        bytes: u64,
        align: u64,
    ) -> Result<Variable<'s>, Diagnostic> {
        let line = self.line();
        let name = self.name()?;
        let (mut size, mut extents) = (Some(bytes), Vec::new());
        let array = self.peek(0) == Kind::Mark('[');
        while self.take('[') {
            if self.take(']') {
                size = None;
                extents.push(0);
                continue;
            }
            let count = self.integer()?;
            self.expect(']')?;
            extents.push(count);
            size = match size.map(|size| size.checked_mul(count)) {
                Some(Some(size)) if size <= 1 << 40 => Some(size),
                _ => return self.error(format!("Invalid size of variable '{name}'")),
            };
        }
        if bytes > u64::from(ty.bytes) {
            extents.push(bytes / u64::from(ty.bytes));
        }
        let init = if self.take('=') { self.initialiser(&extents)? } else { Vec::new() };
        if size.is_none() && !init.is_empty() {
            size = Some(u64::from(ty.bytes) * init.len() as u64);
        }
        Ok(Variable {
            name,
            line,
            space,
            align,
            ty,
            size,
            array,
            init,
            managed: false,
            visible: linkage.visible,
            external: linkage.external,
            linkage: linkage.word.filter(|word| matches!(*word, ".weak" | ".common")),
            pointer: None,
        })
    }

    /// An initialiser of an array with these extents; what inner braces leave out is zero.
    fn initialiser(&mut self, extents: &[u64]) -> Result<Vec<Init<'s>>, Diagnostic> {
        if !self.take('{') {
            return Ok(vec![self.init()?]);
        }
        let mut items = Vec::new();
        if self.take('}') {
            return Ok(items);
        }
        loop {
            if self.peek(0) == Kind::Mark('{') {
                let Some((_, inner @ [_, ..])) = extents.split_first() else {
                    return self.error("Initialisers are nested deeper than the array");
                };
                let len = inner.iter().fold(1u64, |all, &extent| all.saturating_mul(extent));
                if len == 0 || len > MOST_NESTED {
                    return self.error("Invalid size of an initialiser");
                }
                let len = len as usize;
                items.resize(items.len().next_multiple_of(len), Init::Int(0));
                let end = items.len() + len;
                items.extend(self.initialiser(inner)?);
                if items.len() > end {
                    return self.error("Too many initialisers");
                }
                items.resize(end, Init::Int(0));
            } else {
                items.push(self.init()?);
            }
            if !self.take(',') {
                self.expect('}')?;
                return Ok(items);
            }
        }
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
            if mask.checked_shr(8 * byte) != Some(0xff) {
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
            let addend = self.addend()?;
            self.expect(')')?;
            return Ok(Init::Address(inner, addend.wrapping_add(self.addend()?)));
        }
        Ok(Init::Address(name, self.addend()?))
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
