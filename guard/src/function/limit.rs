//! What addresses are compared with: computed once, when a function begins.
//!
//! What can be said of a kernel's parameter as a whole, whoever launches it does: see [`Rewrite::settle`].

use std::collections::{HashMap, HashSet};

use cuscope_ptx_syntax::tree::Space;
use cuscope_ptx_syntax::types::Type;

use super::access::compared_line;
use super::{Rewrite, hidden_at};
use crate::body::Var;
use crate::origin::{Region, Set};
use crate::planted::{Mistake, planted};

/// What a limit is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Extent {
    /// Of the distance from the begin, for accesses that need so many bytes.
    Bytes(u64),
    /// The same where all distances are multiples of the alignment, which is no less than the bytes.
    Aligned(u64),
    /// Of an index, for accesses that need so many bytes from where it is 0, and `most` at most. If all numbers of 64 bits
    /// are allowed, the limit has 64 bits, and otherwise 32.
    Index { bytes: u64, shift: u32, most: u64 },
}

impl Extent {
    /// Whether the limit has 32 bits.
    fn narrow(self) -> bool {
        matches!(self, Extent::Index { most, .. } if most < u64::MAX)
    }

    /// For an index of 32 bits, its shift and the bytes beyond which it does not go.
    fn cap(self) -> Option<(u32, u64)> {
        match self {
            Extent::Index { bytes, shift, most } if most < u64::MAX => {
                Some((shift, (most << shift) + bytes - (1 << shift)))
            }
            _ => None,
        }
    }

    /// The limit of an index for so many bytes, if nothing else bounds it.
    fn reach(self, extent: u64) -> u64 {
        match self {
            Extent::Index { bytes, shift, .. } => {
                (extent + (1 << shift)).saturating_sub(bytes) >> shift
            }
            Extent::Bytes(_) | Extent::Aligned(_) => u64::MAX,
        }
    }
}

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) region: usize,
    pub(super) writes: bool,
    /// Regions whose begin has to be a multiple of `align`.
    pub(super) bases: Set,
    pub(super) align: u32,
    /// Whether the region has to be in global memory, which only a function's caller knows.
    pub(super) global: bool,
    pub(super) extent: Extent,
}

/// Those that a function has, and where the regions begin.
#[derive(Default)]
pub(super) struct Limits {
    known: HashMap<Key, String>,
    /// Those that are no constants, and the registers that get them.
    asked: Vec<(Key, String)>,
    /// Regions whose extents are used for something else, too.
    otherwise: HashSet<usize>,
    bases: HashMap<(usize, bool), String>,
    extents: HashMap<(usize, bool, bool), String>,
    aligned: HashMap<(Set, u32), String>,
}

impl Rewrite<'_> {
    /// A limit: a register of ours, or a constant.
    pub(super) fn limit(&mut self, mut key: Key) -> String {
        if self.function.entry
            || !matches!(self.origins.regions().list[key.region], Region::Param(_))
        {
            key.global = false;
        }
        if planted(Mistake::BaseNotAligned) {
            key.bases = 0;
        }
        if key.bases == 0 {
            key.align = 1;
        }
        if let Some(known) = self.limits.known.get(&key) {
            return known.clone();
        }
        let limit = match self.size_of(key.region, key.writes) {
            Some(size) if key.bases == 0 => constant(size, key.extent).to_string(),
            _ => {
                let own = self.new_name(if key.extent.narrow() { Type::U32 } else { Type::U64 });
                self.limits.asked.push((key, own.clone()));
                own
            }
        };
        self.limits.known.insert(key, limit.clone());
        limit
    }

    /// Computes the limits, all of which are known now.
    pub(super) fn compute(&mut self) {
        for region in 0..self.origins.regions().list.len() {
            self.settle(region);
        }
        for (key, to) in std::mem::take(&mut self.limits.asked) {
            let extent = self.known_extent(key.region, key.writes, key.global);
            let limit = self.computed(key, &extent);
            let bits = if key.extent.narrow() { 32 } else { 64 };
            self.first_line(format!("mov.b{bits} {to}, {limit};"));
        }
    }

    /// Leaves to the launch what all limits of a kernel's parameter have in common: that its begin is aligned, and that no
    /// index of 32 bits goes further than so many bytes. The launch passes extents of 0, or no larger ones.
    fn settle(&mut self, region: usize) {
        let Region::Param(at) = self.origins.regions().list[region] else { return };
        let own = self.limits.asked.iter().map(|(key, _)| *key).filter(|key| key.region == region);
        let own: Vec<Key> = own.collect();
        let &[first, ..] = &own[..] else { return };
        if !self.function.entry || self.limits.otherwise.contains(&region) {
            return;
        }
        let itself = Some(first.bases) == self.origins.regions().bit(Region::Param(at));
        let alike = |one: &Key| (one.bases, one.align) == (first.bases, first.align);
        if itself && (own.iter().all(alike) || planted(Mistake::AlignedAsFirst)) {
            self.used[at].begin = Some(first.align);
        }
        let caps: Option<Vec<(u32, u64)>> = own.iter().map(|key| key.extent.cap()).collect();
        let Some(caps) = caps else { return };
        let (shift, mut cap) = caps[0];
        let of_first = planted(Mistake::CapOfFirst);
        if !of_first {
            cap = caps.iter().map(|one| one.1).fold(cap, u64::max);
        }
        // Each limit has 32 bits then, too.
        let fits = |key: &Key| key.extent.reach(cap) <= u32::MAX.into();
        if caps.iter().all(|one| one.0 == shift) && own.iter().all(fits) || of_first {
            self.used[at].most = Some(cap);
        }
    }

    /// Whether the launch passes what a limit needs, as [`settle`](Self::settle) says: an aligned begin, a small extent.
    fn settled(&self, key: Key) -> (bool, Option<u64>) {
        let Region::Param(at) = self.origins.regions().list[key.region] else {
            return (false, None);
        };
        let itself = Some(key.bases) == self.origins.regions().bit(Region::Param(at));
        (itself && self.used[at].begin.is_some(), self.used[at].most)
    }

    fn computed(&mut self, key: Key, extent: &str) -> String {
        let (aligned, cap) = self.settled(key);
        let (needed, shift, most) = match key.extent {
            Extent::Bytes(bytes) | Extent::Aligned(bytes) => (bytes, 0, u64::MAX),
            Extent::Index { bytes, shift, most } => (bytes, shift, most),
        };
        let mut good = if aligned { None } else { self.aligned(key) };
        let up = u64::from(key.align).checked_sub(needed);
        if let (Extent::Aligned(_), Some(up)) = (key.extent, up) {
            // What is needed ends at a multiple that is not beyond the end, or lies before it: no difference is taken.
            let mut lines = Vec::new();
            let all = self.plus(extent.to_owned(), up as i64, Type::U64, &mut lines);
            lines.iter().for_each(|line| self.first_line(line));
            let limit = self.new_name(Type::U64);
            let whole = if planted(Mistake::LimitNotWhole) { 1 } else { key.align };
            self.first_line(format!("and.b64 {limit}, {all}, -{whole};"));
            return self.if_good(limit, 64, good);
        }
        // So many times does the unit, 1 << shift, fit behind what the first access needs besides a unit.
        let unit = if planted(Mistake::LimitTooLarge) { 2 } else { 1 } << shift;
        let mut limit = extent.to_owned();
        if needed != unit {
            limit = self.new_name(Type::U64);
            let (word, by) =
                if needed < unit { ("add", unit - needed) } else { ("sub", needed - unit) };
            self.first_line(format!("{word}.s64 {limit}, {extent}, {by};"));
        }
        if needed > unit && !planted(Mistake::LimitWraps) {
            let fits = self.new_name(Type::PRED);
            let more = (needed - unit).to_string();
            self.first_line(compared_line("ge.u64", extent, &more, &fits, good.as_deref()));
            good = Some(fits);
        }
        let mut bits = 64;
        if most < u64::MAX {
            // The 32 bits of the quotient, or as many as there may be if it has more.
            let (low, high, more) =
                (self.new_name(Type::U32), self.new_name(Type::U32), self.new_name(Type::PRED));
            self.first_line(format!("mov.b64 {{{low}, {high}}}, {limit};"));
            self.first_line(format!("shf.r.wrap.b32 {low}, {low}, {high}, {shift};"));
            // What no index goes beyond is the largest, if the high word tells.
            let word = 1 << 32;
            let whole = if (most << shift) % word == 0 { most } else { word };
            if cap.is_none() {
                let from = (whole << shift) / word;
                let from = if planted(Mistake::LimitCut) { u32::MAX.into() } else { from };
                self.first_line(format!("setp.ge.u32 {more}, {high}, {from};"));
                self.first_line(format!("selp.b32 {low}, {}, {low}, {more};", most as i32));
            }
            let reach = cap.map_or(whole - 1, |cap| key.extent.reach(cap));
            if most < reach && !planted(Mistake::CapAlone) {
                self.first_line(format!("min.u32 {low}, {low}, {most};"));
            }
            (limit, bits) = (low, 32);
        } else if shift > 0 {
            let all = std::mem::replace(&mut limit, self.new_name(Type::U64));
            self.first_line(format!("shr.u64 {limit}, {all}, {shift};"));
        }
        self.if_good(limit, bits, good)
    }

    /// A limit, or 0 if a predicate does not hold.
    fn if_good(&mut self, limit: String, bits: u32, good: Option<String>) -> String {
        let Some(good) = good else { return limit };
        let own = self.new_name(if bits == 64 { Type::U64 } else { Type::U32 });
        self.first_line(format!("selp.b{bits} {own}, {limit}, 0, {good};"));
        own
    }

    /// A predicate that the begins of a limit's regions are aligned, if any has to be.
    fn aligned(&mut self, key: Key) -> Option<String> {
        if let Some(known) = self.limits.aligned.get(&(key.bases, key.align)) {
            return Some(known.clone());
        }
        let mut all: Option<String> = None;
        for one in self.origins.regions().numbers(key.bases) {
            let base = self.base(one, true);
            let (low, whole) = (self.new_name(Type::B64), self.new_name(Type::PRED));
            self.first_line(format!("and.b64 {low}, {base}, {};", key.align - 1));
            self.first_line(compared_line("eq.u64", &low, "0", &whole, all.as_deref()));
            all = Some(whole);
        }
        if let Some(all) = &all {
            self.limits.aligned.insert((key.bases, key.align), all.clone());
        }
        all
    }

    /// How many bytes of a region may be read or written, if that is a constant.
    fn size_of(&self, region: usize, writes: bool) -> Option<u64> {
        match self.origins.regions().list[region] {
            Region::Param(_) | Region::Workspace => None,
            Region::Variable(var) => {
                let variable = self.declared(var);
                let constant = variable.is_some_and(|one| one.space == Space::Const);
                let more = if planted(Mistake::VariableTooLarge) { 16 } else { 0 };
                let size = variable.and_then(|one| one.size).unwrap_or(0) + more;
                Some(if writes && constant { 0 } else { size })
            }
            Region::Bytes(at) => {
                let size = self.function.params[at].size.unwrap_or(0);
                Some(if writes { 0 } else { size })
            }
            Region::Shared => Some(0),
        }
    }

    /// How many bytes of a region may be read or written, for something else than a limit: a register of ours, or a constant.
    pub(super) fn extent(&mut self, region: usize, writes: bool, global: bool) -> String {
        self.limits.otherwise.insert(region);
        match self.size_of(region, writes) {
            Some(size) => size.to_string(),
            None => self.known_extent(region, writes, global),
        }
    }

    /// The register that tells how many bytes of a region may be read or written.
    fn known_extent(&mut self, region: usize, writes: bool, global: bool) -> String {
        if let Some(known) = self.limits.extents.get(&(region, writes, global)) {
            return known.clone();
        }
        let prefix = self.scene.names.prefix;
        let extent = match self.origins.regions().list[region] {
            Region::Param(at) => {
                let word = if writes { "write" } else { "read" };
                let own = self.new_name(Type::U64);
                if self.function.entry {
                    let from = hidden_at(self.function, at, writes);
                    self.first_line(format!("ld.param.u64 {own}, [{prefix}hidden+{from}];"));
                } else {
                    self.first_line(format!("mov.u64 {own}, {prefix}{word}{at};"));
                }
                if global {
                    let base = self.base(region, true);
                    let there = self.new_name(Type::PRED);
                    self.first_line(format!("isspacep.global {there}, {base};"));
                    self.first_line(format!("selp.b64 {own}, {own}, 0, {there};"));
                }
                own
            }
            // Its size in the first word, and the barrier in the second.
            Region::Workspace => {
                let base = self.base(region, true);
                let (own, none) = (self.new_name(Type::U64), self.new_name(Type::PRED));
                self.first_line(format!("setp.eq.u64 {none}, {base}, 0;"));
                self.first_line(format!("selp.b64 {own}, 0, 8, {none};"));
                own
            }
            // A constant where a base has to be aligned.
            _ => {
                let own = self.new_name(Type::U64);
                let size = self.size_of(region, writes).unwrap_or(0);
                self.first_line(format!("mov.u64 {own}, {size};"));
                own
            }
        };
        self.limits.extents.insert((region, writes, global), extent.clone());
        extent
    }

    /// The address where a region begins, as a generic one or one of its space.
    pub(super) fn base(&mut self, region: usize, generic: bool) -> String {
        if let Some(known) = self.limits.bases.get(&(region, generic)) {
            return known.clone();
        }
        let prefix = self.scene.names.prefix;
        let base = self.new_name(Type::U64);
        let names = &self.scene.names;
        let space = self.origins.regions().spaces[region];
        let mut lines = Vec::new();
        match self.origins.regions().list[region] {
            Region::Param(at) => {
                if self.function.entry {
                    let name = names.var(Var::Param(at));
                    lines.push(format!("ld.param.u64 {base}, [{name}];"));
                } else {
                    lines.push(format!("mov.u64 {base}, {prefix}base{at};"));
                }
                if !generic {
                    lines.push(format!("cvta.to.global.u64 {base}, {base};"));
                }
            }
            Region::Variable(var) => {
                lines.push(format!("mov.u64 {base}, {};", names.var(var)));
                let word = match space {
                    Some(Space::Const) => "const",
                    Some(Space::Local) => "local",
                    _ => "global",
                };
                if generic {
                    lines.push(format!("cvta.{word}.u64 {base}, {base};"));
                }
            }
            Region::Bytes(at) => {
                lines.push(format!("mov.b64 {base}, {};", names.var(Var::Param(at))));
                if generic {
                    lines.push(format!("cvta.param.u64 {base}, {base};"));
                }
            }
            Region::Workspace => {
                let (low, high) = (self.new_name(Type::U32), self.new_name(Type::U32));
                lines.push(format!("mov.u32 {low}, %envreg2;"));
                lines.push(format!("mov.u32 {high}, %envreg1;"));
                lines.push(format!("mov.b64 {base}, {{{low}, {high}}};"));
            }
            Region::Shared => lines.push(format!("mov.u64 {base}, 0;")),
        }
        lines.iter().for_each(|line| self.first_line(line));
        self.limits.bases.insert((region, generic), base.clone());
        base
    }
}

fn constant(size: u64, extent: Extent) -> u64 {
    match extent {
        Extent::Bytes(bytes) | Extent::Aligned(bytes) => {
            size.checked_sub(bytes).map_or(0, |rest| rest + 1)
        }
        Extent::Index { bytes, shift, most } => {
            size.checked_sub(bytes).map_or(0, |rest| ((rest >> shift) + 1).min(most))
        }
    }
}
