//! Which memory a replay names is a part of the proof.
//!
//! **Why:** A replay compares the memory that it is passed with the memory that the graph's nodes use. A type of the
//! program could name other memory, and the graph would use its own without a borrow. It is a part of `replay-names`.
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
