//! Every code that NVRTC writes is accepted: `src/image/known.rs` lists it.

use cuscope::{Cubin, Ptx};
use std::fs;
use std::path::Path;

/// How many files were accepted: PTX, and cubins.
#[derive(Default)]
struct Accepted {
    texts: usize,
    cubins: usize,
}

impl Accepted {
    fn all_below(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let result = match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => {
                    self.all_below(&path);
                    continue;
                }
                Some("ptx") => {
                    self.texts += 1;
                    Ptx::from_file(&path).map(drop)
                }
                Some("cubin") => {
                    self.cubins += 1;
                    Cubin::from_file(&path).map(drop)
                }
                _ => continue,
            };
            result.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }
}

#[test]
fn code_that_nvrtc_writes_is_accepted() {
    let Some(folder) = super::run::folder() else {
        crate::skip!("no kernels: run .ci/kernels and set CUSCOPE_KERNELS to what it prints");
    };
    let mut accepted = Accepted::default();
    accepted.all_below(&folder);
    let Accepted { texts, cubins } = accepted;
    assert!(texts > 60 && cubins > 60, "{texts} texts, {cubins} cubins");
}
