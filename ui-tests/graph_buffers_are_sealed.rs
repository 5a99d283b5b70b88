//! Which memory a replay names is a part of the proof: wrap no buffers, pass them.

use cuscope::graph::{Enqueue, GraphBuffers};

#[derive(Clone, Copy)]
struct Mine;

fn captures<'s, 'ctx>(_: impl Enqueue<'s, 'ctx>) {}

impl GraphBuffers<'_> for Mine {}

fn misuse() {
    captures(Mine);
}

fn main() {}
