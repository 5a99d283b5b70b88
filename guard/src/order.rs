//! Brings accesses to memory together: what computes on registers between two of them goes before the first or behind the
//! last, where that changes nothing, and a read that needs what another gives goes behind reads that do not. So they can be
//! checked together, and made together.

use std::collections::{HashSet, VecDeque};

use crate::body::{Arg, Ins, Item};
use crate::planted::{Mistake, planted};
use crate::skips::without_skips;

/// Instructions that compute on registers, and on nothing else that another instruction changes.
const COMPUTES: &[&str] = &[
    "abs", "add", "and", "bfe", "bfi", "brev", "clz", "cnot", "copysign", "cos", "cvt", "cvta",
    "div", "ex2", "fma", "lg2", "lop3", "mad", "mad24", "max", "min", "mov", "mul", "mul24", "neg",
    "not", "or", "popc", "prmt", "rcp", "rem", "rsqrt", "sad", "selp", "set", "setp", "shf", "shl",
    "shr", "sin", "slct", "sqrt", "sub", "tanh", "xor",
];

/// Whether an instruction is an access that may be made together with others: it waits for nobody, orders nothing, and is made
/// whenever control is there.
pub(crate) fn joins(ins: &Ins) -> bool {
    matches!(ins.head(), "ld" | "st")
        && (ins.guard.is_none() || planted(Mistake::TogetherPredicated))
        && !ins.modifiers().any(|one| {
            matches!(one, "volatile" | "relaxed" | "acquire" | "release" | "mmio" | "async")
                || matches!(one, "const" | "local")
                || one.starts_with("param")
                || one.starts_with("shared")
        })
}

/// Whether an instruction computes on registers, and may be moved over accesses.
pub(crate) fn computes(ins: &Ins) -> bool {
    let steady = |arg: &Arg| match arg {
        Arg::Special(name) => {
            ["%tid", "%ntid", "%ctaid", "%nctaid"].iter().any(|one| name.starts_with(one))
        }
        _ => true,
    };
    // `.cc` is a register that no operand names.
    COMPUTES.contains(&ins.head()) && !ins.has("cc") && ins.args.iter().all(steady)
}

/// The registers that instructions read and write.
#[derive(Default)]
struct Touched {
    reads: HashSet<usize>,
    writes: HashSet<usize>,
}

impl Touched {
    fn add(&mut self, ins: &Ins) {
        // A result that is written with a predicate is read as well. `mentioned` has results too, which does no harm.
        self.reads.extend(ins.mentioned());
        self.writes.extend(ins.results());
    }

    /// Whether an instruction may go before those that were added.
    fn lets_past(&self, ins: &Ins) -> bool {
        let written = ins.results();
        let reads = planted(Mistake::OrderOfReads)
            || !ins.mentioned().iter().any(|reg| self.writes.contains(reg));
        let writes =
            planted(Mistake::OrderOfWrites) || !written.iter().any(|reg| self.reads.contains(reg));
        reads && writes
    }
}

/// Accesses that are brought together, and what is around them.
#[derive(Default)]
struct Stretch {
    before: Vec<Item>,
    accesses: Vec<Item>,
    behind: Vec<Straight>,
    /// What the accesses, and what is behind them, touch.
    touched: Touched,
    count: usize,
    /// Whether an access is behind the others, as it needs what one of them reads.
    waits: bool,
}

/// An item of straight code, and whether an access needs it.
type Straight = (Item, bool);

/// So many items are looked at for one stretch if accesses wait in it.
const MOST_ITEMS: usize = 1000;

/// Items without the braces that declare nothing. Registers and labels have names of ours, which no braces end.
fn without_braces(items: Vec<Item>) -> Vec<Item> {
    let mut kept = vec![true; items.len()];
    // Those that are open, and whether something is declared in them.
    let mut open = Vec::new();
    for (at, item) in items.iter().enumerate() {
        match item {
            Item::Open => open.push((at, false)),
            Item::Declare(_) => open.iter_mut().for_each(|one| one.1 = true),
            Item::Close => {
                if let Some((begin, declares)) = open.pop() {
                    (kept[begin], kept[at]) = (declares, declares);
                }
            }
            _ => {}
        }
    }
    items.into_iter().zip(kept).filter(|one| one.1).map(|one| one.0).collect()
}

/// The items of a body with accesses brought together.
pub(crate) fn brought_together(items: Vec<Item>) -> Vec<Item> {
    let mut all = Vec::with_capacity(items.len());
    let mut straight = Vec::new();
    for item in without_skips(without_braces(items)) {
        let goes_on = match &item {
            Item::Ins(ins) => joins(ins) || computes(ins),
            item => matches!(item, Item::Location(..)),
        };
        if goes_on {
            straight.push(item);
        } else {
            arrange(std::mem::take(&mut straight), &mut all);
            all.push(item);
        }
    }
    arrange(straight, &mut all);
    all
}

/// Brings the accesses of straight code together.
fn arrange(items: Vec<Item>, into: &mut Vec<Item>) {
    let mut wanted = HashSet::new();
    let mut for_accesses = vec![false; items.len()];
    for (at, item) in items.iter().enumerate().rev() {
        let Item::Ins(ins) = item else { continue };
        if joins(ins) || ins.results().iter().any(|reg| wanted.contains(reg)) {
            for_accesses[at] = true;
            wanted.extend(ins.mentioned());
        }
    }
    let mut rest: VecDeque<Straight> = items.into_iter().zip(for_accesses).collect();
    while !rest.is_empty() {
        stretch(&mut rest, into);
    }
}

/// Takes the accesses of a stretch, and what goes with them. What waits for them is left for the next one.
fn stretch(rest: &mut VecDeque<Straight>, into: &mut Vec<Item>) {
    let mut all = Stretch::default();
    let (mut looked, mut location) = (0, None);
    // How many items stand before the first that waits.
    let mut first = None;
    for (item, for_accesses) in rest.iter() {
        let access = matches!(item, Item::Ins(ins) if joins(ins));
        if all.waits && looked > MOST_ITEMS {
            break;
        }
        match item {
            Item::Ins(ins) if access => {
                let reads = ins.head() == "ld";
                let free = reads || !all.waits || planted(Mistake::OrderOfWaiting);
                let past = free && all.touched.lets_past(ins);
                if !past && !reads {
                    break;
                }
                all.touched.add(ins);
                if past {
                    all.count += 1;
                    all.accesses.push(item.clone());
                } else {
                    // A read may be made behind other reads.
                    first.get_or_insert(looked);
                    all.waits = true;
                    all.behind.extend(location.clone());
                    all.behind.push((item.clone(), true));
                }
            }
            Item::Ins(ins) => {
                if all.count == 0 || *for_accesses && all.touched.lets_past(ins) {
                    all.before.push(item.clone());
                } else {
                    all.touched.add(ins);
                    all.behind.push((item.clone(), *for_accesses));
                }
            }
            // It says where what follows stands.
            _ => {
                location = Some((item.clone(), false));
                let part = if all.count > 0 { &mut all.accesses } else { &mut all.before };
                part.push(item.clone());
            }
        }
        looked += 1;
    }
    if all.count > 1 {
        rest.drain(..looked);
        into.extend(all.before.into_iter().chain(all.accesses));
        if all.waits {
            let behind = all.behind.into_iter().chain(location);
            behind.rev().for_each(|one| rest.push_front(one));
        } else {
            into.extend(all.behind.into_iter().map(|one| one.0));
        }
    } else {
        into.extend(rest.drain(..first.unwrap_or(looked)).map(|one| one.0));
    }
}
