//! Loops of one block, which get a second copy of their text. It makes accesses without checks whose whole range was
//! compared before the loop, and runs only if all was inside. So nothing is refused, told or made otherwise for it.
//!
//! Of an index or address that moves by equal steps, the first and the last are compared: if neither is outside, none between
//! them is. Why the copy reaches nothing outside:
//!
//! - Control comes to it from these comparisons alone, and only if all hold.
//! - Steps are at least 0, and sums of what no pass changes. A register that is written twice, or with a predicate, or by
//!   anything that is not a sum has no step.
//! - The last is computed in 64 bits, of a number of passes below 2^32 and a step below 2^31 (2^32 for an index of 32
//!   bits), so it does not wrap around: no memory has 2^62 bytes. An index that would wrap in the loop is beyond its limit.
//! - The number of passes is exact, or too large. It follows from the one comparison at the end, of a register that moves
//!   by a constant with what no pass changes; if that register would wrap around, or miss the number that it has to meet,
//!   the checked copy runs.
//! - What stands twice computes and reads. It stores nothing, waits for no other thread, and leads nowhere else.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use cuscope_ptx_syntax::types::Type;

use super::Rewrite;
use super::access::{Check, Compared, Plan, compared_line};
use super::sums::{Atom, Passes, Sum};
use crate::body::{Arg, Ins, Item};
use crate::order::computes;
use crate::planted::{Mistake, planted};

/// A loop with a second copy.
pub(super) struct Twin {
    /// Its label, what follows, and the branch to the label.
    pub(super) items: Range<usize>,
    /// What is done before it, last of all a branch to the second copy.
    pub(super) before: Vec<String>,
    /// The labels of the second copy, and of what is behind it.
    pub(super) label: usize,
    pub(super) behind: usize,
    /// The accesses that the second copy makes without a check.
    free: HashSet<usize>,
}

impl Twin {
    /// How the second copy checks an access.
    pub(super) fn plan(&self, at: usize, mut plan: Plan) -> Plan {
        if self.free.contains(&at) {
            plan.check = Check::Inside;
        }
        plan
    }
}

/// A branch that goes on while `x` is another number than `y`, which no pass changes, or below it.
struct Exit {
    /// Below, or equal to it as well.
    below: Option<bool>,
    signed: bool,
    x: Sum,
    y: Sum,
    step: i64,
}

/// Numbers that have to be below a limit in every pass: `least`, and others that are more than that.
struct Series {
    least: Sum,
    /// How much the largest is more, in 64 bits.
    more: Sum,
    /// What they are apart by, or a part of that, if no constant is. It has to be small.
    apart: Option<Sum>,
    step: Sum,
    limit: String,
}

/// What is done before a loop.
#[derive(Default)]
struct Before {
    lines: Vec<String>,
    sums: HashMap<Sum, String>,
    /// How far all passes move, by the step.
    spans: HashMap<Sum, String>,
    /// The predicate that all was as it has to be, so far.
    good: Option<String>,
}

/// Loops with more items stay as they are, and so do those that compare less.
const MOST_ITEMS: usize = 600;
const FEWEST_COMPARISONS: usize = 2;

impl Rewrite<'_> {
    /// The loops that get a second copy.
    pub(super) fn twins(&mut self, plans: &[Option<Plan>]) -> Vec<Twin> {
        let items = Rc::clone(&self.items);
        let mut all = Vec::new();
        for (from, item) in items.iter().enumerate() {
            let Item::Label(label) = item else { continue };
            let rest = from..items.len();
            let to = rest.take_while(|&at| self.flow.together(from, at)).last().unwrap_or(from);
            all.extend(self.twin(*label, from..to + 1, &items[from..=to], plans));
        }
        all
    }

    fn twin(
        &mut self,
        label: usize,
        range: Range<usize>,
        items: &[Item],
        plans: &[Option<Plan>],
    ) -> Option<Twin> {
        let Some((Item::Ins(branch), inner)) = items.split_last() else { return None };
        let returns = branch.head() == "bra" && branch.args[..] == [Arg::Label(label)];
        let small = items.len() <= MOST_ITEMS;
        if !returns || !small || !repeatable(&inner[1..]) {
            return None;
        }
        let passes = Passes::new(items, range.start, &self.registers);
        let exit = exit(branch, range.start, items, &passes)?;
        let (free, all) = ranges(&range, plans, &passes)?;
        let mut before = Before::default();
        let last_pass = self.last_pass(&exit, &mut before)?;
        for one in &all {
            self.compare(one, &last_pass, &mut before);
        }
        let (label, behind) = (self.body.labels, self.body.labels + 1);
        self.body.labels += 2;
        let good = before.good?;
        before.lines.push(format!("@{good} bra {};", self.scene.names.label(label)));
        Some(Twin { items: range, before: before.lines, label, behind, free })
    }

    /// A register that holds a sum, or its digits.
    fn held(&mut self, sum: &Sum, before: &mut Before) -> String {
        if let Some(number) = sum.constant() {
            return number.to_string();
        }
        if let Some(known) = before.sums.get(sum) {
            return known.clone();
        }
        let (bits, ty) = width(sum.wide);
        let mut all: Option<String> = None;
        if sum.plus != 0 {
            let rest = self.held(&sum.plus(sum.plus.wrapping_neg()), before);
            all = Some(self.plus(rest, sum.plus, ty, &mut before.lines));
        }
        for (atom, &times) in sum.terms.iter().filter(|_| sum.plus == 0) {
            let name = match atom {
                Atom::Reg(reg) => self.name(*reg),
                Atom::Ours(name) => name.clone(),
            };
            if (&all, times) == (&None, 1) {
                all = Some(name);
                continue;
            }
            let own = self.new_name(ty);
            before.lines.push(match (all, times) {
                (None, _) => format!("mul.lo.s{bits} {own}, {name}, {times};"),
                (Some(all), 1) => format!("add.s{bits} {own}, {all}, {name};"),
                (Some(all), -1) => format!("sub.s{bits} {own}, {all}, {name};"),
                (Some(all), _) => format!("mad.lo.s{bits} {own}, {name}, {times}, {all};"),
            });
            all = Some(own);
        }
        let all = all.unwrap_or_default();
        before.sums.insert(sum.clone(), all.clone());
        all
    }

    /// A number of 32 bits without sign as one of 64.
    fn long(&mut self, short: &str, before: &mut Before) -> String {
        let own = self.new_name(Type::U64);
        before.lines.push(format!("cvt.u64.u32 {own}, {short};"));
        own
    }

    /// Goes on only if a comparison holds.
    fn require(&mut self, by: &str, a: &str, b: &str, before: &mut Before) {
        let good = self.new_name(Type::PRED);
        before.lines.push(compared_line(by, a, b, &good, before.good.as_deref()));
        before.good = Some(good);
    }

    /// How many passes follow the first, or more: a number of 32 bits.
    fn last_pass(&mut self, exit: &Exit, before: &mut Before) -> Option<String> {
        let Exit { below, signed, x, y, step } = exit;
        let (bits, ty) = width(x.wide);
        let sign = if *signed { 's' } else { 'u' };
        let each = Some(step.unsigned_abs()).filter(|each| each.is_power_of_two())?;
        let mut way = if *step > 0 { y.add(x, -1)? } else { x.add(y, -1)? };
        if let Some(equal) = below {
            // The last that is compared may be beyond `y` by a step, and has to be a number of its type.
            let most = match (signed, x.wide) {
                (true, true) => i64::MAX,
                (true, false) => i32::MAX.into(),
                (false, _) => -1,
            };
            let beyond = step - i64::from(!equal);
            if beyond > 0 && !planted(Mistake::LoopExitWraps) {
                let (y, bound) = (self.held(y, before), most.wrapping_sub(beyond));
                self.require(&format!("le.{sign}{bits}"), &y, &bound.to_string(), before);
            }
            way = way.plus(-i64::from(!equal));
        }
        let way = self.held(&way, before);
        let mut count = way.clone();
        if each != 1 {
            count = self.new_name(ty);
            let by = each.trailing_zeros();
            before.lines.push(format!("shr.u{bits} {count}, {way}, {by};"));
        }
        if let Some(equal) = below {
            let word = if *equal { "le" } else { "lt" };
            let (x, y) = (self.held(x, before), self.held(y, before));
            let (own, some) = (self.new_name(ty), self.new_name(Type::PRED));
            let one = if planted(Mistake::LoopPassLess) { 0 } else { 1 };
            before.lines.push(format!("add.s{bits} {own}, {count}, {one};"));
            before.lines.push(format!("setp.{word}.{sign}{bits} {some}, {x}, {y};"));
            before.lines.push(format!("selp.b{bits} {own}, {own}, 0, {some};"));
            count = own;
        } else if each != 1 && !planted(Mistake::LoopRest) {
            // It has to meet `y`.
            let again = self.new_name(ty);
            before.lines.push(format!("mul.lo.s{bits} {again}, {count}, {each};"));
            self.require(&format!("eq.u{bits}"), &again, &way, before);
        }
        if !x.wide {
            return Some(count);
        }
        if !planted(Mistake::LoopCountLong) {
            self.require("lt.u64", &count, "4294967296", before);
        }
        let short = self.new_name(Type::U32);
        before.lines.push(format!("cvt.u32.u64 {short}, {count};"));
        Some(short)
    }

    /// Compares the first and the last numbers of a series.
    fn compare(&mut self, series: &Series, last_pass: &str, before: &mut Before) {
        let Series { least, more, apart, step, limit } = series;
        let (mut first, mut limit) = (self.held(least, before), limit.clone());
        if least.wide {
            // No number of 32 bits is negative.
            if !planted(Mistake::LoopFirst) {
                self.require("lt.u64", &first, &limit, before);
            }
        } else {
            first = self.long(&first, before);
            if limit.starts_with('%') {
                limit = self.long(&limit, before);
            }
        }
        let mut largest = first.clone();
        if more.constant() != Some(0) && !planted(Mistake::LoopLargest) {
            if let Some(apart) = apart {
                self.small(apart, before);
            }
            let more = self.held(more, before);
            largest = self.new_name(Type::U64);
            before.lines.push(format!("add.s64 {largest}, {first}, {more};"));
        }
        if step.constant() != Some(0) && !planted(Mistake::LoopLast) {
            let span = self.span(step, last_pass, before);
            let first_pass = std::mem::replace(&mut largest, self.new_name(Type::U64));
            before.lines.push(format!("add.s64 {largest}, {first_pass}, {span};"));
        }
        self.require("lt.u64", &largest, &limit, before);
    }

    /// How far all passes move, in 64 bits without sign.
    fn span(&mut self, step: &Sum, last_pass: &str, before: &mut Before) -> String {
        if let Some(known) = before.spans.get(step) {
            return known.clone();
        }
        let mut each = self.held(step, before);
        if step.wide && step.constant().is_none() {
            self.small(step, before);
            let long = std::mem::replace(&mut each, self.new_name(Type::U32));
            before.lines.push(format!("cvt.u32.u64 {each}, {long};"));
        }
        let span = self.new_name(Type::U64);
        before.lines.push(format!("mul.wide.u32 {span}, {last_pass}, {each};"));
        before.spans.insert(step.clone(), span.clone());
        span
    }

    /// Goes on only if a number of 64 bits is at least 0 and below 2^31.
    fn small(&mut self, sum: &Sum, before: &mut Before) {
        let held = self.held(sum, before);
        if !planted(Mistake::LoopStepLarge) {
            self.require("lt.u64", &held, "2147483648", before);
        }
    }
}

fn width(wide: bool) -> (u32, Type) {
    if wide { (64, Type::U64) } else { (32, Type::U32) }
}

/// Whether items may stand twice: they compute and read, wait for no other thread, and lead nowhere else. What an unrolled
/// loop leaves has a few passes only: the text says of it that it is not to be unrolled.
fn repeatable(items: &[Item]) -> bool {
    items.iter().all(|item| match item {
        Item::Location(..) => true,
        Item::Ins(ins) => computes(ins) || ins.head() == "ld" || planted(Mistake::LoopOfBarriers),
        _ => false,
    })
}

/// What the branch at the end of a loop compares. Its predicate is written once.
fn exit(branch: &Ins, from: usize, items: &[Item], passes: &Passes<'_>) -> Option<Exit> {
    let (predicate, negated) = branch.guard?;
    let [at] = passes.writers(predicate)[..] else { return None };
    let Item::Ins(ins) = &items[at - from] else { return None };
    let [Arg::Reg(_), x, y] = &ins.args[..] else { return None };
    let ["setp", word, ty] = ins.opcode.split('.').collect::<Vec<_>>()[..] else { return None };
    let (wide, signed) = match ty {
        "u32" | "b32" => (false, false),
        "s32" => (false, true),
        "u64" | "b64" => (true, false),
        "s64" => (true, true),
        _ => return None,
    };
    let (x, y) = (passes.operand(at, x, wide)?, passes.operand(at, y, wide)?);
    let step = passes.step(&x)?.constant()?;
    let below = match word {
        "ne" => None,
        "lt" if step > 0 => Some(false),
        "le" if step > 0 => Some(true),
        _ => return None,
    };
    let goes_on = !negated || planted(Mistake::LoopNegated);
    let fixed = passes.fixed(&y) || planted(Mistake::LoopVaryingEnd);
    (goes_on && fixed && ins.guard.is_none()).then_some(Exit { below, signed, x, y, step })
}

/// The accesses that need no check if something else is compared before the loop, and what that is.
fn ranges(
    items: &Range<usize>,
    plans: &[Option<Plan>],
    passes: &Passes<'_>,
) -> Option<(HashSet<usize>, Vec<Series>)> {
    let (mut free, mut all, mut count) = (HashSet::new(), Vec::<Series>::new(), 0);
    for at in items.clone() {
        let Some(plan) = &plans[at] else { continue };
        if matches!(plan.check, Check::With(first) if free.contains(&first)) {
            free.insert(at);
        }
        let Some(compared) = plan.compared() else { continue };
        let own = compared.iter().map(|one| series(one, items, passes));
        let Some(own) = own.collect::<Option<Vec<_>>>() else { continue };
        count += own.len();
        free.insert(at);
        for one in own {
            if !all.iter_mut().any(|known| known.join(&one, passes).is_some()) {
                all.push(one);
            }
        }
    }
    (count >= FEWEST_COMPARISONS).then_some((free, all))
}

/// What has to be below a limit so that a comparison holds in each pass.
fn series(what: &Compared, items: &Range<usize>, passes: &Passes<'_>) -> Option<Series> {
    let value = |(reg, read, held): (usize, usize, usize)| match items.contains(&read) {
        true => passes.value(read, reg),
        // It was read before the loop.
        false if passes.writers(held).is_empty() => passes.value(items.start, held),
        false => None,
    };
    let zero = Sum::number(what.wide, 0);
    let mut least = what.reg.map_or(Some(zero), value)?.plus(what.plus);
    if let Some((step, times)) = what.times.filter(|_| !planted(Mistake::LoopSteps)) {
        least = least.add(&value(step)?, times)?;
    }
    if let Some(begin) = &what.begin {
        least = least.add(&Sum::of(what.wide, Atom::Ours(begin.clone())), -1)?;
    }
    let step = passes.step(&least).filter(|_| least.wide == what.wide)?;
    // One that goes back, or is as large as a product of 64 bits does not allow, stays checked.
    if step.constant().is_some_and(|step| !(0..1 << 31).contains(&step)) {
        return None;
    }
    let (more, limit) = (Sum::number(true, 0), what.limit.clone());
    Some(Series { least, more, apart: None, step, limit })
}

impl Series {
    /// With another in it, if their numbers differ by a constant or by small multiples of something that is fixed.
    fn join(&mut self, other: &Self, passes: &Passes<'_>) -> Option<()> {
        let same = self.limit == other.limit && self.step == other.step;
        let away = other.least.add(&self.least, -1).filter(|away| same && passes.fixed(away))?;
        let (apart, by, most) = match (away.constant(), away.terms.iter().next()) {
            (Some(by), _) => (None, by, 1 << 30),
            (None, Some((atom, &by))) if away.wide && away.terms.len() == 1 && away.plus == 0 => {
                (Some(Sum::of(true, atom.clone())), by, 1 << 16)
            }
            _ => return None,
        };
        let own = match (self.more.constant(), self.more.terms.values().next()) {
            (Some(0), _) => 0,
            (Some(own), _) if apart.is_none() => own,
            (None, Some(&own)) if apart == self.apart => own,
            _ => return None,
        };
        let more = own.max(by) - by.min(0);
        if by.unsigned_abs() > most || more > i64::try_from(most).ok()? {
            return None;
        }
        if by < 0 {
            self.least = other.least.clone();
        }
        let unit = apart.clone().unwrap_or_else(|| Sum::number(true, 1));
        self.more = Sum::number(true, 0).add(&unit, more)?;
        self.apart = apart;
        Some(())
    }
}
