//! Options that change what the driver does: each value is another one to it.
#![allow(unsafe_code, reason = "names the addresses of symbols")]

use crate::common::gpu::{try_with_gpu, with_stream};
use crate::common::kernels::SAXPY;
use cuscope::jit::{JitCache, JitFallback, JitOptions};
use cuscope::launch::{ClusterPortability, ClusterScheduling, SharedMemoryMode};
use cuscope::memory::Extent;
use cuscope::module::Loaded;
use cuscope::texture::{ArrayFlags, ArrayShape, Edge, Sampling};
use cuscope::*;

#[test]
fn compilers_take_their_options() {
    try_with_gpu(|gpu| {
        let ptx = Ptx::new(SAXPY)?;
        let caches =
            [JitCache::None, JitCache::L2, JitCache::L1].map(|c| JitOptions::new().cache(c));
        let fallbacks = [JitFallback::PreferPtx, JitFallback::PreferBinary]
            .map(|fallback| JitOptions::new().fallback(fallback));
        for options in caches.into_iter().chain(fallbacks) {
            let Loaded { module, log, .. } = gpu.load_with(&ptx, &options)?;
            module.function("saxpy")?;
            assert!(format!("{log:?}").starts_with("JitLog("), "{log:?}");
        }
        Ok(())
    });
}

#[test]
fn numbers_for_the_compiler_are_refused_beyond_their_limits() {
    const MOST: u32 = 1 << 20; // F293
    try_with_gpu(|gpu| {
        let new = JitOptions::new;
        let refused = |options: JitOptions| match gpu.linker(&options).map(drop) {
            Err(Error::InvalidArgument { .. }) => true,
            Err(error) if error.call() == Some("cuLinkCreate_v2") => false, // by the driver
            answer => answer.is_err(),
        };
        for (inside, outside) in [
            (new().max_registers(1), new().max_registers(0)),
            (new().threads_per_block(MOST), new().threads_per_block(MOST + 1)),
            (new().optimization_level(4), new().optimization_level(5)),
            (new().split_compile(1024), new().split_compile(1025)),
            (new().target(ffi::CUjit_target(0x3_ffff)), new().target(ffi::CUjit_target(0x4_0000))),
        ] {
            assert!(!refused(inside.clone()), "{inside:?}");
            assert!(refused(outside.clone()), "{outside:?}");
        }
        Ok(())
    });
    let twice = JitOptions::new().max_registers(16).max_registers(32);
    let once = JitOptions::new().max_registers(32);
    assert_eq!(format!("{twice:?}"), format!("{once:?}"), "the last value counts");
}

#[test]
fn names_for_the_compiler_have_no_nul() {
    let twice =
        JitOptions::new().referenced_kernels(["a"]).and_then(|o| o.referenced_kernels(["b"]));
    let text = format!("{:?}", twice.unwrap());
    assert!(text.contains('b') && !text.contains("\"a\""), "the later names count: {text}");
    let none = JitOptions::new().referenced_variables(["x"]).unwrap();
    let none = none.referenced_variables::<&str>([]).unwrap();
    assert!(!format!("{none:?}").contains('x'), "no names are none: {none:?}");
    for refused in [
        JitOptions::new().referenced_kernels(["a\0b"]).map(drop),
        JitOptions::new().referenced_variables(["a\0b"]).map(drop),
        // SAFETY: no code is loaded with them.
        unsafe { JitOptions::new().global_symbols([("a\0b", std::ptr::null_mut())]) }.map(drop),
    ] {
        assert!(matches!(refused, Err(Error::InvalidArgument { .. })), "{refused:?}");
    }
}

/// Code that refers to no symbols is compiled with them as without.
#[test]
fn names_reach_the_compiler() {
    try_with_gpu(|gpu| {
        let mut symbol = 0_u32;
        let options =
            JitOptions::new().referenced_kernels(["saxpy"])?.referenced_variables(["x"])?;
        // SAFETY: the code refers to no symbol.
        let options = unsafe { options.global_symbols([("symbol", (&raw mut symbol).cast())]) }?;
        match gpu.load_with(&Ptx::new(SAXPY)?, &options) {
            Ok(Loaded { module, .. }) => module.function("saxpy").map(drop),
            Err(error) => {
                assert_eq!(error.call(), Some("cuModuleLoadDataEx"), "{error}");
                Ok(())
            }
        }
    });
}

#[test]
fn launches_take_their_attributes() {
    with_stream(|gpu, _| {
        let config = LaunchConfig::new(1, 32);
        let ids = |launch: launch::ExtendedLaunch<'_, '_>| format!("{launch:?}");
        let plain = ids(config.extended());
        for policy in [
            ClusterScheduling::Default,
            ClusterScheduling::Spread,
            ClusterScheduling::LoadBalancing,
        ] {
            assert_ne!(ids(config.extended().cluster_scheduling(policy)), plain);
        }
        for portability in [
            ClusterPortability::Default,
            ClusterPortability::Portable,
            ClusterPortability::NonPortable,
        ] {
            assert_ne!(ids(config.extended().cluster_portability(portability)), plain);
        }
        for mode in [
            SharedMemoryMode::Default,
            SharedMemoryMode::Portable,
            SharedMemoryMode::NonPortable,
            SharedMemoryMode::Oversized,
            SharedMemoryMode::PreferOversized,
        ] {
            assert_ne!(ids(config.extended().shared_memory_mode(mode)), plain);
        }
        assert_eq!(gpu.device().ordinal(), 0);
    });
}

#[test]
fn levels_halve_the_extents_that_are_no_layers() {
    try_with_gpu(|gpu| {
        for (shape, extent) in [
            (ArrayShape::D1 { width: 8 }, (4, 1, 1)),
            (ArrayShape::D2 { width: 8, height: 8 }, (4, 4, 1)),
            (ArrayShape::D3 { width: 8, height: 8, depth: 8 }, (4, 4, 4)),
            (ArrayShape::Layered1 { width: 8, layers: 3 }, (4, 1, 3)),
            (ArrayShape::Layered2 { width: 8, height: 8, layers: 3 }, (4, 4, 3)),
            (ArrayShape::Cubemap { width: 8 }, (4, 4, 6)),
            (ArrayShape::LayeredCubemap { width: 8, cubes: 2 }, (4, 4, 12)),
        ] {
            let array = gpu.alloc_mipmapped_array::<f32>(shape, 2, ArrayFlags::default())?;
            let (width, height, depth) = extent;
            assert_eq!(array.level(1)?.extent(), Extent { width, height, depth }, "{shape:?}");
        }
        Ok(())
    });
}

#[test]
fn textures_take_every_sampling() {
    try_with_gpu(|gpu| {
        let shape = ArrayShape::D2 { width: 4, height: 4 };
        let array = gpu.alloc_array::<u8>(shape, ArrayFlags::default())?;
        for edge in [Edge::Clamp, Edge::Wrap, Edge::Mirror, Edge::Border] {
            gpu.texture(&array, Sampling::default().normalized().edges(edge))?;
        }
        gpu.texture(&array, Sampling::default().integers())?;
        gpu.texture(&array, Sampling::default().linear_levels())?;
        gpu.texture(
            &gpu.alloc_array::<[u8; 4]>(shape, ArrayFlags::default())?,
            Sampling::default().srgb(),
        )?;
        let both = gpu.texture(&array, Sampling::default().integers().linear()).map(drop);
        assert!(matches!(both, Err(Error::InvalidArgument { .. })), "{both:?}");
        Ok(())
    });
}
