//! The order of the operations on a scope's streams (invariant
//! [`scope-ordered`](crate::soundness#scope-ordered)).
//!
//! Each buffer and each staged slice is [`Tracked`]: its last write and the reads since, each an [`Op`], which
//! is a position in a stream. A use on another stream waits for an event after the earlier use. That event is
//! recorded as late as possible while it is still exact: when something waits for the operation, or when its
//! stream goes on to the next operation while this one is still the last use of something. A stream does not
//! wait again for work that it already runs behind, also through a third stream.
//!
//! While a scope has one stream there are no events, and a use leaves nothing but the note that there was one.
//! The [`FastPath`] alone handles an operation that uses its memory as it was used before, and the operation
//! then costs what it costs in C. A second stream treats everything that the first one did as one operation.
//!
//! The streams may belong to several contexts. The event after an operation belongs to the context of its stream
//! ([F36](crate::driver_facts#F36)).
#![allow(unsafe_code, reason = "calls the driver")]

use super::order_events::OrderEvents;
use super::scratch::Scratch;
use crate::call::{Later, answer, fault, later, name};
use crate::context::Context;
use crate::context::wait::{wait, wait_for_all, wait_for_memory};
use crate::driver::release::{drop_contained, report_drop};
use crate::error::Result;
use crate::memory::access::Access;
use crate::memory::uses::{FastPath, Op, OrderEvent, Tracked};
use crate::memory::watch::Watch;
use crate::registry::LentHost;
use crate::stream::host_function::{Panic, Pending, first};
use ffi::{CUevent, CUstream};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The streams of a scope, and what it keeps until it is closed.
pub(crate) struct Order {
    /// Open until there is a second stream, or one of another context.
    fast_path: FastPath,
    /// The fast path for streams of other contexts.
    shut: FastPath,
    /// The first stream.
    first: Cell<Option<CUstream>>,
    /// Whether host memory was lent.
    host: Cell<bool>,
    /// Whether a fault was reported before. The driver then accepts nothing any more
    /// ([F60](crate::driver_facts#F60)).
    behind_fault: bool,
    /// The number of pieces of memory that were used while there was no second stream, and not since.
    alone: Cell<usize>,
    /// Where its guarded kernels note failures.
    watch: Watch,
    more: OnceCell<Box<More>>,
}

/// The parts that a scope with one stream usually does not need.
#[derive(Default)]
struct More {
    /// The state of several streams, once there are several.
    state: OnceCell<RefCell<State>>,
    /// Host functions.
    calls: RefCell<Vec<Box<dyn Pending>>>,
    /// Memory that the scope allocated.
    scratch: Scratch,
    /// Whether host memory was lent to a copy with an array.
    arrays: Cell<bool>,
}

#[derive(Default)]
struct State {
    lanes: Vec<Lane>,
    /// Everything that the first stream did while it was alone.
    alone: Option<Rc<Op>>,
    events: OrderEvents,
}

/// One stream.
struct Lane {
    stream: CUstream,
    context: Context,
    /// The number of operations that were enqueued.
    last: u64,
    /// The last of them, if it is tracked. An older operation that is still the last use of something has its
    /// event.
    newest: Option<Rc<Op>>,
    /// For each stream, the operation that everything new here runs behind.
    behind: Vec<u64>,
}

impl Lane {
    #[inline]
    fn new(stream: CUstream, context: &Context) -> Lane {
        let context = context.clone();
        Lane { stream, context, last: 0, newest: None, behind: Vec::new() }
    }

    /// Makes later work here wait for an event of another stream. It then runs behind everything that the event
    /// covers, and behind everything that was waited for there.
    #[inline]
    fn wait(&mut self, event: CUevent, other: usize, order_event: &OrderEvent) -> Result {
        // SAFETY: both handles are alive. They may belong to two contexts, and none need be current (F36).
        unsafe { answer!(cuStreamWaitEvent(self.stream, event, 0)) }.check()?;
        self.is_behind(other, order_event.covers());
        order_event
            .behind()
            .iter()
            .enumerate()
            .for_each(|(index, &covers)| self.is_behind(index, covers));
        Ok(())
    }

    #[inline]
    fn is_behind(&mut self, index: usize, covers: u64) {
        self.behind.resize(self.behind.len().max(index + 1), 0);
        self.behind[index] = self.behind[index].max(covers);
    }
}

impl Order {
    /// Creates the order for streams of this context.
    #[inline]
    pub(crate) fn new(context: &Context) -> Order {
        let (host, first, alone, more) = Default::default();
        let behind_fault = fault::is_seen();
        let (fast_path, shut) = (FastPath::new(context), FastPath::shut());
        let watch = Watch::default();
        Order { fast_path, shut, host, behind_fault, first, alone, watch, more }
    }

    /// Notes that host memory is lent, which may be page-locked.
    #[inline]
    pub(super) fn lend_host(&self) {
        self.host.set(true);
    }

    /// Notes that it is lent to a copy with this memory of the device, if that is an array.
    #[inline(always)]
    pub(super) fn lend_to_array(&self, device: &Access<'_>) {
        if device.is_array() {
            self.more().arrays.set(true);
        }
    }

    /// Returns the host memory that was lent.
    #[inline(never)]
    fn lent(&self) -> LentHost {
        let arrays = self.more.get().is_some_and(|more| more.arrays.get());
        if arrays { LentHost::AS_LOCKED } else { LentHost::ANY }
    }

    /// Returns the index of a stream of this context, always the same for a stream. While the fast path is open, the
    /// context is the scope's.
    #[inline]
    pub(crate) fn index(&self, stream: CUstream, context: &Context) -> usize {
        match self.first.get() {
            None if self.fast_path.is_open() => self.first.set(Some(stream)),
            Some(first) if first == stream => {}
            _ => return self.another_stream(stream, context),
        }
        0
    }

    #[cold]
    #[inline]
    fn another_stream(&self, stream: CUstream, context: &Context) -> usize {
        self.shut_fast_path(context);
        let lanes = &mut self.state().borrow_mut().lanes;
        lanes.iter().position(|lane| lane.stream == stream).unwrap_or_else(|| {
            lanes.push(Lane::new(stream, context));
            lanes.len() - 1
        })
    }

    /// From now on, operations are ordered by lanes, and compare contexts one by one. `context` is the scope's if the
    /// fast path was open.
    #[inline]
    pub(super) fn shut_fast_path(&self, context: &Context) {
        if !self.fast_path.is_open() {
            return;
        }
        self.fast_path.shut_it();
        let mut state = self.state().borrow_mut();
        if let Some(first) = self.first.get() {
            let op = Op::node(0);
            let newest = Some(op.clone());
            state.lanes.push(Lane { last: 1, newest, ..Lane::new(first, context) });
            state.alone = Some(op);
        }
    }

    #[inline]
    fn more(&self) -> &More {
        self.more.get_or_init(Box::default)
    }

    /// Returns where its guarded kernels note failures.
    #[inline]
    pub(super) fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Returns the state of several streams, if there are several.
    #[inline]
    fn several(&self) -> Option<&RefCell<State>> {
        self.more.get()?.state.get()
    }

    /// Returns the state of several streams.
    #[inline]
    fn state(&self) -> &RefCell<State> {
        self.more().state.get_or_init(RefCell::default)
    }

    /// Returns the fast path that the streams of the scope compare.
    #[inline]
    pub(super) fn fast_path(&self) -> &FastPath {
        &self.fast_path
    }

    /// Returns the fast path that a stream of another context compares, never with success.
    #[inline]
    pub(super) fn shut(&self) -> &FastPath {
        &self.shut
    }

    /// Orders an operation after the earlier uses of its memory and notes it. The caller enqueues it in the
    /// stream at once. While the fast path is open, the memory belongs to the scope's context.
    ///
    /// Not needed while the fast path is open and each use was noted.
    ///
    /// # Errors
    /// A driver error; if an event has to be created, those of a push. The operation must not be enqueued then.
    #[inline]
    pub(super) fn prepare(&self, index: usize, accesses: &[Access<'_>]) -> Result {
        if !self.fast_path.is_open() {
            return self.prepare_one_of_several(index, accesses);
        }
        for (tracked, writes) in Access::tracked(accesses) {
            let first = tracked.note(writes, &self.fast_path);
            self.alone.set(self.alone.get() + usize::from(first));
        }
        Ok(())
    }

    /// Apart, so that work in one stream is enqueued quickly.
    #[cold]
    #[inline]
    fn prepare_one_of_several(&self, index: usize, accesses: &[Access<'_>]) -> Result {
        let mut state = self.state().borrow_mut();
        for (tracked, writes) in Access::tracked(accesses) {
            self.remember(&state, tracked);
            let order = |earlier: &Rc<Op>| state.order(index, earlier);
            tracked.each_before(writes, order)?;
        }
        state.advance(index, accesses, self.alone.get() > 0)
    }

    /// Orders the free of memory, in a stream, after the uses of all its parts, and forgets these. The caller
    /// enqueues the free at once.
    ///
    /// # Errors
    /// The errors of [`prepare`](Self::prepare). The memory may then be in use until the scope has waited.
    #[inline]
    pub(super) fn prepare_free(&self, index: usize, uses: Vec<Tracked>, last: Tracked) -> Result {
        if self.fast_path.is_open() {
            // Later work in the one stream comes after them.
            for tracked in uses.iter().chain([&last]) {
                self.take(tracked);
            }
            return Ok(());
        }
        let mut state = self.state().borrow_mut();
        for tracked in uses.into_iter().chain([last]) {
            self.remember(&state, &tracked);
            tracked.each_before(true, |earlier| state.order(index, earlier))?;
        }
        state.advance(index, &[], self.alone.get() > 0)
    }

    /// Forgets a use by the one stream. Returns whether it wrote, if there was one.
    #[inline]
    fn take(&self, tracked: &Tracked) -> Option<bool> {
        let written = tracked.take()?;
        self.alone.set(self.alone.get().saturating_sub(1));
        Some(written)
    }

    /// Notes a use that the first stream made while it was alone, with its kind.
    #[inline]
    fn remember(&self, state: &State, tracked: &Tracked) {
        if let (Some(written), Some(op)) = (self.take(tracked), &state.alone) {
            tracked.note_op(op, written);
        }
    }

    /// Makes later work in the stream `to` run behind everything in `from`. Under a capture this draws `to`
    /// into it ([F106](crate::driver_facts#F106)).
    ///
    /// # Errors
    /// A driver error; if an event has to be created, those of a push.
    #[inline]
    pub(crate) fn join(&self, to: usize, from: usize) -> Result {
        self.state().borrow_mut().join(to, from)
    }

    /// Returns the number of streams.
    #[inline]
    pub(crate) fn streams(&self) -> usize {
        let several = self.several().map(|state| state.borrow().lanes.len());
        several.unwrap_or(usize::from(self.first.get().is_some()))
    }

    /// Blocks until no noted use touches the memory any more, and forgets the uses.
    ///
    /// # Errors
    /// A driver error: the memory may then be in use.
    #[inline]
    pub(super) fn wait_for(&self, tracked: &mut Tracked) -> Result {
        let Some(state) = self.several() else {
            if let (true, Some(first)) = (tracked.was_used(), self.first.get()) {
                // SAFETY: as below.
                wait(unsafe { later!(cuStreamSynchronize(first)) })?;
                self.alone.set(self.alone.get().saturating_sub(1));
                *tracked = Tracked::default();
            }
            return Ok(());
        };
        let state = state.borrow();
        self.remember(&state, tracked);
        tracked.each_before(true, |op| match op.order_event.get() {
            Some(order_event) => {
                let event = state.events.event(order_event);
                // SAFETY: the event is alive; needs no current context (F37).
                wait(unsafe { later!(cuEventSynchronize(event)) })
            }
            None => {
                let stream = state.lanes[op.index].stream;
                // SAFETY: the stream is borrowed for the scope; needs no current context (F37).
                wait(unsafe { later!(cuStreamSynchronize(stream)) })
            }
        })?;
        *tracked = Tracked::default();
        Ok(())
    }

    /// Keeps a host function until the scope is closed.
    #[inline]
    pub(super) fn keep_call(&self, call: Box<dyn Pending>) {
        self.more().calls.borrow_mut().push(call);
    }

    /// Returns the scratch memory.
    #[inline]
    pub(super) fn scratch(&self) -> &Scratch {
        &self.more().scratch
    }

    /// Ends the host functions once all streams have been waited for, and frees the scratch memory that is left.
    /// Returns the first panic.
    #[inline]
    pub(super) fn end_rest(&self) -> Option<Panic> {
        self.more.get()?.end()
    }

    /// Ends a scope whose closure panics: waits, and ends the host functions. The panic of the closure
    /// continues.
    #[cold]
    #[inline]
    pub(super) fn abandon(&self, context: &Context) {
        if let Err(error) = self.finish(context) {
            report_drop(error);
        }
        // Not left to come up in a later replay.
        drop_contained(self.end_rest());
    }

    /// Waits for all streams. When this returns, nothing of the scope is in flight.
    ///
    /// # Errors
    /// The error of the first stream that has one.
    #[inline]
    pub(super) fn finish(&self, context: &Context) -> Result {
        self.wait_for_streams(context)?;
        self.watch.look()
    }

    #[inline]
    fn wait_for_streams(&self, context: &Context) -> Result {
        let wait = |stream| {
            // SAFETY: the stream is borrowed for the scope, which ends after this; needs no current context (F37).
            let make = move || unsafe { ffi::cuStreamSynchronize(stream) };
            Later { call: name!(cuStreamSynchronize), make }
        };
        let lent = self.host.get() && !self.behind_fault;
        let (key, host) = (context.key(), if lent { self.lent() } else { LentHost::NONE });
        let Some(state) = self.several() else {
            let Some(first) = self.first.get() else { return Ok(()) };
            return wait_for_memory(wait(first), key, host);
        };
        wait_for_all(state.borrow().lanes.iter().map(|lane| wait(lane.stream)), key, host)
    }
}

impl More {
    #[cold]
    #[inline]
    fn end(&self) -> Option<Panic> {
        self.scratch.free_rest();
        // Each is ended, whatever the others did.
        first(&mut self.calls.take().iter().map(|call| call.end()))
    }
}

impl State {
    /// Makes later work in a stream run after an operation.
    #[inline]
    fn order(&mut self, index: usize, earlier: &Op) -> Result {
        let other = earlier.index;
        let known = self.lanes[index].behind.get(other).copied().unwrap_or(0);
        if other == index || known >= earlier.number {
            return Ok(());
        }
        let order_event = self.order_event(earlier)?;
        let event = self.events.event(order_event);
        self.lanes[index].wait(event, other, order_event)
    }

    #[inline]
    fn join(&mut self, to: usize, from: usize) -> Result {
        let order_event = self.record(from)?;
        let event = self.events.event(&order_event);
        self.lanes[to].wait(event, from, &order_event)
    }

    /// Records an event after the work in a stream.
    #[inline]
    fn record(&mut self, index: usize) -> Result<OrderEvent> {
        let lane = &self.lanes[index];
        // With two streams, the other one knows its own work.
        let behind = if self.lanes.len() > 2 { lane.behind.clone() } else { Vec::new() };
        self.events.record(&lane.context, lane.stream, lane.last, behind)
    }

    /// Returns the event after an operation. If it has none, records one now, which also covers everything
    /// that its stream holds by then.
    #[inline]
    fn order_event<'op>(&mut self, op: &'op Op) -> Result<&'op OrderEvent> {
        if let Some(order_event) = op.order_event.get() {
            return Ok(order_event);
        }
        let order_event = self.record(op.index)?;
        Ok(op.order_event.get_or_init(|| order_event))
    }

    /// Notes the next operation of a stream. From here on it counts as enqueued, whatever the driver answers:
    /// everything that it comes after is in the stream. `unknown` tells whether memory is left that was used
    /// while there was one stream, and not since.
    #[inline]
    fn advance(&mut self, index: usize, accesses: &[Access<'_>], unknown: bool) -> Result {
        let lane = &mut self.lanes[index];
        let number = lane.last + 1;
        let before = lane.newest.take();
        if Access::tracked(accesses).next().is_some() {
            let op = Rc::new(Op { index, number, order_event: OnceCell::new() });
            for (tracked, writes) in Access::tracked(accesses) {
                tracked.note_op(&op, writes);
            }
            lane.newest = Some(op);
        }
        // Exactly after the previous operation, if that is still the last use of anything.
        let is_last_use = |op: &Rc<Op>| match &self.alone {
            Some(alone) if Rc::ptr_eq(alone, op) => unknown || Rc::strong_count(op) > 2,
            _ => Rc::strong_count(op) > 1,
        };
        // Without another stream, nothing waits for it yet.
        if let Some(before) = before.filter(|op| self.lanes.len() > 1 && is_last_use(op)) {
            self.order_event(&before)?;
        }
        self.lanes[index].last = number;
        Ok(())
    }
}
