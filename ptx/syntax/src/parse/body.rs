//! Bodies of functions.

use super::super::error::Diagnostic;
use super::super::lex::Kind;
use super::super::tree::{Instruction, Space, Statement, StatementKind};
use super::variable::Specified;
use super::{Linkage, Parser};
use std::borrow::Cow;

/// How deep blocks may nest.
const DEEPEST: u32 = 100;

impl<'s> Parser<'_, 's> {
    /// `{ … }`, as a flat list in which inner blocks open and close.
    pub(super) fn body(&mut self) -> Result<Vec<Statement<'s>>, Diagnostic> {
        self.expect('{')?;
        let mut statements = Vec::new();
        let mut depth = 0;
        loop {
            let line = self.line();
            let mut add = |kind| statements.push(Statement { line, kind });
            match self.peek(0) {
                Kind::Mark('}') => {
                    self.at += 1;
                    if depth == 0 {
                        return Ok(statements);
                    }
                    depth -= 1;
                    add(StatementKind::Close);
                }
                Kind::Mark('{') => {
                    self.at += 1;
                    depth += 1;
                    if depth > DEEPEST {
                        return self.error("Blocks are nested too deep");
                    }
                    add(StatementKind::Open);
                }
                Kind::Mark('@') => add(self.instruction()?),
                Kind::Word(word) if word.starts_with('.') => {
                    self.directive(word, &mut statements)?
                }
                Kind::Word(_) if self.peek(1) == Kind::Mark(':') => add(self.label()?),
                Kind::Word(_) => add(self.instruction()?),
                _ => return self.unexpected("an instruction"),
            }
        }
    }

    fn directive(
        &mut self,
        word: &'s str,
        statements: &mut Vec<Statement<'s>>,
    ) -> Result<(), Diagnostic> {
        let line = self.line();
        match word {
            ".pragma" => {
                let kind = StatementKind::Pragma(self.pragma()?);
                statements.push(Statement { line, kind });
                return Ok(());
            }
            ".loc" => {
                let kind = self.location()?;
                statements.push(Statement { line, kind });
                return Ok(());
            }
            ".align" | ".global" | ".const" | ".shared" | ".local" | ".param" | ".reg"
            | ".attribute" => {}
            _ if self.is_type() => {}
            _ => return self.error(format!("Directive '{word}' is not allowed here")),
        }
        let specified = self.specified()?;
        if specified.space == Space::Reg {
            let kind = self.registers(&specified)?;
            statements.push(Statement { line, kind });
            return Ok(());
        }
        let mut variables = Vec::new();
        self.variables(&specified, Linkage::default(), &mut variables)?;
        statements.extend(
            variables
                .into_iter()
                .map(|variable| Statement { line, kind: StatementKind::Variable(variable) }),
        );
        Ok(())
    }

    /// `.reg .b32 %r<5>, %x;` after its type.
    fn registers(
        &mut self,
        &Specified { ty, elements, .. }: &Specified,
    ) -> Result<StatementKind<'s>, Diagnostic> {
        let mut names = Vec::new();
        if self.take(';') {
            return Ok(StatementKind::Registers(ty, elements, names));
        }
        loop {
            let name = self.declared()?;
            let count = if self.take('<') {
                let count = self.integer()?;
                self.expect('>')?;
                Some(count)
            } else {
                None
            };
            names.push((name, count));
            if !self.take(',') {
                self.expect(';')?;
                return Ok(StatementKind::Registers(ty, elements, names));
            }
        }
    }

    /// `name:`, and what a label may stand before.
    fn label(&mut self) -> Result<StatementKind<'s>, Diagnostic> {
        let name = self.declared()?;
        self.expect(':')?;
        if self.take_word(".callprototype") {
            let returns = self.parameters(false)?;
            if self.name()? != "_" {
                return self.error("Parsing error: '_' expected in a prototype");
            }
            let params = self.parameters(false)?;
            self.take_word(".noreturn");
            self.expect(';')?;
            return Ok(StatementKind::Prototype(name, returns, params));
        }
        let functions = self.take_word(".calltargets");
        if !functions && !self.take_word(".branchtargets") {
            return Ok(StatementKind::Label(name));
        }
        let mut labels = vec![self.name()?];
        while self.take(',') {
            labels.push(self.name()?);
        }
        self.expect(';')?;
        Ok(match functions {
            true => StatementKind::CallTargets(name, labels),
            false => StatementKind::Targets(name, labels),
        })
    }

    fn instruction(&mut self) -> Result<StatementKind<'s>, Diagnostic> {
        let guard = if self.take('@') {
            let negated = self.take('!');
            Some((self.name()?, negated))
        } else {
            None
        };
        let mut opcode = Cow::Borrowed(self.name()?);
        // A gap may be before each modifier.
        while let Kind::Word(word) = self.peek(0) {
            if !word.starts_with('.') {
                break;
            }
            self.at += 1;
            opcode.to_mut().push_str(word);
        }
        let operands = self.operands(opcode.split('.').next() == Some("call"))?;
        Ok(StatementKind::Instruction(Instruction { guard, opcode, operands }))
    }
}
