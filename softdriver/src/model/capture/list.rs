//! The captures in progress.

use crate::model::graph::Graph;
use crate::model::graph::HANDLES;
use crate::model::graph::query::is_plain;
use crate::model::life::Life;
use crate::model::stream::Target;
use crate::queue::{Kind, Queue};
use crate::sync;
use cuscope_sys::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

/// How many there are.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);
static LIST: Mutex<List> = Mutex::new(List { captures: Vec::new(), next: 1 });

/// Whether there is none: all that a call pays then.
#[inline]
pub(crate) fn none() -> bool {
    ACTIVE.load(Ordering::Acquire) == 0
}

/// Works on the captures. `f` makes no driver call.
pub(crate) fn with<R>(f: impl FnOnce(&mut List) -> R) -> R {
    f(&mut sync::lock(&LIST))
}

/// All captures of the process.
pub(crate) struct List {
    captures: Vec<Capture>,
    /// The id of the next one.
    next: u64,
}

/// One capture.
pub(crate) struct Capture {
    pub(crate) id: u64,
    pub(crate) mode: CUstreamCaptureMode,
    /// The thread that began it.
    pub(crate) thread: ThreadId,
    pub(crate) graph: Arc<Graph>,
    /// The handle of the graph.
    pub(crate) handle: usize,
    /// False once it was invalidated.
    pub(crate) valid: bool,
    /// Its streams: first the one that it began on, then those that joined.
    members: Vec<Member>,
}

/// A stream of a capture.
pub(crate) struct Member {
    /// None once the stream was destroyed; what it captured has to be joined all the same.
    queue: Option<Arc<Queue>>,
    life: Arc<Life>,
    /// The nodes that its next node depends on.
    pub(crate) after: Vec<usize>,
    /// The nodes that `cuStreamGetCaptureInfo` showed last.
    pub(crate) shown: Vec<usize>,
    /// The data of the edges from there.
    pub(crate) edges: Vec<CUgraphEdgeData>,
    /// Effects of the edges to its next node besides their order, by where the edges begin.
    pub(crate) data: BTreeMap<usize, CUgraphEdgeData>,
}

/// Nodes that work comes after, with the data of the edges.
pub(crate) type Edges = Vec<(usize, CUgraphEdgeData)>;

impl Member {
    fn new(target: &Target, after: Vec<usize>) -> Self {
        let (queue, life) = (Some(target.queue.clone()), target.life.clone());
        let data = BTreeMap::new();
        Self { queue, life, after, shown: Vec::new(), edges: Vec::new(), data }
    }

    /// Sets what edges do besides to order.
    pub(crate) fn set_data(&mut self, edges: Edges) {
        self.data.extend(edges.into_iter().filter(|&(_, edge)| !is_plain(edge)));
    }

    fn is(&self, queue: &Arc<Queue>) -> bool {
        self.queue.as_ref().is_some_and(|own| Arc::ptr_eq(own, queue))
    }
}

impl Capture {
    /// Whether the stream with the queue is in it.
    pub(super) fn has(&self, queue: &Arc<Queue>) -> bool {
        self.members.iter().any(|member| member.is(queue))
    }

    /// The stream with the queue.
    pub(crate) fn member(&mut self, queue: &Arc<Queue>) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.is(queue))
    }

    /// Whether it began on the stream with the queue.
    pub(crate) fn began_on(&self, queue: &Arc<Queue>) -> bool {
        self.members[0].is(queue)
    }

    /// Draws a stream in after nodes, or puts it after them too if it is in (F106).
    pub(crate) fn join(&mut self, target: &Target, after: &[usize]) {
        let Some(member) = self.member(&target.queue) else {
            return self.members.push(Member::new(target, after.to_vec()));
        };
        for node in after {
            if !member.after.contains(node) {
                member.after.push(*node);
            }
        }
    }

    /// Whether what the streams that joined have captured lies before the end of the first one.
    pub(crate) fn joined(&self) -> bool {
        let ends = &self.members[0].after;
        let all = self.members.iter().flat_map(|member| &member.after);
        self.graph.reaches(ends, all.copied())
    }

    /// Whether one of its streams is in the context.
    pub(crate) fn in_life(&self, life: &Life) -> bool {
        self.members.iter().any(|member| member.queue.is_some() && member.life.is(life))
    }

    /// Whether one of its streams is ordered with the legacy stream of the context.
    pub(crate) fn blocks(&self, life: &Life) -> bool {
        self.members.iter().any(|member| {
            let blocking = member.queue.as_ref().is_some_and(|one| one.kind == Kind::Blocking);
            blocking && member.life.is(life)
        })
    }
}

impl List {
    /// The capture that the stream with the queue is in.
    pub(crate) fn of(&mut self, queue: &Arc<Queue>) -> Option<&mut Capture> {
        self.captures.iter_mut().find(|one| one.has(queue))
    }

    /// The capture with the id.
    pub(crate) fn with_id(&mut self, id: u64) -> Option<&mut Capture> {
        self.captures.iter_mut().find(|one| one.id == id)
    }

    /// Invalidates the captures that `which` holds of; whether there is one.
    pub(crate) fn invalidate(&mut self, which: impl Fn(&Capture) -> bool) -> bool {
        let mut hit = false;
        for one in &mut self.captures {
            if which(one) {
                one.valid = false;
                hit = true;
            }
        }
        hit
    }

    /// Whether `which` holds of one.
    pub(crate) fn any(&self, which: impl Fn(&Capture) -> bool) -> bool {
        self.captures.iter().any(which)
    }

    /// Begins one on a stream that is in none: to a new graph, or to one of the program after some of its nodes.
    pub(crate) fn begin(
        &mut self,
        target: &Target,
        mode: CUstreamCaptureMode,
        to: Option<(usize, Arc<Graph>, Edges)>,
    ) {
        let (handle, graph, after) = to.unwrap_or_else(|| {
            let (handle, graph) = Graph::of_capture();
            (handle, graph, Edges::new())
        });
        let (id, thread) = (self.next, thread::current().id());
        let mut member = Member::new(target, after.iter().map(|&(node, _)| node).collect());
        member.set_data(after);
        let members = vec![member];
        self.captures.push(Capture { id, mode, thread, graph, handle, valid: true, members });
        self.next += 1;
        ACTIVE.fetch_add(1, Ordering::AcqRel);
    }

    /// Takes captures out that `which` holds of.
    pub(crate) fn take(&mut self, which: impl Fn(&Capture) -> bool) -> Vec<Capture> {
        let taken: Vec<_> = self.captures.extract_if(.., |one| which(one)).collect();
        ACTIVE.fetch_sub(taken.len(), Ordering::AcqRel);
        taken
    }

    /// Lets go of members that `which` holds of; gives the captures that end by that.
    fn forget(&mut self, which: impl Fn(&Member) -> bool) -> Vec<Capture> {
        let taken = self.take(|one| which(&one.members[0]));
        for member in self.captures.iter_mut().flat_map(|one| &mut one.members) {
            if which(member) {
                member.queue = None;
            }
        }
        taken
    }
}

/// The graph of a capture that ended without one, also if the program had it before (F562).
pub(crate) fn discard(capture: &Capture) {
    let _graph = HANDLES.remove(capture.handle);
}

/// A stream is destroyed: a capture that began on it is over, silently (F145).
pub(crate) fn forget(queue: &Arc<Queue>) {
    with(|list| list.forget(|member| member.is(queue))).iter().for_each(discard);
}

/// The same for all streams of a context that ends.
pub(crate) fn forget_all_of(life: &Life) {
    with(|list| list.forget(|member| member.life.is(life))).iter().for_each(discard);
}
