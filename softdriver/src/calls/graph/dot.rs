//! Graphs as pictures.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry;
use crate::model::graph::node::{Node, Work, places};
use crate::model::graph::{Graph, find};
use core::ffi::{c_char, c_uint};
use cuscope_sys::*;
use std::fmt::Write;

/// The label of a node.
fn label(node: &Node) -> String {
    match &*node.work {
        Work::Kernel(launch) => launch.name().to_owned(),
        Work::Copy(_) => "MEMCPY".into(),
        Work::Fill(_) => "MEMSET".into(),
        Work::Host(_) => "HOST".into(),
        Work::Empty => "EMPTY".into(),
        Work::Wait(..) | Work::WaitFor(_) => "EVENT_WAIT".into(),
        Work::Record(..) | Work::RecordNow(..) => "EVENT_RECORD".into(),
        Work::Signal(_) => "EXT_SEMAS_SIGNAL".into(),
        Work::Await(_) => "EXT_SEMAS_WAIT".into(),
        Work::Child(_) | Work::Join(_) => "graph".into(),
        Work::Alloc(_) => "MEM_ALLOC".into(),
        Work::Free(_) => "MEM_FREE".into(),
        Work::Batch(_) | Work::Values(_) => "BATCH_MEM_OP".into(),
        Work::Conditional(_) | Work::Choice(_) => "CONDITIONAL".into(),
    }
}

/// Writes a graph, and those of its child graph nodes and conditional nodes after it. To a string, which does not fail.
fn draw(to: &mut String, graph: &Graph, number: &mut usize) -> std::fmt::Result {
    *number += 1;
    let own = *number;
    let nodes = graph.nodes();
    let places = places(&nodes);
    writeln!(to, "subgraph cluster_{own} {{\nlabel=\"graph_{own}\" graph[style=\"dashed\"];")?;
    for (place, node) in nodes.iter().enumerate() {
        let label = label(node);
        writeln!(to, "\"graph_{own}_node_{place}\"[label=\"{place}\n{label}\n\"];\n")?;
    }
    for (place, node) in nodes.iter().enumerate() {
        for before in &node.before {
            let from = places.get(before).copied().unwrap_or(0);
            writeln!(to, "\"graph_{own}_node_{from}\" -> \"graph_{own}_node_{place}\";")?;
        }
    }
    writeln!(to, "}}")?;
    nodes.iter().try_for_each(|node| match &*node.work {
        Work::Child(child) => draw(to, child.graph(), number),
        Work::Conditional(node) => node.bodies().try_for_each(|body| draw(to, body, number)),
        _ => Ok(()),
    })
}

driver! {
    /// Writes the graph to a file in the language of Graphviz; OPERATING_SYSTEM where it cannot be
    /// written. The parameters of nodes are not told.
    fn cuGraphDebugDotPrint(hGraph: CUgraph, path: *const c_char, _flags: c_uint) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
    ] {
        let graph = find(hGraph)?;
        let path = entry::path(path)?;
        let mut text = String::from("digraph dot {\n");
        draw(&mut text, &graph, &mut 0).map_err(|_| CUDA_ERROR_UNKNOWN)?;
        text.push_str("}\n");
        std::fs::write(path, text).map_err(|_| CUDA_ERROR_OPERATING_SYSTEM)
    }
}
