//! Objects that are alive when the process exits, printed on stderr if `CUSCOPE_SOFT_REPORT` is 1.
#![allow(unsafe_code, reason = "a function that is called at the exit")]

use crate::control::{self, Live};
use crate::model::driver;
use crate::model::memory::allocation::Allocation;
use crate::model::memory::allocation::Kind;
use crate::model::memory::space::SPACE;
use crate::model::stack;
use std::fmt::Write as _;
use std::sync::Arc;

/// Allocations that are told one by one.
const TOLD: usize = 20;

/// Has the report printed at the exit.
pub(crate) fn at_exit() {
    // SAFETY: a function of C without obligations, which looks at statics only.
    let _ = unsafe { libc::atexit(print) };
}

extern "C" fn print() {
    // None in the child of a fork, whose parent tells.
    if let Some(text) = text() {
        eprint!("{text}");
    }
}

/// A count with its noun.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Returns the kind of memory.
fn kind(one: &Allocation) -> &'static str {
    match one.kind {
        Kind::Device if one.pool.is_some() => "of a pool",
        Kind::Device => "on the device",
        Kind::Variable | Kind::ManagedVariable => "a variable",
        Kind::Heap => "of a kernel's malloc",
        Kind::Graph => "of a graph",
        Kind::Host => "page-locked",
        Kind::HostPool => "page-locked, of a pool",
        Kind::Registered => "registered",
        Kind::Managed => "managed",
        Kind::Mapped => "mapped",
        Kind::Opened => "of another process",
        Kind::External | Kind::Graphics => "of another interface",
        Kind::Array => "of an array",
    }
}

/// The report; none before `cuInit`.
fn text() -> Option<String> {
    if !driver::ready() {
        return None;
    }
    Some(describe(&control::live(), &SPACE.left(), stack::entries()))
}

fn describe(live: &Live, left: &[Arc<Allocation>], entries: usize) -> String {
    let bytes = |of: &dyn Fn(Kind) -> bool| -> usize {
        left.iter().filter(|one| of(one.kind)).map(|one| one.size).sum()
    };
    let device = bytes(&|kind| matches!(kind, Kind::Device | Kind::Managed));
    let (host, registered) = (
        bytes(&|kind| matches!(kind, Kind::Host | Kind::HostPool)),
        bytes(&|kind| kind == Kind::Registered),
    );
    let rows = [
        (live.contexts, counted(live.contexts, "context")),
        (live.primary_contexts, counted(live.primary_contexts, "active primary context")),
        (live.green_contexts, counted(live.green_contexts, "green context")),
        (
            live.allocations,
            format!("{} of {device} bytes", counted(live.allocations, "allocation")),
        ),
        (
            live.host_allocations,
            format!("{} of {host} bytes", counted(live.host_allocations, "page-locked allocation")),
        ),
        (
            live.registrations,
            format!("{} of {registered} bytes", counted(live.registrations, "registration")),
        ),
        (live.reservations, counted(live.reservations, "reserved range")),
        (live.physical, counted(live.physical, "physical allocation")),
        (live.mappings, counted(live.mappings, "mapping")),
        (live.opened, counted(live.opened, "opened allocation")),
        (live.arrays, counted(live.arrays, "array")),
        (live.mipmapped_arrays, counted(live.mipmapped_arrays, "mipmapped array")),
        (live.textures, counted(live.textures, "texture")),
        (live.surfaces, counted(live.surfaces, "surface")),
        (live.external_memories, counted(live.external_memories, "imported allocation")),
        (live.external_mappings, counted(live.external_mappings, "mapping of imported memory")),
        (live.external_semaphores, counted(live.external_semaphores, "imported semaphore")),
        (live.graphics_resources, counted(live.graphics_resources, "registered resource")),
        (live.streams, counted(live.streams, "stream")),
        (live.events, counted(live.events, "event")),
        (live.modules, counted(live.modules, "module")),
        (live.pools, counted(live.pools, "pool")),
        (live.graphs, counted(live.graphs, "graph")),
        (live.graph_execs, counted(live.graph_execs, "executable graph")),
        (
            entries,
            format!(
                "{entries} {} of context stacks",
                if entries == 1 { "entry" } else { "entries" }
            ),
        ),
    ];
    let mut out = String::from("cuscope-softdriver: at the exit ");
    if rows.iter().all(|(count, _)| *count == 0) {
        out.push_str("nothing is alive\n");
        return out;
    }
    out.push_str("these are alive:\n");
    for (_, row) in rows.iter().filter(|(count, _)| *count > 0) {
        let _ = writeln!(out, "  {row}");
    }
    for one in left.iter().take(TOLD) {
        let (base, size, life) = (one.base, one.size, &one.life);
        let owner = match life.id {
            0 => String::new(),
            id => format!("context {id} of "),
        };
        let device = life.device;
        let _ = writeln!(out, "  {base:#x}: {size} bytes {}, {owner}device {device}", kind(one));
    }
    if left.len() > TOLD {
        let _ = writeln!(out, "  and {} more", left.len() - TOLD);
    }
    out
}
