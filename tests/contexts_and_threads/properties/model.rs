//! The model: what the stack of one thread holds, and what each step does to it.
//!
//! Unlike the driver, the model knows entries by identity. Where that would make a difference (a known
//! hole of `SOUNDNESS.md`: foreign code takes one of two entries of a context, or pushes again what a
//! level lies on), the step is one that the model does not `allow`.

use std::collections::{BTreeMap, BTreeSet};

/// A context: an index into the thread's table.
pub(crate) type Ctx = usize;
/// The first ones are of all threads, and never end: nobody counts who owns them.
pub(crate) const SHARED: Ctx = 6;
type Id = u64;

/// An entry of the driver's stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    id: Id,
    pub(crate) ctx: Ctx,
    ours: bool,
}

/// A push of the crate that it has not popped: on the stack, unless foreign code took it.
#[derive(Debug)]
struct Push {
    id: Id,
    ctx: Ctx,
    /// The guard was leaked, or dropped where it could not pop.
    dead: bool,
    /// It was dropped: its context is owned until the entry is popped.
    kept: bool,
}

/// A `reentrant` call that runs, or an owned guard that lives.
#[derive(Debug)]
struct Frame {
    number: u64,
    /// The entry of the owned guard.
    owned: Option<Id>,
}

/// An owned guard: where it stands, and what was there before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owned {
    pub(crate) level: StackPos,
    before: StackPos,
    ctx: Ctx,
}

/// Where a stack or guard stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackPos {
    frame: u64,
    depth: usize,
    /// The entry that is current when nothing lies above.
    own: Option<Id>,
    ctx: Option<Ctx>,
}

/// Why a step is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Suspended,
    NotCurrent,
    StackTaken,
    /// The owned guard ended with the call that it was made in.
    Ended,
}
use Refused::*;

/// One thread.
#[derive(Debug, Default)]
pub(crate) struct Model {
    /// The driver's stack, bottom first.
    stack: Vec<Entry>,
    pushes: Vec<Push>,
    /// Those that are open, the oldest first. Those of owned guards close in any order.
    open: Vec<Frame>,
    frames: u64,
    ids: Id,
    taken: bool,
    orphan: Option<StackPos>,
    /// The contexts that stacks and frames found below them.
    found: Vec<Option<Ctx>>,
    /// How often each context is owned.
    owners: BTreeMap<Ctx, usize>,
    /// Contexts of pushes that were taken for gone: they may be there all the same.
    stay: BTreeSet<Ctx>,
    /// Contexts that lost their last owner while they were on the stack, by the record.
    immortal: BTreeSet<Ctx>,
    /// How many errors went to the hook.
    pub(crate) reports: usize,
    /// How many entries of dead guards were popped, and found to be gone.
    pub(crate) leaked_popped: usize,
    pub(crate) found_gone: usize,
    /// A forbidden state that was reached. No panic: the model is also asked on unwinding.
    pub(crate) broken: Option<&'static str>,
}

impl Model {
    pub(crate) fn current(&self) -> Option<Ctx> {
        self.stack.last().map(|entry| entry.ctx)
    }

    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Whether the crate's record holds anything.
    pub(crate) fn remembers(&self) -> bool {
        !self.pushes.is_empty() || self.orphan.is_some() || self.taken || !self.open.is_empty()
    }

    /// Whether foreign code pushed the top.
    pub(crate) fn foreign_is_current(&self) -> bool {
        self.stack.last().is_some_and(|entry| !entry.ours)
    }

    fn top(&self) -> Option<Id> {
        self.stack.last().map(|entry| entry.id)
    }

    /// Returns the context below the top.
    fn below(&self) -> Option<Ctx> {
        Some(self.stack.iter().rev().nth(1)?.ctx)
    }

    fn put(&mut self, ctx: Ctx, ours: bool) -> Id {
        self.ids += 1;
        self.stack.push(Entry { id: self.ids, ctx, ours });
        self.ids
    }

    /// The context of a guard.
    pub(crate) fn context(&self, level: StackPos) -> Option<Ctx> {
        level.ctx
    }

    // Owners of contexts.

    pub(crate) fn own(&mut self, ctx: Ctx) {
        if ctx >= SHARED {
            *self.owners.entry(ctx).or_default() += 1;
        }
    }

    pub(crate) fn disown(&mut self, ctx: Ctx) {
        if ctx >= SHARED {
            match self.owners.get_mut(&ctx) {
                Some(owners) if *owners > 0 => {
                    *owners -= 1;
                    if *owners == 0 && self.must_stay(ctx) {
                        self.immortal.insert(ctx);
                    }
                }
                _ => self.broken = Some("a context lost an owner that it did not have"),
            }
        }
    }

    /// How many of the thread's own contexts are alive.
    pub(crate) fn alive(&self) -> usize {
        self.owners.values().filter(|owners| **owners > 0).count() + self.immortal.len()
    }

    /// One of these.
    pub(crate) fn first_alive(&self) -> Option<Ctx> {
        let owned = self.owners.iter().filter(|(_, owners)| **owners > 0).map(|(ctx, _)| *ctx);
        owned.chain(self.immortal.iter().copied()).next()
    }

    /// Whether its last owner must not end it.
    pub(crate) fn must_stay(&self, ctx: Ctx) -> bool {
        self.pushes_of(ctx) > 0 || self.stay.contains(&ctx)
    }

    pub(crate) fn owners(&self, ctx: Ctx) -> usize {
        self.owners.get(&ctx).copied().unwrap_or(0)
    }

    // The crate.

    fn here(&self) -> StackPos {
        let (own, ctx) = (self.top(), self.current());
        StackPos { frame: self.newest(), depth: self.pushes.len(), own, ctx }
    }

    /// The number of the youngest frame.
    fn newest(&self) -> u64 {
        self.open.last().map_or(0, |frame| frame.number)
    }

    /// Pops the entries above `level`, whose owners are dead.
    fn pop_leaked(&mut self, level: StackPos) -> Result<(), Refused> {
        if self.newest() > level.frame || self.pushes.len() < level.depth {
            return Err(Suspended);
        }
        while self.pushes.len() > level.depth {
            let last = self.pushes.last().expect("deeper than a level");
            let (dead, kept, ctx) = (last.dead, last.kept, last.ctx);
            if !dead {
                self.broken = Some("a live guard lost its entry");
            }
            if self.top() == Some(last.id) {
                self.stack.pop();
                self.leaked_popped += 1;
            } else if self.top() == level.own && self.below() != Some(ctx) {
                self.found_gone += 1; // foreign code took it
                self.stay.insert(ctx);
            } else {
                return Err(NotCurrent);
            }
            self.pushes.pop();
            if kept {
                self.disown(ctx);
            }
        }
        Ok(())
    }

    /// Whether a push first looks below an entry that is not the crate's last one.
    pub(crate) fn looks_below(&self, level: StackPos) -> bool {
        let above = self.pushes.get(level.depth..).unwrap_or_default();
        above.iter().rev().zip(self.stack.iter().rev()).any(|(push, entry)| push.id != entry.id)
            || above.len() > self.stack.len()
    }

    /// Prepares a push. It goes on above entries that foreign code covers or replaced.
    pub(crate) fn settle(&mut self, level: StackPos) -> Result<(), Refused> {
        match self.pop_leaked(level) {
            Err(NotCurrent) => Ok(()),
            settled => settled,
        }
    }

    pub(crate) fn take(&mut self) -> Result<StackPos, Refused> {
        if self.taken || !self.open.is_empty() {
            return Err(StackTaken);
        }
        let _ = self.settle_orphan();
        self.taken = true;
        self.found.push(self.current());
        Ok(self.here())
    }

    pub(crate) fn give_back(&mut self, level: StackPos) {
        self.taken = false;
        self.orphan = self.orphan.or(Some(level));
        self.reports += usize::from(self.settle_orphan() == Err(NotCurrent));
    }

    fn settle_orphan(&mut self) -> Result<(), Refused> {
        if let Some(orphan) = self.orphan.filter(|_| !self.taken) {
            self.pop_leaked(orphan)?;
            self.orphan = None;
        }
        Ok(())
    }

    pub(crate) fn push(&mut self, level: StackPos, ctx: Ctx) -> Result<StackPos, Refused> {
        self.settle(level)?;
        let id = self.put(ctx, true);
        self.pushes.push(Push { id, ctx, dead: false, kept: false });
        Ok(StackPos { depth: self.pushes.len(), own: Some(id), ctx: Some(ctx), ..level })
    }

    pub(crate) fn pop(&mut self, level: StackPos) -> Result<(), Refused> {
        let leaked_popped = self.pop_leaked(level);
        if leaked_popped.is_ok() && self.top() == level.own {
            self.stack.pop();
            self.pushes.pop();
            return Ok(());
        }
        self.leak(level);
        if let Some(push) = self.pushes.iter_mut().find(|push| Some(push.id) == level.own) {
            push.kept = true;
            let ctx = push.ctx;
            self.own(ctx);
        }
        Err(leaked_popped.err().unwrap_or(NotCurrent))
    }

    pub(crate) fn drop_guard(&mut self, level: StackPos) {
        self.reports += usize::from(self.pop(level).is_err());
    }

    /// The guard is gone and has not popped.
    pub(crate) fn leak(&mut self, level: StackPos) {
        self.bury(level.own);
    }

    fn bury(&mut self, own: Option<Id>) {
        if let Some(push) = self.pushes.iter_mut().find(|push| Some(push.id) == own) {
            push.dead = true;
        }
    }

    /// A call that acts on the current context.
    pub(crate) fn enter(&mut self, level: StackPos) -> Result<(), Refused> {
        if self.current() != level.ctx {
            self.pop_leaked(level)?;
        }
        if self.current() == level.ctx { Ok(()) } else { Err(NotCurrent) }
    }

    /// Begins a `reentrant` call: the level before it, and that of the stack that it lends.
    pub(crate) fn open(&mut self) -> (StackPos, StackPos) {
        let before = self.here();
        self.frames += 1;
        self.open.push(Frame { number: self.frames, owned: None });
        self.found.push(self.current());
        (before, StackPos { frame: self.frames, ..before })
    }

    pub(crate) fn close(&mut self, before: StackPos, base: StackPos) {
        // Owned guards that were made inside end.
        let at = self.open.iter().position(|frame| frame.number == base.frame);
        let inside = self.open.split_off(at.expect("the frame is open") + 1);
        inside.iter().filter_map(|frame| frame.owned).for_each(|id| self.bury(Some(id)));
        let leaked_popped = self.pop_leaked(base);
        self.close_frame(before, base.frame, leaked_popped);
        let orphan = self.settle_orphan();
        self.reports += usize::from(leaked_popped.is_err() || orphan == Err(NotCurrent));
    }

    /// What a frame could not pop is left to an older one, or to the stack, or else to whoever comes next.
    fn close_frame(&mut self, before: StackPos, number: u64, popped: Result<(), Refused>) {
        self.open.retain(|frame| frame.number != number);
        let older = self.open.iter().any(|frame| frame.number < number);
        if popped.is_err() && !older && !self.taken {
            self.orphan = self.orphan.or(Some(before));
        }
    }

    // Owned guards.

    pub(crate) fn push_owned(&mut self, ctx: Ctx) -> Owned {
        let (before, base) = self.open();
        let level = self.push(base, ctx).expect("nothing lies above");
        self.open.last_mut().expect("it was opened above").owned = level.own;
        self.own(ctx);
        Owned { level, before, ctx }
    }

    /// A use of an owned guard.
    pub(crate) fn with_owned(&self, owned: Owned) -> Result<StackPos, Refused> {
        let lives = self.open.iter().any(|frame| frame.number == owned.level.frame);
        if lives { Ok(owned.level) } else { Err(Ended) }
    }

    /// Whether a younger frame suspends it.
    pub(crate) fn is_covered(&self, owned: Owned) -> bool {
        self.newest() > owned.level.frame
    }

    /// What is left of others below does not make it fail, unless foreign code is there.
    pub(crate) fn pop_owned(&mut self, owned: Owned) -> Result<(), Refused> {
        let popped = self.end_owned(owned);
        self.disown(owned.ctx);
        popped
    }

    fn end_owned(&mut self, owned: Owned) -> Result<(), Refused> {
        let popped = self.with_owned(owned).and_then(|level| self.pop(level));
        if popped == Err(Ended) {
            return popped;
        }
        self.close_frame(owned.before, owned.level.frame, popped);
        match self.settle_orphan() {
            Err(NotCurrent) => popped.and(Err(NotCurrent)),
            _ => popped,
        }
    }

    pub(crate) fn drop_owned(&mut self, owned: Owned) {
        let failed = matches!(self.pop_owned(owned), Err(Suspended | NotCurrent));
        self.reports += usize::from(failed);
    }

    // Foreign code.

    /// Whether foreign code took the entry.
    fn gone(&self, push: &Push) -> bool {
        !self.stack.iter().any(|entry| entry.id == push.id)
    }

    fn pushes_of(&self, ctx: Ctx) -> usize {
        self.pushes.iter().filter(|push| push.ctx == ctx).count()
    }

    /// Whether pushing `ctx` leaves the entries of the record told apart by their contexts.
    pub(crate) fn may_push(&self, ctx: Ctx) -> bool {
        !self.pushes.iter().any(|push| push.ctx == ctx && self.gone(push))
    }

    /// Whether foreign code may push any context for a moment: nothing is left that a look at the
    /// current context could take for it.
    pub(crate) fn foreign_may_call(&self) -> bool {
        self.pushes.iter().all(|push| !push.dead)
    }

    /// As [`may_push`](Self::may_push), for foreign code and a context that only it pushes.
    pub(crate) fn foreign_may_push(&self, ctx: Ctx) -> bool {
        !self.stack.iter().any(|entry| entry.ctx == ctx) && !self.found.contains(&Some(ctx))
    }

    /// Whether foreign code may take the top away: as for [`may_push`](Self::may_push).
    pub(crate) fn foreign_may_pop(&self) -> bool {
        let Some((top, below)) = self.stack.split_last() else { return false };
        if !top.ours && !self.pushes.iter().any(|push| self.gone(push)) {
            return true;
        }
        let told_apart = |entry: &Entry| !entry.ours || self.pushes_of(entry.ctx) == 1;
        told_apart(top) && below.last().is_none_or(told_apart)
    }

    pub(crate) fn foreign_push(&mut self, ctx: Ctx) {
        self.put(ctx, false);
    }

    pub(crate) fn foreign_pop(&mut self) -> Option<Entry> {
        self.stack.pop()
    }

    /// Foreign code puts back what it took.
    pub(crate) fn foreign_restore(&mut self, entry: Entry) {
        self.stack.push(entry);
    }
}
