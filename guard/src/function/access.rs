//! The accesses of a function: what each reaches, and the check that it gets.

use std::rc::Rc;

use cuscope_ptx_syntax::tree::Space;
use cuscope_ptx_syntax::types::Type;

use super::limit::{Extent, Key};
use super::together::{Group, Steps};
use super::{Done, Rewrite};
use crate::AccessKind;
use crate::body::{Arg, Base, Ins, Item, Var};
use crate::origin::{Region, Set, Value};
use crate::planted::{Mistake, planted};

/// What the address of an access is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// A state space that the instruction names.
    In(Space),
    /// Any, by the address.
    Generic,
}

/// An access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) at: At,
    pub(super) base: Base,
    pub(super) offset: i64,
    pub(super) kind: AccessKind,
    /// All of its bytes.
    pub(super) bytes: u32,
    /// The bytes that have to be inside for it to be made: of a vector that is read, the first element.
    pub(super) need: u32,
    /// What its address has to be a multiple of.
    pub(super) align: u32,
    /// The register that says how many of the bytes are read.
    pub(super) given: Option<usize>,
}

/// How an access is checked.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    access: Access,
    pub(super) check: Check,
    /// The parameters that it is compared with.
    parameters: Vec<usize>,
    /// The lines of further accesses that this check is for.
    further: Vec<u32>,
}

impl Plan {
    /// Whether it may be outside.
    pub(super) fn may_fail(&self) -> bool {
        !matches!(self.check, Check::Inside)
    }

    /// The comparisons that its check stands for, if it stands for nothing else.
    pub(super) fn compared(&self) -> Option<&[Compared]> {
        match &self.check {
            Check::Compare(_, comparison) => Some(std::slice::from_ref(&comparison.what)),
            Check::Predicate(.., all) => all.as_deref(),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Check {
    /// It is inside, whatever happens.
    Inside,
    /// It is outside, whatever happens.
    Outside,
    /// These lines, and then a comparison.
    Compare(Vec<String>, Comparison),
    /// These lines, and then a predicate; the comparisons that it stands for, if it stands for nothing else.
    Predicate(Vec<String>, String, Option<Vec<Compared>>),
    /// That of the access of this item, which comes before it and is for both.
    With(usize),
}

/// `setp.lt.u32 …, a, b` and the like.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    by: &'static str,
    a: String,
    b: String,
    what: Compared,
}

/// What a comparison says: that a register as it is before an item, plus a number, minus the begin of a region, is below a
/// limit. All are without sign, and have 64 bits if it is `wide`, and otherwise 32.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    /// The register, the item, and the register that still holds the value where it is compared.
    pub(super) reg: Option<(usize, usize, usize)>,
    pub(super) plus: i64,
    pub(super) begin: Option<String>,
    pub(super) limit: String,
    pub(super) wide: bool,
    /// Another register that is added so many times.
    pub(super) times: Option<((usize, usize, usize), i64)>,
}

impl Comparison {
    /// The line that sets `to` if it holds, and an earlier predicate does.
    fn line(&self, to: &str, before: Option<&str>) -> String {
        compared_line(self.by, &self.a, &self.b, to, before)
    }
}

/// The line that sets `to` if a comparison holds, and an earlier predicate does.
pub(super) fn compared_line(by: &str, a: &str, b: &str, to: &str, before: Option<&str>) -> String {
    match before {
        None => format!("setp.{by} {to}, {a}, {b};"),
        Some(before) => {
            let (by, ty) = by.split_once('.').unwrap_or((by, "u64"));
            format!("setp.{by}.and.{ty} {to}, {a}, {b}, {before};")
        }
    }
}

/// An address that is the begin of a region, an index times its scale, and an offset.
#[derive(Clone, Copy, Debug, Default)]
struct Linear {
    /// The number of the region, and whether the address is a generic one.
    region: Option<(usize, bool)>,
    index: Option<Index>,
    offset: i64,
}

#[derive(Clone, Copy, Debug)]
struct Index {
    reg: usize,
    /// The item that reads it.
    read: usize,
    signed: bool,
    /// It has 64 bits, and everything is computed modulo 2^64.
    wide: bool,
    /// The index is shifted left by this.
    shift: u32,
}

const ORDERS: &[&str] = &["weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"];
const SCOPES: &[&str] = &["cta", "cluster", "gpu", "sys"];
const CACHES: &[&str] = &["ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"];
const HINTS: &[&str] = &[
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
    "L2::64B",
    "L2::128B",
    "L2::256B",
    "L2::evict_normal",
    "L2::evict_first",
    "L2::evict_last",
    "L2::cache_hint",
];
const UPDATES: &[&str] = &["and", "or", "xor", "exch", "cas", "add", "inc", "dec", "min", "max"];
/// Offsets beyond this are not followed.
const FAR: i64 = 1 << 40;
/// Indices are shifted by no more.
const MOST_SHIFT: u32 = 30;

impl<'a> Rewrite<'a> {
    /// The check of each access.
    pub(super) fn plans(&mut self) -> Done<Vec<Option<Plan>>> {
        let items = Rc::clone(&self.items);
        let mut described = Vec::with_capacity(items.len());
        for item in items.iter() {
            described.push(match item {
                Item::Ins(ins) => self.describe(ins)?,
                _ => None,
            });
        }
        let mut plans: Vec<Option<Plan>> = items.iter().map(|_| None).collect();
        for group in self.groups(&described) {
            self.plan_together(group, &mut plans);
        }
        // An item may be checked with the copy of a register that an item further down makes, so all is planned first.
        for (at, item) in items.iter().enumerate() {
            if let (Item::Ins(ins), Some(access), None) = (item, described[at], &plans[at]) {
                plans[at] = Some(self.plan(at, ins, access)?);
            }
        }
        Ok(plans)
    }

    /// The one check of all reads of an argument among accesses that follow each other, and of all writes.
    pub(super) fn plan_run(
        &mut self,
        run: impl Iterator<Item = usize>,
        plans: &mut [Option<Plan>],
    ) {
        let mut firsts: Vec<(usize, Vec<usize>)> = Vec::new();
        for at in run {
            let Some(plan) = &plans[at] else { continue };
            if !matches!(plan.check, Check::Compare(..) | Check::Predicate(..)) {
                continue;
            }
            let same = |first: usize| {
                let first: Option<&Plan> = plans[first].as_ref();
                first.is_some_and(|first| {
                    first.parameters == plan.parameters && first.access.kind == plan.access.kind
                })
            };
            match firsts.iter_mut().find(|one| same(one.0)) {
                Some((_, rest)) => rest.push(at),
                None if plan.parameters.len() == 1 => firsts.push((at, Vec::new())),
                None => {}
            }
        }
        for (first, rest) in firsts.into_iter().filter(|(_, rest)| !rest.is_empty()) {
            let mut further = Vec::new();
            let mut lines = Vec::new();
            let mut inside = None;
            let mut all = Some(Vec::new());
            for at in std::iter::once(first).chain(rest.iter().copied()) {
                let Some(plan) = plans[at].as_mut() else { continue };
                all = all.zip(plan.compared()).map(|(all, own)| [&all[..], own].concat());
                let check = match at == first {
                    true => std::mem::replace(&mut plan.check, Check::Inside),
                    false => std::mem::replace(&mut plan.check, Check::With(first)),
                };
                if at != first {
                    further.extend(self.line_of(at));
                }
                further.append(&mut plan.further);
                if planted(Mistake::RunOfFirst) && inside.is_some() {
                    continue;
                }
                inside = Some(self.and(check, inside, &mut lines));
            }
            // What had its check with one of these has it with the first.
            for at in (first..plans.len()).take_while(|&at| self.flow.together(first, at)) {
                match plans[at].as_mut() {
                    Some(Plan { check: Check::With(one), .. }) if rest.contains(one) => {
                        *one = first
                    }
                    _ => {}
                }
            }
            if let (Some(plan), Some(inside)) = (plans[first].as_mut(), inside) {
                plan.check = Check::Predicate(lines, inside, all);
                plan.further = further;
            }
        }
    }

    /// A predicate that says that a check holds, and an earlier one. The lines that set it are added.
    fn and(&mut self, check: Check, before: Option<String>, lines: &mut Vec<String>) -> String {
        match (check, before) {
            (Check::Compare(own, comparison), before) => {
                let both = self.new_name(Type::PRED);
                lines.extend(own);
                lines.push(comparison.line(&both, before.as_deref()));
                both
            }
            (Check::Predicate(own, inside, _), Some(before)) => {
                let both = self.new_name(Type::PRED);
                lines.extend(own);
                lines.push(format!("and.pred {both}, {inside}, {before};"));
                both
            }
            (Check::Predicate(own, inside, _), None) => {
                lines.extend(own);
                inside
            }
            (Check::Inside | Check::Outside | Check::With(_), before) => before.unwrap_or_default(),
        }
    }

    /// The line of an item.
    fn line_of(&self, at: usize) -> Option<u32> {
        match &self.items[at] {
            Item::Ins(ins) => Some(ins.line),
            _ => None,
        }
    }

    /// The one check of several accesses, if they have one.
    fn plan_together(&mut self, mut group: Group, plans: &mut [Option<Plan>]) {
        let Some(&(_, Access { at, base: Base::Reg(reg), kind, .. })) = group.members.first()
        else {
            return;
        };
        let ty = self.registers[reg];
        if ty.bytes != 8 || !ty.is_integer() {
            return;
        }
        let value = self.origins.values[reg];
        let &[region] = &self.candidates(at, value)[..] else { return };
        if self.origins.regions().list[region] == Region::Shared {
            return;
        }
        let (mut bases, count) = (0, group.members.len());
        group.members.retain(|(_, access)| {
            let value = match access.base {
                Base::Reg(own) => self.origins.values[own],
                _ => value,
            };
            let looked = self.always_aligned(value, access);
            bases |= looked.unwrap_or(0);
            looked.is_some() || planted(Mistake::TogetherMisaligned)
        });
        let (Some(whole), [(first, _), rest @ ..]) = (group.whole(), &group.members[..]) else {
            return;
        };
        // Steps are from the first to the last.
        if rest.is_empty() || group.steps.is_some() && group.members.len() < count {
            return;
        }
        let first = *first;
        let writes = kind == AccessKind::Write && !planted(Mistake::WriteAsRead);
        let check = match self.by_index(first, &whole, reg, region, writes, bases) {
            Some(check) => check,
            None => self.by_address(first, &whole, reg, &[region], writes, Some(bases)),
        };
        let check = match &group.steps {
            Some(steps) => self.with_last(check, steps, first, &whole, (region, writes, bases)),
            None => Some(check),
        };
        let Some(check) = check else { return };
        if !matches!(check, Check::Compare(..) | Check::Predicate(..)) {
            return;
        }
        let parameters = self.parameters(&[region]);
        self.note_use(&parameters, kind);
        let further = rest.iter().filter_map(|one| self.line_of(one.0)).collect();
        for &(at, access) in rest {
            let (check, parameters) = (Check::With(first), parameters.clone());
            plans[at] = Some(Plan { access, check, parameters, further: Vec::new() });
        }
        let access = group.members[0].1;
        plans[first] = Some(Plan { access, check, parameters, further });
    }

    /// The check of the first of several addresses, with that of the last: those between are inside if both are.
    fn with_last(
        &mut self,
        check: Check,
        steps: &Steps,
        first: usize,
        whole: &Access,
        (region, writes, bases): (usize, bool, Set),
    ) -> Option<Check> {
        let (Base::Reg(reg), Check::Compare(mut lines, one)) = (whole.base, check) else {
            return None;
        };
        let &Steps { index, read, signed, by, most, last, .. } = steps;
        let own = self.linear(first, reg, 0).and_then(|linear| linear.index);
        let held = self.copied(Index { reg: index, read, signed, wide: false, shift: 0 });
        let step = (index, read, held);
        let mut all = vec![one.what.clone()];
        let mut near = None;
        let alike = own.is_some_and(|own| own.signed && !own.wide && 1_i64 << own.shift == by);
        let end = if alike && signed && !one.what.wide && one.what.plus <= 0 {
            // The index of the first is below 2^31. With a number added that is nearer to 0 than 2^31, it is that of the
            // last, or no less than 2^31.
            let far = i64::from(i32::MAX) / most;
            let (limit, sum) = ((2 * far + 1).to_string(), self.new_name(Type::U32));
            if !planted(Mistake::StepFar) {
                let (good, x) = (self.new_name(Type::PRED), self.name(held));
                let moved = self.plus(x, far, Type::U32, &mut lines);
                lines.push(format!("setp.lt.u32 {good}, {moved}, {limit};"));
                near = Some(good);
            }
            let (a, b) = (&one.a, one.b.clone());
            lines.push(format!("mad.lo.s32 {sum}, {}, {most}, {a};", self.name(held)));
            let (plus, begin, times) = (far, None, None);
            all.push(Compared { reg: Some(step), plus, begin, limit, wide: false, times });
            let what = Compared { times: Some((step, most)), ..one.what.clone() };
            Comparison { by: one.by, a: sum, b, what }
        } else {
            let (end, sign) = (self.fresh(Type::B64), if signed { 's' } else { 'u' });
            let (to, x, from) = (self.name(end), self.name(held), self.name(reg));
            lines.push(format!("mad.wide.{sign}32 {to}, {x}, {}, {from};", by * most));
            let check = self.by_address(first, whole, end, &[region], writes, Some(bases));
            let Check::Compare(own, mut end) = check else { return None };
            lines.extend(own);
            end.what.reg = Some((last.0, last.1, last.0));
            end
        };
        let (inside, both) = (self.new_name(Type::PRED), self.new_name(Type::PRED));
        lines.push(one.line(&inside, near.as_deref()));
        if planted(Mistake::StepsOfFirst) {
            return Some(Check::Predicate(lines, inside, Some(all)));
        }
        lines.push(end.line(&both, Some(&inside)));
        all.push(end.what);
        Some(Check::Predicate(lines, both, Some(all)))
    }

    /// The check of an access.
    fn plan(&mut self, at: usize, ins: &Ins, access: Access) -> Done<Plan> {
        let unchecked = match access.at {
            At::In(Space::Local) => planted(Mistake::LocalUnchecked),
            At::In(Space::Const) => planted(Mistake::ConstUnchecked),
            _ => match ins.head() {
                "ld" | "ldu" => planted(Mistake::LoadUnchecked),
                "st" => planted(Mistake::StoreUnchecked),
                "cp" => planted(Mistake::CopyUnchecked),
                _ => planted(Mistake::AtomicUnchecked),
            },
        };
        if unchecked {
            let (check, parameters) = (Check::Inside, Vec::new());
            return Ok(Plan { access, check, parameters, further: Vec::new() });
        }
        let (check, parameters) = self.check(at, ins, &access)?;
        self.note_use(&parameters, access.kind);
        Ok(Plan { access, check, parameters, further: Vec::new() })
    }

    /// Notes that a parameter is read or written.
    fn note_use(&mut self, parameters: &[usize], kind: AccessKind) {
        // Where an address may lead to several, the parameter may be a number.
        if let &[param] = parameters {
            let used = &mut self.used[param];
            used.reads |= kind != AccessKind::Write;
            used.writes |= kind != AccessKind::Read;
        }
    }

    /// The parameters among regions.
    fn parameters(&self, regions: &[usize]) -> Vec<usize> {
        let list = &self.origins.regions().list;
        let param = |&one: &usize| match list[one] {
            Region::Param(at) => Some(at),
            _ => None,
        };
        regions.iter().filter_map(param).collect()
    }

    /// What an instruction accesses; none if it is nothing that is checked.
    fn describe(&self, ins: &Ins) -> Done<Option<Access>> {
        let parts: Vec<&str> = ins.modifiers().collect();
        let mut at = At::Generic;
        let mut count = 1;
        let mut ty = None;
        let mut update = false;
        let head = ins.head();
        match head {
            "ld" | "ldu" | "st" | "atom" | "red" => {}
            "cp" => return self.copy_source(ins),
            _ => return Ok(None),
        }
        if parts.first() == Some(&"async") {
            // `st.async` and `red.async`, which reach the shared memory of the cluster.
            if !parts.contains(&"shared::cluster") {
                return self.refuse(ins, "only in the shared memory of the cluster");
            }
            self.in_shared(ins)?;
            return Ok(None);
        }
        for &part in &parts {
            let space = match part {
                "global" => Some(Space::Global),
                "const" => Some(Space::Const),
                "local" => Some(Space::Local),
                "shared" | "shared::cta" | "shared::cluster" => Some(Space::Shared),
                "param" | "param::entry" | "param::func" => Some(Space::Param),
                _ => None,
            };
            if let Some(space) = space {
                if at != At::Generic {
                    return self.refuse(ins, "two state spaces");
                }
                at = At::In(space);
            } else if matches!(part, "v2" | "v4" | "v8") {
                count = part[1..].parse().unwrap_or(8);
            } else if let (Some(named), None) = (Type::named(part), ty) {
                ty = Some(named);
            } else if UPDATES.contains(&part) && matches!(head, "atom" | "red") {
                update = true;
            } else if !(ORDERS.contains(&part)
                || SCOPES.contains(&part)
                || CACHES.contains(&part)
                || HINTS.contains(&part)
                || part == "noftz" && update)
            {
                return self.refuse(ins, format!("'.{part}' is not in the list"));
            }
        }
        let Some(ty) = ty else { return self.refuse(ins, "it has no type") };
        let kind = match head {
            "st" => AccessKind::Write,
            "atom" | "red" => AccessKind::Update,
            _ => AccessKind::Read,
        };
        if at == At::In(Space::Shared) {
            self.in_shared(ins)?;
            return Ok(None);
        }
        let mut addresses = ins.args.iter().filter_map(|arg| match arg {
            Arg::Address(base, offset) => Some((*base, *offset)),
            _ => None,
        });
        let (Some((base, offset)), None) = (addresses.next(), addresses.next()) else {
            return self.refuse(ins, "an address is expected");
        };
        if ins.args.iter().any(|arg| matches!(arg, Arg::Object(..))) {
            return self.refuse(ins, "an address is expected");
        }
        // A variable's name tells its space where the opcode does not.
        if let (At::Generic, Base::Var(var)) = (at, base) {
            match self.declared(var).map(|one| one.space) {
                Some(Space::Shared) => return Ok(None),
                Some(space) => at = At::In(space),
                None => return self.refuse(ins, "a variable that is not known"),
            }
        }
        let each = u32::from(ty.bytes);
        let bytes = each * count;
        let need = match kind {
            AccessKind::Read if planted(Mistake::WidenedScalar) => 1,
            AccessKind::Read => each,
            _ if planted(Mistake::WidenedStore) => each,
            _ => bytes,
        };
        Ok(Some(Access { at, base, offset, kind, bytes, need, align: bytes, given: None }))
    }

    /// The source of `cp.async`; none for what waits for copies.
    fn copy_source(&self, ins: &Ins) -> Done<Option<Access>> {
        let parts: Vec<&str> = ins.modifiers().collect();
        match &parts[..] {
            ["async", "commit_group" | "wait_group" | "wait_all"] => {
                if ins.args.iter().any(|arg| matches!(arg, Arg::Address(..) | Arg::Object(..))) {
                    return self.refuse(ins, "an address is not expected here");
                }
                Ok(None)
            }
            ["async", "mbarrier", "arrive", rest @ ..]
                if rest.contains(&"shared") || rest.contains(&"shared::cta") =>
            {
                self.in_shared(ins)?;
                Ok(None)
            }
            ["async", "ca" | "cg", "shared" | "shared::cta", "global", rest @ ..]
                if rest.iter().all(|one| HINTS.contains(one)) =>
            {
                let (
                    Some(&Arg::Address(..)),
                    Some(&Arg::Address(base, offset)),
                    Some(&Arg::Int(bytes @ (4 | 8 | 16))),
                ) = (ins.args.first(), ins.args.get(1), ins.args.get(2))
                else {
                    return self.refuse(ins, "a copy of 4, 8 or 16 bytes is expected");
                };
                if let Some(Arg::Address(Base::Var(var), _)) = ins.args.first() {
                    if self.declared(*var).is_none_or(|one| one.space != Space::Shared) {
                        return self.refuse(ins, "a variable of another state space");
                    }
                }
                let bytes = bytes as u32;
                let given = match ins.args.get(3) {
                    Some(Arg::Reg(reg)) => Some(*reg),
                    _ => None,
                };
                Ok(Some(Access {
                    at: At::In(Space::Global),
                    base,
                    offset,
                    kind: AccessKind::Read,
                    bytes,
                    need: if given.is_some() { 1 } else { bytes },
                    align: bytes,
                    given,
                }))
            }
            _ => self.refuse(ins, "it is not guarded yet"),
        }
    }

    fn check(&mut self, at: usize, ins: &Ins, access: &Access) -> Done<(Check, Vec<usize>)> {
        let reg = match access.base {
            Base::Var(var) => return self.by_name(ins, access, var),
            Base::Nothing => return self.refuse(ins, "an address that is a constant"),
            Base::Reg(reg) => reg,
        };
        let ty = self.registers[reg];
        if ty.bytes != 8 || !ty.is_integer() {
            return self.refuse(ins, "an address of 64 bits is expected");
        }
        if access.at == At::In(Space::Param) && !self.function.entry {
            return self.refuse(ins, "a parameter of a function by its address");
        }
        let value = self.origins.values[reg];
        let candidates = self.candidates(access.at, value);
        if candidates.is_empty() {
            return self.refuse(ins, "there is nothing that its address may lead to");
        }
        let writes = access.kind != AccessKind::Read && !planted(Mistake::WriteAsRead);
        let parameters = self.parameters(&candidates);
        let aligned = self.always_aligned(value, access);
        if let (&[one], Some(bases), None) = (&candidates[..], aligned, access.given) {
            if let Some(check) = self.by_index(at, access, reg, one, writes, bases) {
                return Ok((check, parameters));
            }
        }
        let check = self.by_address(at, access, reg, &candidates, writes, aligned);
        Ok((check, parameters))
    }

    /// An access to a variable by its name.
    fn by_name(&self, ins: &Ins, access: &Access, var: Var) -> Done<(Check, Vec<usize>)> {
        let Some(variable) = self.declared(var) else {
            return self.refuse(ins, "a variable that is not known");
        };
        if access.at != At::In(variable.space) {
            return self.refuse(ins, "a variable of another state space");
        }
        let reads = access.kind == AccessKind::Read;
        let allowed = match variable.space {
            Space::Param => match var {
                Var::Param(_) => reads,
                Var::Return(_) => !reads && access.kind == AccessKind::Write,
                _ => access.kind != AccessKind::Update,
            },
            Space::Const => reads,
            Space::Global | Space::Local => true,
            _ => false,
        };
        let Some(size) = variable.size.filter(|_| allowed) else {
            return self.refuse(ins, "this is not done with such a variable");
        };
        let end = access.offset.checked_add(access.bytes.into());
        let inside = access.offset >= 0
            && end.is_some_and(|end| end as u64 <= size)
            && access.offset % i64::from(access.align) == 0
            && variable.align % u64::from(access.align).min(16) == 0;
        if inside || variable.space == Space::Param && self.in_param(variable.size, access) {
            return Ok((Check::Inside, Vec::new()));
        }
        if variable.space == Space::Param {
            return self.refuse(ins, "outside of the parameter");
        }
        Ok((Check::Outside, Vec::new()))
    }

    /// The bytes of a parameter may be accessed as compilers do, whatever its type is.
    fn in_param(&self, size: Option<u64>, access: &Access) -> bool {
        let end = access.offset.checked_add(access.bytes.into());
        let most = if planted(Mistake::ParameterTooLong) { 64 } else { 0 };
        access.offset >= 0
            && end.is_some_and(|end| size.is_some_and(|size| end as u64 <= size + most))
    }

    /// The regions that an address is compared with.
    fn candidates(&self, at: At, value: Value) -> Vec<usize> {
        let regions = self.origins.regions();
        let fits = |&one: &usize| {
            let space = regions.spaces[one];
            match at {
                At::In(Space::Global) => space.is_none() || space == Some(Space::Global),
                At::In(own) => space == Some(own),
                At::Generic => true,
            }
        };
        let workspace = |&one: &usize| regions.list[one] == Region::Workspace;
        if value.workspace && value.regions == 0 {
            return (0..regions.list.len()).filter(workspace).filter(fits).collect();
        }
        let mut own: Vec<usize> = regions.numbers(value.regions).into_iter().filter(fits).collect();
        if own.is_empty() || value.unknown {
            own = (0..regions.list.len()).filter(fits).filter(|one| !workspace(one)).collect();
        }
        if planted(Mistake::FirstRegionOnly) {
            own.truncate(1);
        }
        if planted(Mistake::SharedForgotten) && at == At::Generic {
            own.retain(|&one| regions.list[one] != Region::Shared);
            return own;
        }
        // A parameter of a function may point to shared memory.
        let shared = |one: &usize| regions.list[*one] == Region::Shared;
        let param = |one: &usize| matches!(regions.list[*one], Region::Param(_));
        if at == At::Generic
            && !self.function.entry
            && own.iter().any(param)
            && !own.iter().any(shared)
        {
            own.extend((0..regions.list.len()).filter(shared));
        }
        own
    }

    /// If the address is a multiple of what it has to be, provided that the begins of some regions are: the regions whose
    /// begin is looked at when the kernel starts.
    fn always_aligned(&self, value: Value, access: &Access) -> Option<Set> {
        let align = access.align;
        if align == 1 || planted(Mistake::AddressNotAligned) {
            return Some(0);
        }
        if value.zeros < 64 && 1_u64 << value.zeros < u64::from(align)
            || access.offset % i64::from(align) != 0
        {
            return None;
        }
        // Of several, some may be numbers, or not where this address is.
        let mut looked = 0;
        if value.aligned.count_ones() > 1 {
            return None;
        }
        for one in self.origins.regions().numbers(value.aligned) {
            match self.origins.regions().list[one] {
                Region::Param(_) | Region::Workspace => looked |= 1 << one,
                Region::Variable(var) => {
                    let declared = self.declared(var)?.align;
                    if declared % u64::from(align) != 0 {
                        return None;
                    }
                }
                Region::Bytes(_) | Region::Shared => return None,
            }
        }
        Some(looked)
    }

    /// Compares the index that an address is computed of, in 32 bits.
    fn by_index(
        &mut self,
        at: usize,
        access: &Access,
        reg: usize,
        region: usize,
        writes: bool,
        bases: Set,
    ) -> Option<Check> {
        let linear = self.linear(at, reg, 0)?;
        let (from, generic) = linear.region?;
        let own = self.origins.regions().list[region];
        if from != region {
            return None;
        }
        // In other spaces than global memory an address is another than the generic one.
        let global = matches!(self.origins.regions().spaces[region], None | Some(Space::Global));
        if !global && generic != (access.at == At::Generic) || own == Region::Shared {
            return None;
        }
        let own = if planted(Mistake::OffsetForgotten) { 0 } else { access.offset };
        let offset = linear.offset.checked_add(own).filter(|one| one.abs() < FAR)?;
        let need = u64::from(access.need);
        let key =
            |extent| Key { region, writes, bases, align: access.align, global: false, extent };
        let Some(index) = linear.index else {
            let Ok(offset) = u64::try_from(offset) else { return Some(Check::Outside) };
            // Its last byte is compared, so that all accesses of this kind have one limit.
            let offset = offset + (need - 1);
            let limit = self.limit(key(Extent::Bytes(1)));
            if let Ok(limit) = limit.parse::<u64>() {
                return Some(if offset < limit { Check::Inside } else { Check::Outside });
            }
            let b = offset.to_string();
            let what = Compared {
                reg: None,
                plus: offset as i64,
                begin: None,
                limit: limit.clone(),
                wide: true,
                times: None,
            };
            let comparison = Comparison { by: "gt.u64", a: limit, b, what };
            return Some(Check::Compare(Vec::new(), comparison));
        };
        let index = Index {
            shift: if planted(Mistake::ScaleTooSmall) { index.shift.min(1) } else { index.shift },
            ..index
        };
        let scale = 1_i64 << index.shift;
        let (steps, rest) = (offset.div_euclid(scale), offset.rem_euclid(scale) as u64);
        if steps.unsigned_abs() >= 1 << 30 {
            return None;
        }
        let copied = self.copied(index);
        let name = self.name(copied);
        let mut lines = Vec::new();
        let what = |plus, limit: &String| Compared {
            reg: Some((index.reg, index.read, copied)),
            plus,
            begin: None,
            limit: limit.clone(),
            wide: index.wide,
            times: None,
        };
        if index.wide {
            let a = self.plus(name, steps, Type::U64, &mut lines);
            let (bytes, shift) = (rest + need, index.shift);
            let b = self.limit(key(Extent::Index { bytes, shift, most: u64::MAX }));
            let what = what(steps, &b);
            return Some(Check::Compare(lines, Comparison { by: "lt.u64", a, b, what }));
        }
        let (a, plus, before, most) = if index.signed || steps <= 0 || planted(Mistake::IndexWraps)
        {
            // The index and the steps together are at least 0: the sum is compared, and a negative one is as large as
            // half of all numbers or larger.
            let small = index.signed && !planted(Mistake::IndexNegative);
            let all = if small { 1_i64 << 31 } else { 1_i64 << 32 };
            let most = (all + steps).min(i64::from(u32::MAX)) as u64;
            (self.plus(name, steps, Type::U32, &mut lines), steps, rest, most)
        } else {
            // The sum of an index without sign and steps would wrap around.
            (name, 0, offset as u64, u64::from(u32::MAX))
        };
        let limit =
            self.limit(key(Extent::Index { bytes: before + need, shift: index.shift, most }));
        let what = what(plus, &limit);
        Some(Check::Compare(lines, Comparison { by: "lt.u32", a, b: limit, what }))
    }

    /// A register and a number: the register itself if that is 0.
    pub(super) fn plus(
        &mut self,
        name: String,
        by: i64,
        ty: Type,
        lines: &mut Vec<String>,
    ) -> String {
        if by == 0 {
            return name;
        }
        let sum = self.new_name(ty);
        lines.push(format!("add.s{} {sum}, {name}, {by};", u32::from(ty.bytes) * 8));
        sum
    }

    /// The register of an index, as it was when the address was computed of it.
    fn copied(&mut self, index: Index) -> usize {
        if planted(Mistake::IndexNotCopied) {
            return index.reg;
        }
        let single = self.flow.definition(index.reg);
        if single.is_some_and(|def| self.flow.dominates(def, index.read)) {
            return index.reg;
        }
        let known = self.shadows.iter().find(|one| (one.0, one.1) == (index.read, index.reg));
        match known {
            Some(one) => one.2,
            None => {
                let copy = self.fresh(if index.wide { Type::B64 } else { Type::B32 });
                self.shadows.push((index.read, index.reg, copy));
                copy
            }
        }
    }

    /// Whether an address is the begin of a region and a constant.
    pub(super) fn constant(&self, at: usize, reg: usize) -> bool {
        self.linear(at, reg, 0).is_some_and(|linear| linear.index.is_none())
    }

    /// The parts of an address. Each register on the way is written once, on every path to its use, so that the parts
    /// are of the address that the register holds.
    fn linear(&self, at: usize, reg: usize, depth: u32) -> Option<Linear> {
        let def =
            self.flow.definition(reg).filter(|&def| depth < 32 && self.flow.dominates(def, at))?;
        let Item::Ins(ins) = self.items.get(def)? else { return None };
        let of = |arg: &Arg| match arg {
            Arg::Reg(reg) => self.linear(def, *reg, depth + 1),
            Arg::Int(value) => {
                let offset = *value as i64;
                (offset.abs() < FAR).then_some(Linear { offset, ..Linear::default() })
            }
            _ => None,
        };
        let regions = self.origins.regions();
        let number = |region: Region| {
            let at = regions.list.iter().position(|one| *one == region)?;
            regions.bit(region).map(|_| at)
        };
        let index = |arg: &Arg, signed: bool, shift: u32| match arg {
            Arg::Reg(reg) if self.registers[*reg].bytes == 4 => Some(Linear {
                index: Some(Index { reg: *reg, read: def, signed, wide: false, shift }),
                ..Linear::default()
            }),
            _ => None,
        };
        // An index of 64 bits, however it was computed.
        let wide = |arg: &Arg| match arg {
            Arg::Reg(reg) if self.registers[*reg].bytes == 8 => Some(Linear {
                index: Some(Index { reg: *reg, read: def, signed: false, wide: true, shift: 0 }),
                ..Linear::default()
            }),
            _ => None,
        };
        // The product of an index and a power of two.
        let product = |a: &Arg, b: &Arg, signed: bool| {
            let (a, by) = match (a, b) {
                (a, Arg::Int(by)) | (Arg::Int(by), a) => (a, *by),
                _ => return None,
            };
            let power = by.is_power_of_two() && by.trailing_zeros() <= MOST_SHIFT;
            power.then(|| index(a, signed, by.trailing_zeros()))?
        };
        let times = |arg: &Arg, shift: u32| {
            let linear = of(arg).and_then(|linear| shifted(linear, shift));
            linear.or_else(|| shifted(wide(arg)?, shift))
        };
        match (ins.opcode.as_str(), &ins.args[..]) {
            (
                "ld.param.u64" | "ld.param.s64" | "ld.param.b64",
                [_, Arg::Address(Base::Var(Var::Param(param)), 0)],
            ) if self.function.entry => Some(Linear {
                region: Some((number(Region::Param(*param))?, true)),
                ..Linear::default()
            }),
            ("mov.u64" | "mov.s64" | "mov.b64", [_, from @ Arg::Reg(_)]) => of(from),
            ("mov.u64" | "mov.s64" | "mov.b64", [_, Arg::AddressOf(var, offset)]) => {
                let number = number(Region::Variable(*var))?;
                (offset.abs() < FAR).then_some(Linear {
                    region: Some((number, false)),
                    index: None,
                    offset: *offset,
                })
            }
            ("cvta.to.global.u64" | "cvta.global.u64", [_, from]) => {
                // There the address is the same.
                let global = |(at, _)| matches!(regions.spaces[at], None | Some(Space::Global));
                of(from).filter(|linear| linear.region.is_some_and(global))
            }
            (
                "cvta.to.local.u64" | "cvta.local.u64" | "cvta.const.u64" | "cvta.to.const.u64",
                [_, from],
            ) => {
                let linear = of(from)?;
                let (region, generic) = linear.region?;
                let to = ins.opcode.contains(".to.");
                let space = if ins.opcode.contains("local") { Space::Local } else { Space::Const };
                (regions.spaces[region] == Some(space) && generic == to)
                    .then_some(Linear { region: Some((region, !to)), ..linear })
            }
            ("add.s64" | "add.u64", [_, a, b]) => match (of(a), of(b)) {
                (Some(a), Some(b)) => sum(a, b),
                (Some(from), None) if from.region.is_some() => sum(from, wide(b)?),
                (None, Some(from)) if from.region.is_some() => sum(from, wide(a)?),
                _ => None,
            },
            ("sub.s64" | "sub.u64", [_, a, Arg::Int(by)]) => {
                let by = (*by as i64).checked_neg().filter(|by| by.abs() < FAR)?;
                sum(of(a)?, Linear { offset: by, ..Linear::default() })
            }
            ("mul.wide.u32", [_, a, b]) => product(a, b, false),
            ("mul.wide.s32", [_, a, b]) => product(a, b, true),
            ("mad.wide.u32", [_, a, b, c]) => sum(product(a, b, false)?, of(c)?),
            ("mad.wide.s32", [_, a, b, c]) => sum(product(a, b, true)?, of(c)?),
            ("cvt.u64.u32", [_, a]) => index(a, false, 0),
            ("cvt.s64.s32", [_, a]) => index(a, true, 0),
            ("shl.b64", [_, a, Arg::Int(by)]) => times(a, u32::try_from(*by).ok()?),
            ("mul.lo.s64" | "mul.lo.u64", [_, a, Arg::Int(by)]) if by.is_power_of_two() => {
                times(a, by.trailing_zeros())
            }
            _ => None,
        }
    }

    /// Compares the address with each region, in 64 bits.
    fn by_address(
        &mut self,
        at: usize,
        access: &Access,
        reg: usize,
        candidates: &[usize],
        writes: bool,
        aligned: Option<Set>,
    ) -> Check {
        let mut lines = Vec::new();
        let mut address = self.name(reg);
        if !planted(Mistake::OffsetForgotten) {
            address = self.plus(address, access.offset, Type::U64, &mut lines);
        }
        let mut low = None;
        if aligned.is_none() {
            let (short, bits) = (self.new_name(Type::U32), self.new_name(Type::B32));
            lines.push(format!("cvt.u32.u64 {short}, {address};"));
            lines.push(format!("and.b32 {bits}, {short}, {};", access.align - 1));
            low = Some(bits);
        }
        let given = access.given.map(|reg| {
            // As many words as it takes.
            let (size, whole) = (self.new_name(Type::U32), self.new_name(Type::U64));
            lines.push(format!("min.u32 {size}, {}, {};", self.name(reg), access.bytes));
            lines.push(format!("add.u32 {size}, {size}, 3;"));
            lines.push(format!("and.b32 {size}, {size}, -4;"));
            lines.push(format!("cvt.u64.u32 {whole}, {size};"));
            whole
        });
        let mut inside: Option<String> = None;
        for &region in candidates {
            let own = self.origins.regions().list[region];
            let fresh = self.new_name(Type::PRED);
            if own == Region::Shared {
                let cluster = if self.scene.source.target >= 90 { "::cluster" } else { "" };
                lines.push(format!("isspacep.shared{cluster} {fresh}, {address};"));
                inside = Some(match inside {
                    None => fresh,
                    Some(before) => {
                        let either = self.new_name(Type::PRED);
                        lines.push(format!("or.pred {either}, {before}, {fresh};"));
                        either
                    }
                });
                continue;
            }
            let generic = access.at == At::Generic;
            let base = self.base(region, generic);
            let from = self.new_name(Type::U64);
            lines.push(format!("sub.s64 {from}, {address}, {base};"));
            let bases = aligned.unwrap_or(0);
            let (align, need) = (access.align, u64::from(access.need));
            let looked = self.origins.regions().bit(own).is_some_and(|bit| bases & bit != 0);
            let multiple = looked && access.offset % i64::from(align) == 0 && need <= align.into();
            let key = Key {
                region,
                writes,
                bases,
                align,
                global: !generic && !planted(Mistake::CallOfLocal),
                extent: if multiple { Extent::Aligned(need) } else { Extent::Bytes(need) },
            };
            let limit = self.limit(key);
            if candidates.len() == 1 && low.is_none() && given.is_none() {
                let what = Compared {
                    reg: Some((reg, at, reg)),
                    plus: access.offset,
                    begin: Some(base),
                    limit: limit.clone(),
                    wide: true,
                    times: None,
                };
                return Check::Compare(lines, Comparison { by: "lt.u64", a: from, b: limit, what });
            }
            if let Some(given) = &given {
                let (first, rest) = (self.new_name(Type::PRED), self.new_name(Type::U64));
                let extent = self.extent(region, writes, !generic);
                lines.push(format!("setp.lt.u64 {first}, {from}, {limit};"));
                lines.push(format!("sub.s64 {rest}, {extent}, {from};"));
                lines.push(format!("setp.ge.and.u64 {fresh}, {rest}, {given}, {first};"));
                inside = Some(match inside {
                    None => fresh,
                    Some(before) => {
                        let either = self.new_name(Type::PRED);
                        lines.push(format!("or.pred {either}, {before}, {fresh};"));
                        either
                    }
                });
                continue;
            }
            lines.push(match &inside {
                None => format!("setp.lt.u64 {fresh}, {from}, {limit};"),
                Some(before) => format!("setp.lt.or.u64 {fresh}, {from}, {limit}, {before};"),
            });
            inside = Some(fresh);
        }
        let inside = inside.unwrap_or_default();
        match low {
            None => Check::Predicate(lines, inside, None),
            Some(low) => {
                let both = self.new_name(Type::PRED);
                lines.push(format!("setp.eq.and.u32 {both}, {low}, 0, {inside};"));
                Check::Predicate(lines, both, None)
            }
        }
    }

    /// The predicates that a comparison holds, and that it does not, where an earlier one does.
    pub(super) fn good_and_bad(
        &mut self,
        by: &str,
        a: &str,
        b: &str,
        own: Option<&str>,
    ) -> (String, String) {
        let good = self.new_name(Type::PRED);
        let (both, bad) = match own {
            None => (good.clone(), format!("!{good}")),
            Some(_) => {
                let bad = self.new_name(Type::PRED);
                (format!("{good}|{bad}"), bad)
            }
        };
        self.line(compared_line(by, a, b, &both, own));
        (good, bad)
    }

    /// An access with its check.
    pub(super) fn access(&mut self, at: usize, ins: &Ins, plan: Option<Plan>) -> Done<()> {
        let mut ins = ins.clone();
        // A policy that is none would be undefined, so none is used.
        if ins.has("L2::cache_hint") && !planted(Mistake::PolicyStays) {
            ins.args.pop();
            let parts: Vec<&str> =
                ins.opcode.split('.').filter(|one| *one != "L2::cache_hint").collect();
            ins.opcode = parts.join(".");
        }
        let Some(plan) = plan else {
            let text = self.plain(&ins);
            self.line(text);
            return Ok(());
        };
        let Plan { access, check, parameters, further } = plan;
        let with_others = matches!(check, Check::With(_));
        if let (Base::Var(var @ Var::Own(_)), At::In(Space::Param), AccessKind::Write) =
            (access.base, access.at, access.kind)
        {
            self.note_argument(&ins, var, access.offset, access.bytes);
        }
        let own = self.predicate(&ins).filter(|_| !planted(Mistake::PredicateForgotten));
        let (good, bad) = match check {
            Check::Inside => {
                let text = self.plain(&ins);
                self.line(text);
                return Ok(());
            }
            Check::Outside => (None, own.clone()),
            Check::With(first) => {
                let good = self.checked.get(&first).cloned().unwrap_or_default();
                let bad = format!("!{good}");
                (Some(good), Some(bad))
            }
            Check::Compare(lines, comparison) => {
                lines.iter().for_each(|line| self.line(line));
                let Comparison { by, a, b, .. } = &comparison;
                let (good, bad) = self.good_and_bad(by, a, b, own.as_deref());
                (Some(good), Some(bad))
            }
            Check::Predicate(lines, inside, _) => {
                lines.iter().for_each(|line| self.line(line));
                match &own {
                    None => {
                        let bad = format!("!{inside}");
                        (Some(inside), Some(bad))
                    }
                    Some(own) => {
                        let word = self.new_name(Type::U32);
                        self.line(format!("selp.u32 {word}, 1, 0, {inside};"));
                        let (good, bad) = self.good_and_bad("ne.u32", &word, "0", Some(own));
                        (Some(good), Some(bad))
                    }
                }
            }
        };
        if let (Some(good), false) = (&good, further.is_empty()) {
            self.checked.insert(at, good.clone());
        }
        let copy = ins.head() == "cp";
        let rest = Ins { args: ins.args.get(1..).unwrap_or_default().to_vec(), ..ins.clone() };
        let needed = rest.mentioned();
        // The values are set before the access where that does not need them. What writes begins with an address instead.
        let (after, before): (Vec<usize>, Vec<usize>) =
            ins.results().into_iter().partition(|reg| needed.contains(reg));
        for reg in before.into_iter().filter(|_| !planted(Mistake::ValueNotZero)) {
            let text = self.zero(reg, own.as_deref());
            self.line(text);
        }
        if copy {
            self.copy(&ins, own.as_deref(), good.as_deref())?;
        } else if let Some(good) = &good {
            let text = self.scene.names.ins(&self.registers, &ins);
            self.line(format!("@{good} {text}"));
        }
        let bad = bad.map_or(String::new(), |bad| format!("@{bad} "));
        for reg in after.into_iter().filter(|_| !planted(Mistake::ValueNotZero)) {
            let text = self.zero(reg, None);
            self.line(format!("{bad}{text}"));
        }
        let mut bad = bad;
        if let (true, Some(Arg::Reg(size))) = (copy, ins.args.get(3)) {
            // Nothing is read where the size is 0.
            let (some, size) = (self.new_name(Type::PRED), self.name(*size));
            let own = bad.trim().strip_prefix('@');
            self.line(compared_line("ne.u32", &size, "0", &some, own));
            bad = format!("@{some} ");
        }
        if with_others {
            return Ok(());
        }
        let (failed, number) = self.site(at, &ins, access.kind, access.bytes, parameters, further);
        self.line(format!("{bad}mov.u32 {failed}, {number};"));
        Ok(())
    }

    /// `cp.async`, which writes zeros where it is not to read.
    fn copy(&mut self, ins: &Ins, own: Option<&str>, good: Option<&str>) -> Done<()> {
        let mut ins = ins.clone();
        let given = match ins.args.get(3) {
            None => ins.args[2].clone(),
            Some(Arg::Int(given)) => Arg::Int(*given),
            Some(Arg::Reg(reg)) if self.registers[*reg].bytes == 4 => Arg::Reg(*reg),
            Some(_) => return self.refuse(&ins, "a size of 32 bits is expected"),
        };
        let size = self.fresh(Type::U32);
        let (name, given) = (self.name(size), self.scene.names.arg(&self.registers, &given));
        match good {
            Some(good) => self.line(format!("selp.u32 {name}, {given}, 0, {good};")),
            None => self.line(format!("mov.u32 {name}, 0;")),
        }
        ins.args.truncate(3);
        ins.args.push(Arg::Reg(size));
        let text = self.scene.names.ins(&self.registers, &ins);
        match own {
            Some(own) => self.line(format!("@{own} {text}")),
            None => self.line(text),
        }
        Ok(())
    }
}

fn sum(a: Linear, b: Linear) -> Option<Linear> {
    let offset = a.offset.checked_add(b.offset).filter(|one| one.abs() < FAR)?;
    match (a.region, b.region, a.index, b.index) {
        (.., Some(_), Some(_)) if planted(Mistake::SecondIndexForgotten) => {
            Some(Linear { region: a.region.or(b.region), index: a.index, offset })
        }
        (Some(_), Some(_), ..) | (.., Some(_), Some(_)) => None,
        _ => Some(Linear { region: a.region.or(b.region), index: a.index.or(b.index), offset }),
    }
}

fn shifted(linear: Linear, by: u32) -> Option<Linear> {
    if linear.region.is_some() || by > MOST_SHIFT {
        return None;
    }
    let offset = linear.offset.checked_mul(1 << by).filter(|one| one.abs() < FAR)?;
    let index = match linear.index {
        None => None,
        Some(index) if index.shift + by <= MOST_SHIFT => {
            Some(Index { shift: index.shift + by, ..index })
        }
        Some(_) => return None,
    };
    Some(Linear { index, offset, ..linear })
}
