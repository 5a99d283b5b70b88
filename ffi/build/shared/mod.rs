//! Code that the build scripts of cuscope-sys and cuscope-nvrtc-sys share. The second has links to these files,
//! in the place of which its package has the files themselves.
#![allow(dead_code, reason = "each build script uses a part, and its tests another")]

pub(crate) mod arch;
pub(crate) mod cargo;
pub(crate) mod declared;
pub(crate) mod library;
/// The top `build.rs`, which says where CUDA is looked for.
pub(crate) mod search;
