//! What a builder lends ends with it.
//!
//! **Why:** The graph is made when the closure returns. A node that is added later would be in no graph, or in one
//! whose edges were already derived. It is a part of `nodes-ordered`.
//!
//! **Mend:** Return nodes and values from the closure. See `ui-tests/mended/builder_escapes.rs`.
//!
//! **Mistake** (E0521):

use cuscope::{GraphBuilder, PushedGuard, Result};

fn misuse<'env, 'ctx>(gpu: &'env PushedGuard<'ctx>) -> Result {
    let mut kept: Option<&GraphBuilder<'_, 'env, 'ctx>> = None;
    gpu.build_graph(|g| {
        kept = Some(g);
        Ok(())
    })
    .map(drop)
}

fn main() {}
