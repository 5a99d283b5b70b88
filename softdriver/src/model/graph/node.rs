//! The nodes of a graph and their edges.

use crate::entry::Answer;
use crate::label::{Class, Label};
use crate::model::event::EVENTS;
use crate::model::event::{Event, Stamp};
use crate::model::external::semaphore::{Signals, Waits};
use crate::model::graph::batch::Batch;
use crate::model::graph::child::Child;
use crate::model::graph::conditional::{Choice, Conditional};
use crate::model::graph::memory::Memory;
use crate::model::graph::query::PLAIN;
use crate::model::launch::{HostCall, Launch};
use crate::model::life::Life;
use crate::model::memory::set::Pattern;
use crate::model::memory::space::SPACE;
use crate::model::numbers::Numbers;
use crate::model::stream_memory::Ready;
use crate::model::transfer::Transfer;
use crate::queue::Ticket;
use crate::race::Access;
use crate::{domain, race};
use cuscope_sys::*;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A node.
#[derive(Clone)]
pub(crate) struct Node {
    /// The value of its handle.
    pub(crate) handle: usize,
    /// The handles of those that it depends on.
    pub(crate) before: Vec<usize>,
    /// Effects of the edges from there besides their order, if they have any.
    pub(crate) data: BTreeMap<usize, CUgraphEdgeData>,
    /// The context that has to be alive for it.
    life: Option<Arc<Life>>,
    pub(crate) work: Arc<Work>,
    /// Whether an instantiated graph leaves it out.
    pub(crate) off: bool,
}

/// A handle that no node had before, greater than those.
fn new_handle() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0x58 << 56);
    NEXT.fetch_add(0x10, Ordering::Relaxed) + 0x10
}

impl Node {
    /// A node with a handle of its own.
    pub(crate) fn new(before: Vec<usize>, life: Option<Arc<Life>>, work: Work) -> Self {
        let (handle, data, work) = (new_handle(), BTreeMap::new(), Arc::new(work));
        Self { handle, before, data, life, work, off: false }
    }

    /// A copy with a handle of its own, after the same nodes.
    pub(super) fn copied(&self) -> Self {
        let mut copy = Self { handle: new_handle(), ..self.clone() };
        if let Work::Child(child) = &*self.work {
            copy.work = Arc::new(Work::Child(Child::new(child.graph())));
        }
        copy
    }

    /// The data of the edge from a node.
    pub(crate) fn edge_from(&self, before: usize) -> CUgraphEdgeData {
        self.data.get(&before).copied().unwrap_or(PLAIN)
    }

    /// Whether it launches a kernel.
    pub(crate) fn is_kernel(&self) -> bool {
        matches!(*self.work, Work::Kernel(_))
    }

    /// Whether it launches a kernel that may start before the one before it in the stream has ended.
    pub(crate) fn starts_early(&self) -> bool {
        matches!(&*self.work, Work::Kernel(launch) if launch.attributes().starts_early())
    }

    /// Changes what it does.
    pub(crate) fn does(&mut self, life: Option<Arc<Life>>, work: Work) {
        (self.life, self.work) = (life, Arc::new(work));
    }

    /// The same node with what another one does, in the place of its own.
    pub(crate) fn with_work_of(&self, other: &Node) -> Self {
        Self { work: other.work.clone(), life: other.life.clone(), ..self.clone() }
    }

    /// Returns its kind.
    pub(crate) fn kind(&self) -> CUgraphNodeType {
        match *self.work {
            Work::Kernel(_) => CU_GRAPH_NODE_TYPE_KERNEL,
            Work::Copy(_) => CU_GRAPH_NODE_TYPE_MEMCPY,
            Work::Fill(_) => CU_GRAPH_NODE_TYPE_MEMSET,
            Work::Host(_) => CU_GRAPH_NODE_TYPE_HOST,
            Work::Empty => CU_GRAPH_NODE_TYPE_EMPTY,
            Work::Wait(..) | Work::WaitFor(_) => CU_GRAPH_NODE_TYPE_WAIT_EVENT,
            Work::Record(..) | Work::RecordNow(..) => CU_GRAPH_NODE_TYPE_EVENT_RECORD,
            Work::Child(_) | Work::Join(_) => CU_GRAPH_NODE_TYPE_GRAPH,
            Work::Alloc(_) => CU_GRAPH_NODE_TYPE_MEM_ALLOC,
            Work::Free(_) => CU_GRAPH_NODE_TYPE_MEM_FREE,
            Work::Signal(_) => CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
            Work::Await(_) => CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
            Work::Batch(_) | Work::Values(_) => CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
            Work::Conditional(_) | Work::Choice(_) => CU_GRAPH_NODE_TYPE_CONDITIONAL,
        }
    }

    /// Whether it can be instantiated: a fill has to be of memory (F149), an event to be there (F214).
    pub(crate) fn check_now(&self) -> Answer {
        match &*self.work {
            Work::Fill(fill) => fill.check_memory().map(drop),
            Work::Kernel(launch) => launch.check_loaded(),
            Work::Record(_, event) | Work::Wait(_, event) => {
                EVENTS.get(*event).map(drop).ok_or(CUDA_ERROR_INVALID_VALUE)
            }
            _ => Ok(()),
        }
    }

    /// Whether it can be in a graph of a conditional node (F524).
    pub(super) fn may_be_in_body(&self) -> bool {
        match &*self.work {
            Work::Copy(copy) => !copy.is_pageable(),
            Work::Kernel(_) | Work::Fill(_) | Work::Empty | Work::Join(_) => true,
            _ => false,
        }
    }

    /// 709 if its context is gone.
    pub(crate) fn check_life(&self) -> Answer {
        if let Work::Choice(choice) = &*self.work {
            choice.nodes().try_for_each(Node::check_life)?;
        }
        self.life.as_ref().map_or(Ok(()), |life| life.check())
    }

    /// Returns its name, and what it may wait for.
    pub(crate) fn label(&self) -> Label {
        self.work.label()
    }

    /// Does it in a graph with these numbers, unless a fault has dropped the rest of its graph meanwhile, or the end of
    /// the context.
    pub(crate) fn run(&self, numbers: &Numbers) -> Answer {
        match self.off {
            _ if domain::should_end() => Err(CUDA_ERROR_LAUNCH_FAILED),
            true => Ok(()),
            false => self.work.run_in(numbers),
        }
    }
}

/// The places of nodes in a list, by their handles.
pub(crate) fn places<'n>(nodes: impl IntoIterator<Item = &'n Node>) -> HashMap<usize, usize> {
    nodes.into_iter().enumerate().map(|(place, node)| (node.handle, place)).collect()
}

/// The work of a node.
pub(crate) enum Work {
    /// Nothing.
    Empty,
    /// Runs a kernel.
    Kernel(Launch),
    /// Copies.
    Copy(Box<Transfer>),
    /// Fills memory.
    Fill(Fill),
    /// Calls a function of the host.
    Host(HostCall),
    /// Waits for what an event, with its handle, recorded last before the launch.
    Wait(Arc<Event>, usize),
    /// The same once it is launched: waits for work.
    WaitFor(Option<Arc<Ticket>>),
    /// Records an event, with its handle.
    Record(Arc<Event>, usize),
    /// The same once it is launched: the event completes with the launch, and has its own time.
    RecordNow(Arc<Event>, Stamp),
    /// Runs the nodes of another graph.
    Child(Child),
    /// The end of these.
    Join(Vec<usize>),
    /// Allocates memory.
    Alloc(Arc<Memory>),
    /// Frees memory.
    Free(Arc<Memory>),
    /// Signals semaphores of other interfaces.
    Signal(Signals),
    /// Waits for semaphores of other interfaces.
    Await(Waits),
    /// Waits for values in memory, and writes them.
    Batch(Batch),
    /// The same once it is launched: on the memory that was there.
    Values(Vec<Ready>),
    /// Runs graphs of its own, as a number says.
    Conditional(Conditional),
    /// The same in a graph that can run.
    Choice(Choice),
}

impl Work {
    /// Returns its name, and what it may wait for.
    pub(crate) fn label(&self) -> Label {
        match self {
            Self::Kernel(launch) => Label::new(Class::Kernel, || launch.name().to_owned()),
            Self::Host(_) => Label::new(Class::Host, || "function of the host"),
            Self::Wait(..) | Self::WaitFor(_) => Label::new(Class::Wait, || "wait for an event"),
            Self::Empty | Self::Child(_) | Self::Join(_) => {
                Label::new(Class::Quick, || "empty node")
            }
            Self::Record(..) | Self::RecordNow(..) => {
                Label::new(Class::Quick, || "record of an event")
            }
            Self::Alloc(_) => Label::new(Class::Quick, || "allocation of a graph"),
            Self::Free(_) => Label::new(Class::Quick, || "free of a graph"),
            Self::Batch(batch) if batch.waits() => Label::new(Class::Wait, || "wait for a value"),
            Self::Values(all) if all.iter().any(Ready::waits) => {
                Label::new(Class::Wait, || "wait for a value")
            }
            Self::Batch(_) | Self::Values(_) => Label::new(Class::Quick, || "write of a value"),
            Self::Copy(_) => Label::new(Class::Quick, || "copy of a graph"),
            Self::Fill(_) => Label::new(Class::Quick, || "fill of a graph"),
            Self::Signal(_) => Label::new(Class::Quick, || "signal of a semaphore"),
            Self::Await(_) => Label::new(Class::Wait, || "wait for a semaphore"),
            Self::Conditional(_) | Self::Choice(_) => {
                Label::new(Class::Kernel, || "conditional node")
            }
        }
    }

    /// Does it outside of a graph.
    pub(crate) fn run(&self) -> Answer {
        self.run_in(&Numbers::default())
    }

    /// Does it in a graph with these numbers; an error is a fault of the device.
    fn run_in(&self, numbers: &Numbers) -> Answer {
        match self {
            // A launch has a time, and a child's nodes run in its place.
            Self::Empty | Self::Record(..) | Self::Child(_) | Self::Join(_) => Ok(()),
            // It is a choice in whatever runs.
            Self::Conditional(_) => Ok(()),
            Self::Choice(choice) => choice.run(numbers),
            Self::RecordNow(_, stamp) => {
                stamp.set();
                Ok(())
            }
            Self::Kernel(launch) => launch.run(numbers),
            Self::Copy(transfer) => transfer.run(),
            Self::Fill(fill) => fill.run(),
            Self::Host(call) => {
                call.run();
                Ok(())
            }
            Self::Wait(event, _) => wait_for(event.recorded().as_deref()),
            Self::WaitFor(ticket) => wait_for(ticket.as_deref()),
            Self::Alloc(memory) => {
                memory.begin();
                Ok(())
            }
            Self::Batch(batch) => {
                batch.ready()?.iter().for_each(Ready::run);
                Ok(())
            }
            Self::Values(all) => {
                all.iter().for_each(Ready::run);
                Ok(())
            }
            Self::Free(memory) => {
                memory.end();
                Ok(())
            }
            Self::Signal(signals) => {
                signals.run();
                Ok(())
            }
            Self::Await(waits) => {
                waits.run();
                Ok(())
            }
        }
    }
}

/// Waits for work of whatever context. After what a fault has dropped nothing is done.
fn wait_for(ticket: Option<&Ticket>) -> Answer {
    if let (Some(ticket), Some(domain)) = (ticket, domain::current())
        && !ticket.settle_within(&domain)
    {
        return Err(CUDA_ERROR_LAUNCH_FAILED);
    }
    Ok(())
}

/// A fill of rows.
#[derive(Clone, Copy)]
pub(crate) struct Fill {
    pub(crate) to: u64,
    pub(crate) pattern: Pattern,
    pub(crate) width: usize,
    pub(crate) rows: usize,
    /// Bytes from row to row.
    pub(crate) pitch: usize,
}

impl Fill {
    /// A fill of one row.
    pub(crate) fn row(to: u64, pattern: Pattern, width: usize) -> Self {
        Self { to, pattern, width, rows: 1, pitch: 0 }
    }

    /// A fill of rows, wherever they are: of one, the pitch does not count (F259). INVALID_VALUE for rows of
    /// nothing, no rows, rows that overlap, and values that are not aligned.
    pub(crate) fn rows(
        to: u64,
        pattern: Pattern,
        width: usize,
        rows: usize,
        pitch: usize,
    ) -> Answer<Self> {
        let invalid = CUDA_ERROR_INVALID_VALUE;
        let row = width.checked_mul(pattern.size).filter(|&row| row > 0).ok_or(invalid)?;
        let uneven = pitch < row || !pitch.is_multiple_of(pattern.size);
        let aligned = to.is_multiple_of(pattern.size as u64);
        if rows == 0 || rows > 1 && uneven || !aligned {
            return Err(invalid);
        }
        Ok(Self { to, pattern, width, rows, pitch })
    }

    /// A fill of a node: the rows have to lie in memory of the context's device.
    pub(crate) fn new(life: &Life, params: &CUDA_MEMSET_NODE_PARAMS) -> Answer<Self> {
        let pattern = Pattern::new(params.value, params.elementSize as usize)?;
        let fill = Self::rows(params.dst, pattern, params.width, params.height, params.pitch)?;
        let elsewhere = fill.check_memory()?.is_some_and(|device| device != life.device);
        if elsewhere { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(fill) }
    }

    /// Whether a graph that can run may do the other one instead: several rows keep their layout (F340).
    pub(crate) fn can_become(&self, other: &Self) -> bool {
        let layout = |fill: &Self| (fill.rows, fill.width, fill.pattern.size, fill.pitch);
        self.rows == 1 && other.rows == 1 || layout(self) == layout(other)
    }

    /// Whether both fill memory of one context, if they fill that of a device (F500).
    pub(super) fn is_at_home_of(&self, other: &Self) -> bool {
        let home = |fill: &Self| {
            let found = SPACE.find_for_graph(fill.to, fill.span().ok()?).ok()?;
            (!found.kind.is_host()).then(|| found.life.clone())
        };
        home(self).zip(home(other)).is_none_or(|(one, other)| one.is(&other))
    }

    /// The bytes from its first row to the end of its last one. A capture takes a fill of any length (F146).
    pub(crate) fn span(&self) -> Answer<usize> {
        let row = self.width.checked_mul(self.pattern.size);
        let before = self.pitch.checked_mul(self.rows - 1);
        let span = before.zip(row).and_then(|(before, row)| before.checked_add(row));
        span.ok_or(CUDA_ERROR_INVALID_VALUE)
    }

    /// INVALID_VALUE if the rows lie in no memory; else the device, if it is that of one.
    fn check_memory(&self) -> Answer<Option<usize>> {
        let found = SPACE.find_for_graph(self.to, self.span()?)?;
        Ok((!found.kind.is_host()).then_some(found.life.device))
    }

    /// Fills. Memory that is gone by now is a failed launch; under a kernel it would be an illegal
    /// address (F94).
    pub(crate) fn run(&self) -> Answer {
        let found = SPACE.find_running(self.to, self.span()?);
        let found = found.ok_or(CUDA_ERROR_LAUNCH_FAILED)?;
        let rows = (0..self.rows).map(|row| self.to + (row * self.pitch) as u64);
        let width = (self.width * self.pattern.size) as u64;
        race::touch_rows(Some(&found), rows.clone().map(|to| to..to + width), Access::Write);
        rows.for_each(|to| self.pattern.write(&found, to, self.width));
        Ok(())
    }
}
