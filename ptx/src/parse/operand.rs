//! Operands of instructions.

use super::super::error::Diagnostic;
use super::super::lex::Kind;
use super::super::tree::Operand;
use super::Parser;

impl<'s> Parser<'_, 's> {
    /// The operands up to the `;`.
    pub(super) fn operands(&mut self) -> Result<Vec<Operand<'s>>, Diagnostic> {
        let mut list = Vec::new();
        if self.take(';') {
            return Ok(list);
        }
        loop {
            list.push(self.operand()?);
            if !self.take(',') {
                self.expect(';')?;
                return Ok(list);
            }
        }
    }

    fn operand(&mut self) -> Result<Operand<'s>, Diagnostic> {
        match self.peek(0) {
            Kind::Mark('{') => {
                self.at += 1;
                Ok(Operand::Vector(self.simple_list('}')?))
            }
            Kind::Mark('(') => {
                self.at += 1;
                Ok(Operand::List(self.simple_list(')')?))
            }
            Kind::Mark('[') => {
                self.at += 1;
                let address = self.address()?;
                self.expect(']')?;
                Ok(address)
            }
            _ => self.simple(),
        }
    }

    /// Operands without brackets, so that nothing nests.
    fn simple_list(&mut self, close: char) -> Result<Vec<Operand<'s>>, Diagnostic> {
        let mut list = Vec::new();
        if self.take(close) {
            return Ok(list);
        }
        loop {
            list.push(self.simple()?);
            if !self.take(',') {
                self.expect(close)?;
                return Ok(list);
            }
        }
    }

    fn simple(&mut self) -> Result<Operand<'s>, Diagnostic> {
        if self.take('!') {
            return Ok(Operand::Not(self.name()?));
        }
        let negative = self.take('-');
        let operand = match self.peek(0) {
            Kind::Int(value) if negative => Operand::Int(value.wrapping_neg()),
            Kind::Int(value) => Operand::Int(value),
            Kind::F32(bits) => Operand::F32(bits ^ u32::from(negative) << 31),
            Kind::F64(bits) => Operand::F64(bits ^ u64::from(negative) << 63),
            Kind::Word(_) if negative => return Ok(Operand::Minus(self.name()?)),
            _ if negative => return self.unexpected("a number"),
            _ => return self.named_operand(),
        };
        self.at += 1;
        Ok(operand)
    }

    fn named_operand(&mut self) -> Result<Operand<'s>, Diagnostic> {
        let name = self.name()?;
        if name == "WARP_SZ" {
            return Ok(Operand::Int(32));
        }
        match self.peek(0) {
            Kind::Mark('|') => {
                self.at += 1;
                Ok(Operand::Pair(name, self.name()?))
            }
            Kind::Mark('+') => Ok(Operand::Sum(name, self.addend()?)),
            _ => Ok(Operand::Name(name)),
        }
    }

    fn address(&mut self) -> Result<Operand<'s>, Diagnostic> {
        if let Kind::Int(value) = self.peek(0) {
            self.at += 1;
            return Ok(Operand::Address(None, value.cast_signed()));
        }
        let name = self.name()?;
        if !self.take(',') {
            return Ok(Operand::Address(Some(name), self.addend()?));
        }
        let place = if self.take('{') { self.simple_list('}')? } else { vec![self.simple()?] };
        Ok(Operand::Object(name, place))
    }
}
