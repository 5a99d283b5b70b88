//! The paths through a function: which instructions come before others on every path, and which registers may be read
//! before they are written.

use crate::body::{Arg, Body, Ins, Item, Reason};
use crate::planted::{Mistake, planted};

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(count: usize, all: bool) -> Self {
        Self(vec![if all { u64::MAX } else { 0 }; count.div_ceil(64)])
    }

    fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn has(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    fn keep(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(one, other)| *one &= other);
    }
}

/// The definitions of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defined {
    Never,
    /// Once, without a predicate, by the item of this number.
    Once(usize),
    Otherwise,
}

/// What is known of the paths.
pub(crate) struct Flow {
    /// The block of each item.
    block: Vec<usize>,
    /// The blocks that may follow each block.
    after: Vec<Vec<usize>>,
    /// The block that every path to a block went through last; none for the first and for those without a path.
    above: Vec<Option<usize>>,
    /// How many blocks are above each; none if no path leads to it.
    depth: Vec<Option<usize>>,
    defined: Vec<Defined>,
    /// Registers that a path reads before it writes them.
    pub(crate) unwritten: Vec<usize>,
}

/// Whether control may go on behind an instruction, and to which labels it may go.
fn leads(ins: &Ins) -> (bool, bool) {
    let predicated = ins.guard.is_some();
    match ins.head() {
        "bra" | "brx" => (predicated, true),
        "ret" | "exit" | "trap" => (predicated, false),
        _ => (true, false),
    }
}

impl Flow {
    pub(crate) fn new(body: &Body<'_>) -> Result<Self, Reason> {
        let items = &body.items;
        // Blocks begin at labels and behind what leads elsewhere.
        let mut block = Vec::with_capacity(items.len());
        let mut starts = vec![0];
        let mut fresh = false;
        let mut at_label = vec![None; body.labels];
        let mut lists = vec![Vec::new(); body.labels];
        for (at, item) in items.iter().enumerate() {
            if fresh || (matches!(item, Item::Label(_)) && at > 0) {
                starts.push(at);
            }
            let here = starts.len() - 1;
            block.push(here);
            fresh = false;
            match item {
                Item::Label(label) => at_label[*label] = Some(here),
                Item::Targets(list, labels) => lists[*list].clone_from(labels),
                Item::Ins(ins) => {
                    let ends = matches!(ins.head(), "ret" | "exit" | "trap");
                    fresh =
                        leads(ins) != (true, false) || ends && !planted(Mistake::TogetherOverEnds);
                }
                _ => {}
            }
        }
        let count = starts.len();
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
        for here in 0..count {
            let end = starts.get(here + 1).copied().unwrap_or(items.len());
            let last = items[starts[here]..end].last();
            let (mut on, mut to) = (true, Vec::new());
            if let Some(Item::Ins(ins)) = last {
                let (next, branches) = leads(ins);
                on = next;
                if branches {
                    let target = ins.args.last();
                    match target {
                        Some(Arg::Label(label)) => to.push(*label),
                        Some(Arg::Targets(list)) => to.clone_from(&lists[*list]),
                        _ => return Err(Reason::new(ins.line, "a branch to what is no label")),
                    }
                    for label in to {
                        let Some(target) = at_label[label] else {
                            return Err(Reason::new(ins.line, "a branch to what is no label"));
                        };
                        after[here].push(target);
                    }
                }
            }
            if on && here + 1 < count {
                after[here].push(here + 1);
            }
        }
        let (above, depth, order) = dominators(&after);
        let mut defined = vec![Defined::Never; body.registers.len()];
        // Formal parameters are written by the caller.
        for &reg in body.formals.values() {
            defined[reg] = Defined::Otherwise;
        }
        for (at, item) in items.iter().enumerate() {
            let Item::Ins(ins) = item else { continue };
            for reg in ins.results() {
                let whole = ins.guard.is_none() || planted(Mistake::PredicatedDefinition);
                let once = whole && defined[reg] == Defined::Never;
                defined[reg] = if once { Defined::Once(at) } else { Defined::Otherwise };
            }
        }
        let unwritten = unwritten(body, &starts, &after, &order);
        Ok(Self { block, after, above, depth, defined, unwritten })
    }

    /// For each item whether it is in the block of one of these, or may run after one.
    pub(crate) fn reached(&self, from: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut next: Vec<usize> = from.into_iter().map(|at| self.block[at]).collect();
        let mut blocks = vec![false; self.after.len()];
        while let Some(block) = next.pop() {
            if !std::mem::replace(&mut blocks[block], true) && !planted(Mistake::FailureEndsInBlock)
            {
                next.extend(&self.after[block]);
            }
        }
        self.block.iter().map(|&block| blocks[block]).collect()
    }

    /// The item that alone writes a register, without a predicate.
    pub(crate) fn definition(&self, reg: usize) -> Option<usize> {
        match self.defined[reg] {
            Defined::Once(at) => Some(at),
            _ => None,
        }
    }

    /// Whether control goes from item `a` to item `b`, which comes later, and reaches `b` from nowhere else.
    pub(crate) fn together(&self, a: usize, b: usize) -> bool {
        self.block[a] == self.block[b]
    }

    /// Whether every path to item `b` went through item `a` before.
    pub(crate) fn dominates(&self, a: usize, b: usize) -> bool {
        if planted(Mistake::NotDominated) {
            return true;
        }
        let (from, mut to) = (self.block[a], self.block[b]);
        if from == to {
            return a < b && self.depth[from].is_some();
        }
        let (Some(high), Some(mut low)) = (self.depth[from], self.depth[to]) else {
            return false;
        };
        while low > high {
            let Some(next) = self.above[to] else { return false };
            to = next;
            low -= 1;
        }
        to == from
    }
}

/// For each block: the one above it, how many are above it, and an order in which those above come first.
#[allow(clippy::type_complexity, reason = "three answers of one walk")]
fn dominators(after: &[Vec<usize>]) -> (Vec<Option<usize>>, Vec<Option<usize>>, Vec<usize>) {
    let count = after.len();
    // Depth first, without recursion: the text chooses how deep it goes.
    let mut order = Vec::new();
    let mut seen = vec![false; count];
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((here, next)) = stack.pop() {
        if let Some(&to) = after[here].get(next) {
            stack.push((here, next + 1));
            if !seen[to] {
                seen[to] = true;
                stack.push((to, 0));
            }
        } else {
            order.push(here);
        }
    }
    order.reverse();
    let mut number = vec![usize::MAX; count];
    for (at, &here) in order.iter().enumerate() {
        number[here] = at;
    }
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (here, to) in after.iter().enumerate() {
        if seen[here] {
            to.iter().for_each(|&to| before[to].push(here));
        }
    }
    let mut above: Vec<Option<usize>> = vec![None; count];
    let mut changed = true;
    while changed {
        changed = false;
        for &here in order.iter().skip(1) {
            let mut best: Option<usize> = None;
            for &from in &before[here] {
                if from != 0 && above[from].is_none() {
                    continue;
                }
                best = Some(match best {
                    None => from,
                    Some(mut a) => {
                        let mut b = from;
                        while a != b {
                            while number[a] > number[b] {
                                a = above[a].unwrap_or(0);
                            }
                            while number[b] > number[a] {
                                b = above[b].unwrap_or(0);
                            }
                        }
                        a
                    }
                });
            }
            if above[here] != best {
                above[here] = best;
                changed = true;
            }
        }
    }
    let mut depth = vec![None; count];
    depth[0] = Some(0);
    for &here in order.iter().skip(1) {
        depth[here] = above[here].and_then(|up| depth[up]).map(|depth: usize| depth + 1);
    }
    above[0] = None;
    (above, depth, order)
}

/// Registers that some path reads before it writes them.
fn unwritten(
    body: &Body<'_>,
    starts: &[usize],
    after: &[Vec<usize>],
    order: &[usize],
) -> Vec<usize> {
    let count = body.registers.len();
    let mut reached: Vec<Option<Bits>> = vec![None; starts.len()];
    let mut first = Bits::new(count, false);
    body.formals.values().for_each(|&reg| first.insert(reg));
    reached[0] = Some(first);
    let mut found = Bits::new(count, false);
    let items = |here: usize| {
        let end = starts.get(here + 1).copied().unwrap_or(body.items.len());
        &body.items[starts[here]..end]
    };
    let mut changed = true;
    while changed {
        changed = false;
        for &here in order {
            let Some(mut written) = reached[here].clone() else { continue };
            for item in items(here) {
                let Item::Ins(ins) = item else { continue };
                if ins.guard.is_none() {
                    ins.results().into_iter().for_each(|reg| written.insert(reg));
                }
            }
            for &to in &after[here] {
                match &mut reached[to] {
                    Some(there) => {
                        let old = there.clone();
                        there.keep(&written);
                        changed |= old != *there;
                    }
                    none => {
                        *none = Some(written.clone());
                        changed = true;
                    }
                }
            }
        }
    }
    for &here in order {
        let Some(mut written) = reached[here].clone() else { continue };
        for item in items(here) {
            let Item::Ins(ins) = item else { continue };
            // What an instruction only writes is read nowhere by it, unless it keeps its old value.
            let results = ins.results();
            let writes = ins.guard.is_none();
            for reg in ins.mentioned() {
                let only = writes && results.contains(&reg) && !reads(ins, reg);
                if !written.has(reg) && !only {
                    found.insert(reg);
                }
            }
            if writes {
                results.into_iter().for_each(|reg| written.insert(reg));
            }
        }
    }
    (0..count).filter(|&reg| found.has(reg)).collect()
}

/// Whether an instruction reads a register, besides what its first operand says.
fn reads(ins: &Ins, reg: usize) -> bool {
    let rest = Ins { args: ins.args.get(1..).unwrap_or_default().to_vec(), ..ins.clone() };
    rest.mentioned().contains(&reg)
        || matches!(ins.head(), "wgmma" | "bar" | "barrier" | "nanosleep" | "brx" | "setmaxnreg")
}
