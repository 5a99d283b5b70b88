//! What a builder lends ends with it: return nodes and values from the closure.

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
