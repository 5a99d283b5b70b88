//! Calls of functions of the module, which get the extents of the pointers that they are called with.

use cuscope_ptx_syntax::types::Type;

use super::{Done, Own, Rewrite};
use crate::body::{Arg, Ins, Item, Var};
use crate::module::has_extents;
use crate::origin::{Region, Value};
use crate::planted::{Mistake, planted};

impl Rewrite<'_> {
    /// Keeps what is stored to a variable that is an argument of a call.
    pub(super) fn note_argument(&mut self, ins: &Ins, var: Var, offset: i64, bytes: u32) {
        let whole = self.declared(var).is_some_and(has_extents) && offset == 0 && bytes == 8;
        let Some(value) = ins.args.get(1).filter(|_| whole) else { return };
        let text = self.scene.names.arg(&self.registers, value);
        let copy = match self.passed.get(&var) {
            Some(&copy) => copy,
            None => {
                let copy = self.fresh(Type::B64);
                self.passed.insert(var, copy);
                let zero = self.zero(copy, None);
                self.first_line(zero);
                copy
            }
        };
        let text = format!("mov.b64 {}, {text};", self.name(copy));
        match self.predicate(ins) {
            Some(own) => self.line(format!("@{own} {text}")),
            None => self.line(text),
        }
    }

    pub(super) fn call(&mut self, ins: &Ins) -> Done<()> {
        let place = ins.args.iter().position(|arg| matches!(arg, Arg::Function(_)));
        let Some(place) = place.filter(|&at| at < 2) else {
            return self.refuse(ins, "an indirect call");
        };
        let Arg::Function(callee) = ins.args[place] else {
            return self.refuse(ins, "an indirect call");
        };
        let function = &self.scene.source.functions[callee];
        if function.entry {
            return self.refuse(ins, "a call of a kernel");
        }
        let mut given = match ins.args.get(place + 1) {
            None => Vec::new(),
            Some(Arg::List(list)) => list.clone(),
            Some(_) => return self.refuse(ins, "a list of arguments is expected"),
        };
        if ins.args.len() > place + 2 || given.len() != function.params.len() {
            return self.refuse(ins, "other arguments than the function has parameters");
        }
        if self.scene.calls_may_exit && !planted(Mistake::ExitOfCallForgotten) {
            self.end(None, None);
        }
        let mut behind = Vec::new();
        for (param, arg) in function.params.iter().zip(&given) {
            if has_extents(param) {
                let (value, name) = self.argument(ins, arg)?;
                behind.extend(self.extents_of(value, name.as_deref()));
            }
        }
        for (own, ty) in [(Own::Record, Type::U64), (Own::Tag, Type::U32)] {
            let reg = self.fresh(ty);
            let read = self.read(own, &self.name(reg));
            self.line(read);
            behind.push(reg);
        }
        given.extend(behind.into_iter().map(Arg::Reg));
        let mut ins = ins.clone();
        ins.args.truncate(place + 1);
        ins.args.push(Arg::List(given));
        let text = self.plain(&ins);
        self.line(text);
        if !self.calls.contains(&callee) {
            self.calls.push(callee);
        }
        Ok(())
    }

    /// Where an argument comes from, and the register that holds it.
    fn argument(&self, ins: &Ins, arg: &Arg) -> Done<(Value, Option<String>)> {
        match arg {
            Arg::Reg(reg) => Ok((self.origins.values[*reg], Some(self.name(*reg)))),
            Arg::AddressOf(var @ Var::Own(_), 0) => {
                let mut value: Option<Value> = None;
                for item in self.items.iter() {
                    let Item::Ins(one) = item else { continue };
                    let stores = one.head() == "st"
                        && matches!(one.args.first(), Some(Arg::Address(crate::body::Base::Var(to), _)) if to == var);
                    if stores {
                        let stored = self.origins.operand(one.args.get(1));
                        value = Some(value.map_or(stored, |before| before.either(stored)));
                    }
                }
                let name = self.passed.get(var).map(|&copy| self.name(copy));
                Ok((value.unwrap_or(Value::NUMBER), name))
            }
            Arg::Int(_) => Ok((Value::NUMBER, None)),
            _ => self.refuse(ins, "an argument that is not known"),
        }
    }

    /// The begin of the region that a value is in, and how much of it may be read and written.
    fn extents_of(&mut self, value: Value, name: Option<&str>) -> Vec<usize> {
        let regions = self.origins.regions();
        let fits = |&one: &usize| !matches!(regions.list[one], Region::Shared | Region::Workspace);
        let mut all: Vec<usize> = regions.numbers(value.regions).into_iter().filter(fits).collect();
        if value.unknown {
            all = (0..regions.list.len()).filter(fits).collect();
        }
        if planted(Mistake::CallWithoutExtents) {
            let own: Vec<usize> = (0..3).map(|_| self.fresh(Type::U64)).collect();
            for (reg, value) in own.iter().zip(["0", "-1", "-1"]) {
                let text = format!("mov.u64 {}, {value};", self.name(*reg));
                self.line(text);
            }
            return own;
        }
        let own: Vec<usize> = (0..3).map(|_| self.fresh(Type::U64)).collect();
        let names: Vec<String> = own.iter().map(|&reg| self.name(reg)).collect();
        let alone = all.len() == 1;
        if !alone {
            for name in &names {
                self.line(format!("mov.u64 {name}, 0;"));
            }
        }
        for region in all {
            let base = self.base(region, true);
            let (read, write) =
                (self.extent(region, false, false), self.extent(region, true, false));
            let parts = [base.clone(), read.clone(), write.clone()];
            if alone {
                for (name, part) in names.iter().zip(&parts) {
                    self.line(format!("mov.u64 {name}, {part};"));
                }
                break;
            }
            let Some(value) = name else { break };
            // Of several regions it is the one that the pointer is in.
            let (from, most, there) =
                (self.new_name(Type::U64), self.new_name(Type::U64), self.new_name(Type::PRED));
            self.line(format!("sub.s64 {from}, {value}, {base};"));
            self.line(format!("max.u64 {most}, {read}, {write};"));
            self.line(format!("setp.lt.u64 {there}, {from}, {most};"));
            for (name, part) in names.iter().zip(&parts) {
                self.line(format!("selp.b64 {name}, {part}, {name}, {there};"));
            }
        }
        own
    }
}
