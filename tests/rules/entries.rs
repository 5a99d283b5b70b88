//! The small reader of cuscope and that of `cuscope-ptx` find the same kernels with the same parameters.

// The reader that programs compile, which needs nothing else of the crate.
#[allow(dead_code, reason = "the test asks for less than the crate")]
#[allow(clippy::manual_is_multiple_of, reason = "the crate is for an older Rust, which lacks it")]
#[path = "../../src/image/entries.rs"]
mod reader;
#[allow(dead_code, reason = "likewise")]
#[path = "../../src/image/tokens.rs"]
mod tokens;

use crate::{files, read};
use cuscope_ptx::Module;
use reader::PtxContents;
use tokens::{Token, Tokens, number};

#[test]
fn both_readers_of_ptx_find_the_same_parameters() {
    let mut kernels = 0;
    for folder in ["examples", "softdriver/tests", "tests", "benches"] {
        for path in files(folder, "ptx") {
            let text = read(&path);
            let Ok(module) = Module::parse(&text) else { continue };
            let read = PtxContents::of(text.as_bytes()).kernels;
            let read = read.iter().map(|entry| {
                let params = entry.params.iter().map(|param| (param.size, param.align));
                (entry.name.as_str(), params.collect::<Vec<_>>())
            });
            let parsed = module.kernels.iter().map(|kernel| {
                let params = kernel.params.iter().map(|param| (param.size, param.align));
                (kernel.name.as_str(), params.collect::<Vec<_>>())
            });
            let (read, parsed): (Vec<_>, Vec<_>) = (read.collect(), parsed.collect());
            assert_eq!(read, parsed, "{}", path.display());
            kernels += parsed.len();
        }
    }
    assert!(kernels > 20, "{kernels} kernels are few");
}
