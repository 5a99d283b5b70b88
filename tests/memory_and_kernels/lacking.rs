//! Devices that lack what an H200 has: what the software driver is told that they lack, the crate refuses, says so, and
//! leaves nothing behind. Each test is a process, as the first `cuInit` reads what there is.
#![allow(unsafe_code, reason = "launches a kernel")]

use crate::common::gpu::{kernel, new_context_on, try_with_gpu};
use crate::common::kernels::STORE;
use crate::common::{assert_success, respawn_with, software};
use crate::skip;
use cuscope::texture::{ArrayFlags, ArrayShape};
use cuscope::virtual_memory::Multicast;
use cuscope::{
    ContextStack, Device, DeviceBuffer, Error, EventFlags, LaunchConfig, MemoryPool, Result, ffi,
};
use cuscope_softdriver::control::live;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

const NOT_SUPPORTED: ffi::CUresult = ffi::CUDA_ERROR_NOT_SUPPORTED;

/// Runs a test in a process whose devices lack something: `lacking!(test, "COOPERATIVE_LAUNCH=0", { … })`.
macro_rules! lacking {
    ($test:ident, $attributes:expr, $body:block) => {
        if !software() {
            skip!("needs the software driver, which can be told what devices lack");
        }
        let variables = [("CUSCOPE_SOFT_ATTRIBUTES", $attributes)];
        match respawn_with(module_path!(), stringify!($test), &variables) {
            Some(output) => assert_success(stringify!($test), &output),
            None => $body,
        }
    };
}

/// The error has the code, and names the call and what is the matter.
fn assert_refused<T: Debug>(result: Result<T>, call: &str, code: ffi::CUresult, says: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.code(), Some(code), "{error}");
    let text = error.to_string();
    assert!(text.contains(&format!("`{call}`")) && text.contains(says), "{text}");
}

/// The same of something that cannot be printed.
fn assert_none<T>(result: Result<T>, call: &str, code: ffi::CUresult, says: &str) {
    assert_refused(result.map(drop), call, code, says);
}

#[test]
fn managed_memory_that_host_and_device_do_not_use_at_once() {
    lacking!(
        managed_memory_that_host_and_device_do_not_use_at_once,
        "CONCURRENT_MANAGED_ACCESS=0",
        {
            try_with_gpu(|gpu| {
                let before = live();
                let error = gpu.managed::<u32>(4).unwrap_err();
                assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
                assert!(error.to_string().contains("while kernels of this device run"), "{error}");
                assert_eq!(live(), before);
                // Page-locked memory goes, as the message says.
                drop(gpu.pinned::<u32>(4)?);
                Ok(())
            });
        }
    );
}

#[test]
fn a_device_without_managed_memory() {
    lacking!(a_device_without_managed_memory, "MANAGED_MEMORY=0", {
        try_with_gpu(|gpu| {
            let before = live();
            let none = gpu.managed::<u32>(4);
            assert_refused(none, "cuMemAllocManaged", NOT_SUPPORTED, "does not support");
            assert_eq!(live(), before);
            Ok(())
        });
    });
}

#[test]
fn a_device_without_pools() {
    lacking!(a_device_without_pools, "MEMORY_POOLS_SUPPORTED=0", {
        try_with_gpu(|gpu| {
            let (stream, before) = (gpu.stream()?, live());
            let says = "no pools of memory";
            assert_none(MemoryPool::create(gpu.device()), "cuMemPoolCreate", NOT_SUPPORTED, says);
            let none = gpu.on(&stream).alloc::<u32>(4);
            assert_refused(none, "cuMemAllocAsync", NOT_SUPPORTED, says);
            assert_eq!(live(), before);
            let ordered = gpu.ordered_stream()?;
            let none = ordered.alloc::<u32>(4);
            assert_none(none, "cuMemAllocAsync", NOT_SUPPORTED, says);
            drop(ordered);
            assert_eq!(live(), before);
            // Other memory is there.
            let mut x: DeviceBuffer<'_, u32> = gpu.alloc(4)?;
            gpu.on(&stream).fill(&mut x, 7)?;
            let mut host = [0; 4];
            gpu.on(&stream).download(&x, &mut host)?;
            assert_eq!(host, [7; 4]);
            Ok(())
        });
    });
}

#[test]
fn a_device_without_cooperative_launches() {
    lacking!(a_device_without_cooperative_launches, "COOPERATIVE_LAUNCH=0", {
        try_with_gpu(|gpu| {
            let (stream, store) = (gpu.stream()?, kernel(gpu, STORE, "store"));
            let mut x = gpu.alloc::<u32>(4)?;
            gpu.on(&stream).fill(&mut x, 1)?;
            let before = live();
            let launch = LaunchConfig::new(1, 1).extended().cooperative();
            // SAFETY: `store` takes a pointer and a number. It is refused.
            let none = unsafe { gpu.on(&stream).launch_unchecked(&store, launch, (&mut x, 2_u32)) };
            assert_refused(none, "cuLaunchKernelEx", NOT_SUPPORTED, "no cooperative launches");
            assert_eq!(live(), before);
            // SAFETY: as above.
            unsafe {
                gpu.on(&stream).launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut x, 2_u32))
            }?;
            let mut host = [0; 4];
            gpu.on(&stream).download(&x, &mut host)?;
            assert_eq!(host, [2, 1, 1, 1]);
            Ok(())
        });
    });
}

#[test]
fn devices_that_do_not_reach_each_other() {
    lacking!(devices_that_do_not_reach_each_other, "1:P2P_ATTRIBUTE_ACCESS_SUPPORTED=0", {
        let [first, second] = [0, 1].map(|ordinal| Device::get(ordinal).unwrap());
        assert!(!first.can_access_peer(second).unwrap());
        assert!(!second.can_access_peer(first).unwrap());
        let [one, two] = [first, second].map(new_context_on);
        let mut stack = ContextStack::current_thread().unwrap();
        let mut gpu = stack.push(&one).unwrap();
        let code = ffi::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
        let none = gpu.enable_peer_access(&two);
        assert_refused(none, "cuCtxEnablePeerAccess", code, "Device::can_access_peer");
        // Copies need no access, as the message says.
        let stream = gpu.stream().unwrap();
        let mut x = gpu.alloc::<u32>(2).unwrap();
        gpu.on(&stream).upload(&[1, 2], &mut x).unwrap();
        let inner = gpu.push(&two).unwrap();
        let stream = inner.stream().unwrap();
        let mut y = inner.alloc::<u32>(2).unwrap();
        inner.on(&stream).copy_from_peer(&x, &mut y).unwrap();
        let mut host = [0; 2];
        inner.on(&stream).download(&y, &mut host).unwrap();
        assert_eq!(host, [1, 2]);
    });
}

#[test]
#[cfg(unix)] // the handles of pools and of physical memory are descriptors
fn devices_that_share_nothing_with_other_processes() {
    use cuscope::virtual_memory::PhysicalMemory;
    lacking!(
        devices_that_share_nothing_with_other_processes,
        "IPC_EVENT_SUPPORTED=0,HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED=0,MEMPOOL_SUPPORTED_HANDLE_TYPES=0",
        {
            try_with_gpu(|gpu| {
                let x = gpu.alloc::<u32>(4)?;
                let flags = EventFlags::INTERPROCESS | EventFlags::DISABLE_TIMING;
                let event = gpu.event_with(flags)?;
                let (before, says) = (live(), "by file descriptors");
                assert_none(
                    gpu.export_buffer(&x),
                    "cuIpcGetMemHandle",
                    NOT_SUPPORTED,
                    "create_shareable",
                );
                assert_none(
                    gpu.export_event(&event),
                    "cuIpcGetEventHandle",
                    NOT_SUPPORTED,
                    "does not support",
                );
                let device = gpu.device();
                let pool = MemoryPool::create_shareable(device);
                assert_none(pool, "cuMemPoolCreate", NOT_SUPPORTED, says);
                let memory = PhysicalMemory::create_shareable(device, 2 << 20);
                assert_none(memory, "cuMemCreate", NOT_SUPPORTED, says);
                assert_eq!(live(), before);
                Ok(())
            });
        }
    );
}

#[test]
fn textures_and_surfaces_that_are_smaller() {
    lacking!(
        textures_and_surfaces_that_are_smaller,
        "MAXIMUM_TEXTURE2D_WIDTH=64,MAXIMUM_SURFACE3D_DEPTH=2",
        {
            try_with_gpu(|gpu| {
                let before = live();
                let shape = |width| ArrayShape::D2 { width, height: 1 };
                let none = gpu.alloc_array::<u32>(shape(65), ArrayFlags::default());
                let code = ffi::CUDA_ERROR_INVALID_VALUE;
                assert_none(none, "cuArray3DCreate_v2", code, "the device takes at most");
                let deep = ArrayShape::D3 { width: 1, height: 1, depth: 3 };
                let none = gpu.alloc_array::<u32>(deep, ArrayFlags::SURFACE);
                assert_none(none, "cuArray3DCreate_v2", code, "the device takes at most");
                assert_eq!(live(), before);
                drop(gpu.alloc_array::<u32>(shape(64), ArrayFlags::default())?);
                let width = ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH;
                assert_eq!(gpu.device().attribute(width)?, 64);
                Ok(())
            });
        }
    );
}

/// An extent of arrays, what they are for, and the name of its attribute.
type Limited = (fn(usize) -> ArrayShape, For, &'static str);

/// Extents that the device limits, in shapes whose other extents are 1.
const EXTENTS: &[Limited] = {
    use ArrayShape::{Cubemap, D1, D2, D3, Layered1, Layered2, LayeredCubemap};
    use For::{Gathers, Levels, Surfaces, SurfacesOfLevels, Textures};
    &[
        (|width| D1 { width }, Textures, "TEXTURE1D_WIDTH"),
        (|width| D1 { width }, Levels, "TEXTURE1D_MIPMAPPED_WIDTH"),
        (|width| D1 { width }, Surfaces, "SURFACE1D_WIDTH"),
        (|width| D1 { width }, SurfacesOfLevels, "SURFACE1D_WIDTH"),
        (|width| D2 { width, height: 1 }, Textures, "TEXTURE2D_WIDTH"),
        (|height| D2 { width: 1, height }, Textures, "TEXTURE2D_HEIGHT"),
        (|width| D2 { width, height: 1 }, Levels, "TEXTURE2D_MIPMAPPED_WIDTH"),
        (|height| D2 { width: 1, height }, Levels, "TEXTURE2D_MIPMAPPED_HEIGHT"),
        (|width| D2 { width, height: 1 }, Gathers, "TEXTURE2D_GATHER_WIDTH"),
        (|height| D2 { width: 1, height }, Gathers, "TEXTURE2D_GATHER_HEIGHT"),
        (|width| D2 { width, height: 1 }, Surfaces, "SURFACE2D_WIDTH"),
        (|height| D2 { width: 1, height }, Surfaces, "SURFACE2D_HEIGHT"),
        (|width| D2 { width, height: 1 }, SurfacesOfLevels, "SURFACE2D_WIDTH"),
        (|width| D3 { width, height: 1, depth: 1 }, Textures, "TEXTURE3D_WIDTH"),
        (|height| D3 { width: 1, height, depth: 1 }, Textures, "TEXTURE3D_HEIGHT"),
        (|depth| D3 { width: 1, height: 1, depth }, Textures, "TEXTURE3D_DEPTH_ALTERNATE"),
        (|width| D3 { width, height: 1, depth: 1 }, Surfaces, "SURFACE3D_WIDTH"),
        (|height| D3 { width: 1, height, depth: 1 }, Surfaces, "SURFACE3D_HEIGHT"),
        (|depth| D3 { width: 1, height: 1, depth }, Surfaces, "SURFACE3D_DEPTH"),
        (|width| Layered1 { width, layers: 1 }, Textures, "TEXTURE1D_LAYERED_WIDTH"),
        (|layers| Layered1 { width: 1, layers }, Textures, "TEXTURE1D_LAYERED_LAYERS"),
        (|width| Layered1 { width, layers: 1 }, Surfaces, "SURFACE1D_LAYERED_WIDTH"),
        (|layers| Layered1 { width: 1, layers }, Surfaces, "SURFACE1D_LAYERED_LAYERS"),
        (|width| Layered2 { width, height: 1, layers: 1 }, Textures, "TEXTURE2D_LAYERED_WIDTH"),
        (|height| Layered2 { width: 1, height, layers: 1 }, Textures, "TEXTURE2D_LAYERED_HEIGHT"),
        (|layers| Layered2 { width: 1, height: 1, layers }, Textures, "TEXTURE2D_LAYERED_LAYERS"),
        (|width| Layered2 { width, height: 1, layers: 1 }, Surfaces, "SURFACE2D_LAYERED_WIDTH"),
        (|height| Layered2 { width: 1, height, layers: 1 }, Surfaces, "SURFACE2D_LAYERED_HEIGHT"),
        (|layers| Layered2 { width: 1, height: 1, layers }, Surfaces, "SURFACE2D_LAYERED_LAYERS"),
        (|width| Cubemap { width }, Textures, "TEXTURECUBEMAP_WIDTH"),
        (|width| Cubemap { width }, Surfaces, "SURFACECUBEMAP_WIDTH"),
        (|width| LayeredCubemap { width, cubes: 1 }, Textures, "TEXTURECUBEMAP_LAYERED_WIDTH"),
        (|width| LayeredCubemap { width, cubes: 1 }, Surfaces, "SURFACECUBEMAP_LAYERED_WIDTH"),
    ]
};

#[derive(Clone, Copy, PartialEq)]
enum For {
    Textures,
    Levels,
    Gathers,
    Surfaces,
    SurfacesOfLevels,
}

#[test]
fn each_extent_of_an_array_has_a_limit_of_its_own() {
    // From 100 on, and each attribute its own number.
    let named: BTreeSet<_> = EXTENTS.iter().map(|&(.., attribute)| attribute).collect();
    let limits: BTreeMap<_, _> = named.into_iter().zip(100..).collect();
    // Textures that are deeper than usual have only this depth.
    let flat = ["TEXTURE3D_DEPTH", "TEXTURE3D_WIDTH_ALTERNATE", "TEXTURE3D_HEIGHT_ALTERNATE"];
    let flat = flat.iter().zip([&1; 3]);
    let lowered = limits.iter().chain(flat);
    let lowered = lowered.map(|(attribute, most)| format!("MAXIMUM_{attribute}={most}"));
    let lowered = lowered.collect::<Vec<_>>().join(",");
    lacking!(each_extent_of_an_array_has_a_limit_of_its_own, lowered.as_str(), {
        try_with_gpu(|gpu| {
            let before = live();
            for &(shape, of, attribute) in EXTENTS {
                let most: usize = limits[attribute];
                let flags = match of {
                    For::Textures | For::Levels => ArrayFlags::empty(),
                    For::Gathers => ArrayFlags::GATHER,
                    For::Surfaces | For::SurfacesOfLevels => ArrayFlags::SURFACE,
                };
                let alloc = |extent| match of {
                    For::Levels | For::SurfacesOfLevels => {
                        gpu.alloc_mipmapped_array::<u32>(shape(extent), 1, flags).map(drop)
                    }
                    _ => gpu.alloc_array::<u32>(shape(extent), flags).map(drop),
                };
                alloc(most).unwrap_or_else(|error| panic!("{attribute}: {error}"));
                let text = alloc(most + 1).expect_err(attribute).to_string();
                let says = format!("the array has {} ", most + 1);
                let at_most = format!("at most {most} ");
                assert!(text.contains(&says) && text.contains(&at_most), "{attribute}: {text}");
            }
            assert_eq!(live(), before);
            Ok(())
        });
    });
}

/// Textures that are deeper than usual have limits of their own.
#[test]
fn deep_arrays_have_another_width_and_height() {
    let most = [("WIDTH", 20), ("HEIGHT", 30), ("DEPTH", 1)];
    let deep = [("WIDTH_ALTERNATE", 2), ("HEIGHT_ALTERNATE", 3), ("DEPTH_ALTERNATE", 10)];
    let lowered = most.iter().chain(&deep);
    let lowered: Vec<_> =
        lowered.map(|(extent, most)| format!("MAXIMUM_TEXTURE3D_{extent}={most}")).collect();
    let lowered = lowered.join(",");
    lacking!(deep_arrays_have_another_width_and_height, lowered.as_str(), {
        try_with_gpu(|gpu| {
            let alloc = |width, height| {
                let shape = ArrayShape::D3 { width, height, depth: 5 };
                gpu.alloc_array::<u32>(shape, ArrayFlags::empty()).map(drop)
            };
            alloc(2, 3)?;
            for (width, height, has, most) in [(3, 3, 3, 2), (2, 4, 4, 3)] {
                let text = alloc(width, height).unwrap_err().to_string();
                let words = [format!("the array has {has} "), format!("at most {most} ")];
                assert!(words.iter().all(|words| text.contains(words)), "{text}");
            }
            Ok(())
        });
    });
}

#[test]
fn devices_without_multicast_objects() {
    lacking!(devices_without_multicast_objects, "1:MULTICAST_SUPPORTED=0", {
        let devices = Device::all().unwrap();
        assert!(!Multicast::is_supported(devices[1]).unwrap());
        let none = Multicast::create(&devices, 2 << 20);
        assert_none(none, "cuMulticastCreate", NOT_SUPPORTED, "device 1 has no multicast objects");
    });
}
