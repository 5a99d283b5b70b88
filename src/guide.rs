#![doc = include_str!("../docs/guide/README.md")]

#[doc = include_str!("../docs/guide/01-first-kernel.md")]
pub mod first_kernel {}

#[doc = include_str!("../docs/guide/02-gpu-state.md")]
pub mod gpu_state {}

#[doc = include_str!("../docs/guide/03-streams.md")]
pub mod streams {}

#[doc = include_str!("../docs/guide/04-devices.md")]
pub mod devices {}

#[doc = include_str!("../docs/guide/05-graphs.md")]
pub mod graphs {}

#[doc = include_str!("../docs/guide/06-kernels.md")]
pub mod kernels {}

#[doc = include_str!("../docs/guide/14-safe-kernels.md")]
pub mod safe_kernels {}

#[doc = include_str!("../docs/kernels-at-build-time.md")]
pub mod kernels_at_build_time {}

#[doc = include_str!("../examples/README.md")]
pub mod examples {}

#[doc = include_str!("../docs/guide/07-errors.md")]
pub mod errors {}

#[doc = include_str!("../docs/guide/08-testing.md")]
pub mod testing {}

#[doc = include_str!("../docs/guide/13-ci.md")]
pub mod ci {}

#[doc = include_str!("../docs/clients.md")]
pub mod clients {}

#[doc = include_str!("../docs/software-driver.md")]
pub mod software_driver {}

#[doc = include_str!("../docs/guide/09-linking.md")]
pub mod linking {}

#[doc = include_str!("../docs/guide/10-interop.md")]
pub mod interop {}

#[doc = include_str!("../docs/guide/14-runtimes.md")]
pub mod runtimes {}

#[doc = include_str!("../docs/guide/11-coming-from.md")]
pub mod coming_from {}

#[doc = include_str!("../docs/contexts.md")]
pub mod contexts {}

#[doc = include_str!("../docs/guide/12-safety.md")]
pub mod safety {}
