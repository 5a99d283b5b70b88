//! Nodes with graphs of their own, which run as a number says that kernels set (F520 to F526).

use crate::entry::Answer;
use crate::model::context;
use crate::model::graph::Graph;
use crate::model::graph::HANDLES;
use crate::model::graph::exec::{Level, run};
use crate::model::graph::node::{Node, Work};
use crate::model::life::Life;
use crate::model::numbers::Numbers;
use crate::order::Clock;
use crate::{domain, order, queue, schedule, sync};
use cuscope_sys::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The most graphs that a node is given memory for. A GPU's driver has no limit of its own (F603).
const MOST_BODIES: u32 = 1 << 20;

/// A number that kernels of a graph set.
struct Declared {
    /// The handle of its context.
    context: usize,
    /// The first value.
    first: u32,
    /// Whether it is that again at the beginning of each run.
    again: bool,
    /// Whether a node reads it.
    read: bool,
}

/// The numbers of a graph and of the graphs of its nodes. Their handles count from 1.
#[derive(Default)]
pub(crate) struct Declarations(Mutex<Vec<Declared>>);

impl Declarations {
    pub(crate) fn declare(&self, context: usize, first: u32, again: bool) -> u64 {
        let mut all = sync::lock(&self.0);
        // The program passes the value at the beginning of each run, or nothing.
        let first = if again { first } else { 0 };
        all.push(Declared { context, first, again, read: false });
        all.len() as u64
    }

    /// Has a node read a number; INVALID_VALUE if the context has none with the handle, or another node reads it.
    fn read(&self, context: usize, handle: u64) -> Answer {
        let mut all = sync::lock(&self.0);
        let one = all
            .get_mut((handle as usize).wrapping_sub(1))
            .filter(|one| !one.read && one.context == context);
        one.ok_or(CUDA_ERROR_INVALID_VALUE)?.read = true;
        Ok(())
    }

    /// Those of a graph that can run; INVALID_VALUE if no node reads one.
    pub(crate) fn numbers(&self) -> Answer<Numbers> {
        let all = sync::lock(&self.0);
        if all.iter().any(|one| !one.read) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        Ok(Numbers::new(all.iter().map(|one| (one.first, one.again))))
    }
}

/// A node of a graph that is being made.
pub(crate) struct Conditional {
    number: u64,
    kind: CUgraphConditionalNodeType,
    bodies: Vec<Arc<Graph>>,
    /// The handles of these, where the program reads them; a `Vec`, as a `Box` must not be moved meanwhile.
    handles: Vec<usize>,
}

impl Conditional {
    /// Reads the parameters and tells the graphs of the node, which are empty.
    pub(crate) fn new(
        of: &Graph,
        params: &mut CUDA_CONDITIONAL_NODE_PARAMS,
    ) -> Answer<(Arc<Life>, Self)> {
        let life = life(params.ctx)?;
        let fits = match params.r#type {
            CU_GRAPH_COND_TYPE_IF => (1..=2).contains(&params.size),
            CU_GRAPH_COND_TYPE_WHILE => params.size == 1,
            CU_GRAPH_COND_TYPE_SWITCH => params.size >= 1,
            _ => false,
        };
        if !fits {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        if params.size > MOST_BODIES {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        of.declarations.read(params.ctx.addr(), params.handle)?;
        let body =
            |_| Graph { body: true, declarations: of.declarations.clone(), ..Graph::default() };
        let (handles, bodies): (Vec<_>, Vec<_>) =
            (0..params.size).map(|i| body(i).insert()).unzip();
        let (number, kind) = (params.handle, params.r#type);
        params.phGraph_out = handles.as_ptr().cast_mut().cast();
        Ok((life, Self { number, kind, bodies, handles }))
    }

    /// The graphs of the node.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = &Graph> {
        self.bodies.iter().map(|body| &**body)
    }

    /// The same node in a graph that can run, with the nodes of its graphs.
    pub(super) fn with(&self, bodies: Vec<Vec<Level>>) -> Choice {
        Choice { number: self.number, kind: self.kind, bodies }
    }
}

impl Drop for Conditional {
    fn drop(&mut self) {
        for &handle in &self.handles {
            let _body = HANDLES.remove(handle);
        }
    }
}

/// A node of a graph that can run.
pub(crate) struct Choice {
    number: u64,
    kind: CUgraphConditionalNodeType,
    bodies: Vec<Vec<Level>>,
}

/// The passes through the graphs of a node in one run, for the races between their nodes.
#[derive(Default)]
struct Passes {
    count: u64,
    /// The queue of each node, by its handle.
    queues: HashMap<usize, u64>,
}

impl Choice {
    /// The nodes of its graphs.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.bodies.iter().flatten().flatten()
    }

    /// The node with a handle in its graphs, and in those of their nodes.
    pub(super) fn find(&self, handle: usize) -> Option<&Node> {
        self.nodes().find_map(|node| match &*node.work {
            _ if node.handle == handle => Some(node),
            Work::Choice(choice) => choice.find(handle),
            _ => None,
        })
    }

    /// The same with a node of its graphs changed, and what `change` gave; none if they have no such node.
    pub(super) fn changed<R>(
        &self,
        handle: usize,
        change: impl FnOnce(&mut Node) -> R,
    ) -> Option<(Self, R)> {
        let (number, kind, mut bodies) = (self.number, self.kind, self.bodies.clone());
        let mut nodes = bodies.iter_mut().flatten().flatten();
        let result = change_one(&mut nodes, handle, change)?;
        Some((Self { number, kind, bodies }, result))
    }

    /// Whether it can become another node: as many graphs, and chosen in the same way (F523).
    pub(super) fn can_become(&self, other: &Self) -> bool {
        self.kind == other.kind && self.bodies.len() == other.bodies.len()
    }

    /// The same node with what the graphs of another one do.
    pub(super) fn updated<E>(
        &self,
        new: &Self,
        update: impl Fn(&[Level], &[Level]) -> Result<Vec<Level>, E>,
    ) -> Result<Self, E> {
        let bodies = self.bodies.iter().zip(&new.bodies).map(|(old, new)| update(old, new));
        Ok(Self { number: new.number, kind: self.kind, bodies: bodies.collect::<Result<_, E>>()? })
    }

    /// Runs what the number says.
    pub(super) fn run(&self, numbers: &Numbers) -> Answer {
        let (number, passes) = (|| numbers.get(self.number), &mut Passes::default());
        match self.kind {
            CU_GRAPH_COND_TYPE_WHILE => {
                while number() != 0 {
                    if domain::should_end() {
                        return Err(CUDA_ERROR_LAUNCH_FAILED);
                    }
                    self.run_body(0, numbers, passes)?;
                }
                Ok(())
            }
            CU_GRAPH_COND_TYPE_IF => self.run_body(usize::from(number() == 0), numbers, passes),
            _ => self.run_body(number() as usize, numbers, passes),
        }
    }

    /// Runs one of its graphs, if there is that. With a seed, the nodes run one by one in some order that they allow, and
    /// each comes before those after it alone.
    fn run_body(&self, which: usize, numbers: &Numbers, passes: &mut Passes) -> Answer {
        let Some(levels) = self.bodies.get(which) else { return Ok(()) };
        if !schedule::on() {
            return levels.iter().try_for_each(|level| run(level, numbers));
        }
        passes.count += 1;
        let mut left: Vec<_> = levels.iter().flatten().collect();
        let mut done: HashMap<usize, Arc<Clock>> = HashMap::new();
        while !left.is_empty() {
            let waits = |node: &Node| left.iter().any(|one| node.before.contains(&one.handle));
            let ready: Vec<_> = (0..left.len()).filter(|&i| !waits(left[i])).collect();
            let next = left.swap_remove(ready[schedule::below(ready.len())]);
            let queue = *passes.queues.entry(next.handle).or_insert_with(queue::new_id);
            let after: Vec<_> =
                next.before.iter().filter_map(|before| done.get(before).cloned()).collect();
            let at = (queue, passes.count);
            let (result, clock) = order::part(&next.label(), at, &after, || next.run(numbers));
            result?;
            done.insert(next.handle, clock);
        }
        // The next pass, and what is after the node, come after all of them.
        done.values().for_each(|clock| order::join(clock));
        Ok(())
    }
}

/// Changes the node with a handle among nodes and those of their graphs; none if there is none.
pub(super) fn change_one<R>(
    nodes: &mut dyn Iterator<Item = &mut Node>,
    handle: usize,
    change: impl FnOnce(&mut Node) -> R,
) -> Option<R> {
    for node in nodes {
        if node.handle == handle {
            return Some(change(node));
        }
        let work = node.work.clone();
        if let Work::Choice(choice) = &*work
            && choice.find(handle).is_some()
        {
            let (choice, result) = choice.changed(handle, change)?;
            node.work = Arc::new(Work::Choice(choice));
            return Some(result);
        }
    }
    None
}

/// The life of a context, which has to be given.
pub(crate) fn life(context: CUcontext) -> Answer<Arc<Life>> {
    Ok(context::find(context)?.life()?.home())
}
