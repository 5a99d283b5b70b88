//! Operands of instructions.

use super::super::error::Diagnostic;
use super::super::lex::Kind;
use super::super::tree::Operand;
use super::Parser;
use super::constant::Constant;

impl<'s> Parser<'_, 's> {
    /// The operands up to the `;`. A `call` has lists.
    pub(super) fn operands(&mut self, lists: bool) -> Result<Vec<Operand<'s>>, Diagnostic> {
        let mut all = Vec::new();
        if self.take(';') {
            return Ok(all);
        }
        loop {
            all.push(self.operand(lists)?);
            if !self.take(',') {
                self.expect(';')?;
                return Ok(all);
            }
        }
    }

    fn operand(&mut self, lists: bool) -> Result<Operand<'s>, Diagnostic> {
        match self.peek(0) {
            Kind::Mark('{') => {
                self.at += 1;
                Ok(Operand::Vector(self.elements('}')?))
            }
            Kind::Mark('(') if lists => {
                self.at += 1;
                Ok(Operand::List(self.elements(')')?))
            }
            Kind::Mark('[') => {
                self.at += 1;
                let address = self.address()?;
                self.expect(']')?;
                Ok(address)
            }
            Kind::Word(name) if self.peek(1) == Kind::Mark('[') => {
                self.name()?;
                self.at += 1;
                let index = self.index(name)?;
                self.expect(']')?;
                Ok(index)
            }
            _ => self.simple(),
        }
    }

    /// Names and constants, so that nothing nests.
    fn elements(&mut self, close: char) -> Result<Vec<Operand<'s>>, Diagnostic> {
        let mut list = Vec::new();
        if self.take(close) {
            return Ok(list);
        }
        loop {
            list.push(self.element()?);
            if !self.take(',') {
                self.expect(close)?;
                return Ok(list);
            }
        }
    }

    /// A name or a constant.
    fn element(&mut self) -> Result<Operand<'s>, Diagnostic> {
        if self.is_constant() {
            return Ok(match self.constant()? {
                Constant::Signed(value) => Operand::Int(value as u64),
                Constant::Unsigned(value) => Operand::Int(value),
                Constant::Real(value) => Operand::F64(value.to_bits()),
            });
        }
        let bits = match self.peek(0) {
            Kind::F32(bits) => Operand::F32(bits),
            Kind::Bits64(bits) => Operand::F64(bits),
            _ => return Ok(Operand::Name(self.name()?)),
        };
        self.at += 1;
        Ok(bits)
    }

    fn simple(&mut self) -> Result<Operand<'s>, Diagnostic> {
        match (self.peek(0), self.peek(1)) {
            (Kind::Mark(sign @ ('!' | '-')), Kind::Word(name)) if name != "WARP_SZ" => {
                self.at += 1;
                let name = self.name()?;
                Ok(if sign == '!' { Operand::Not(name) } else { Operand::Minus(name) })
            }
            (Kind::Word(name), Kind::Mark('|')) if name != "WARP_SZ" => {
                let first = self.name()?;
                self.at += 1;
                let second = self.name()?;
                if (first, second) == ("_", "_") {
                    return self.error("A result is expected");
                }
                Ok(Operand::Pair(first, second))
            }
            (Kind::Word(name), Kind::Mark('+')) if name != "WARP_SZ" => {
                Ok(Operand::Sum(self.name()?, self.addend()?))
            }
            _ => self.element(),
        }
    }

    /// `name[…` after the bracket: an element of a variable.
    fn index(&mut self, name: &'s str) -> Result<Operand<'s>, Diagnostic> {
        if self.is_constant() {
            return Ok(Operand::Index(name, None, self.whole()? as i64));
        }
        let register = self.name()?;
        Ok(Operand::Index(name, Some(register), self.addend()?))
    }

    fn address(&mut self) -> Result<Operand<'s>, Diagnostic> {
        if self.is_constant() {
            return Ok(Operand::Address(None, self.whole()? as i64));
        }
        let name = self.name()?;
        if !self.take(',') {
            return Ok(Operand::Address(Some(name), self.addend()?));
        }
        let place = if self.take('{') { self.elements('}')? } else { vec![self.element()?] };
        Ok(Operand::Object(name, place))
    }
}
