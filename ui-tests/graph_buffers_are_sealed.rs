//! Which memory a replay names is a part of the proof.
//!
//! **Why:** A replay borrows the memory that it uses, as a launch does, and the graph itself. A replay in an ordered
//! stream borrows them for the call, and the graph knows the streams that may still run it. This is `replay-names`.
//!
//! **Mend:** Wrap no buffers, pass them. See `ui-tests/mended/graph_buffers_are_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::graph::{Enqueue, GraphBuffers};

#[derive(Clone, Copy)]
struct Mine;

fn captures<'s, 'ctx>(_: impl Enqueue<'s, 'ctx>) {}

impl GraphBuffers<'_> for Mine {}

fn misuse() {
    captures(Mine);
}

fn main() {}
