//! Buffers and images of OpenGL.
#![cfg(target_os = "linux")] // it draws by EGL
#![allow(unsafe_code, reason = "registers objects of OpenGL")]

use crate::common::gpu::{kernel, new_context, with_gpu};
use crate::common::kernels::STORE;
use crate::gl::{Gl, Object, TEXTURE_2D, TEXTURE_2D_ARRAY, Texels};
use crate::{common, fresh, needs_gl, skip};
use cuscope::graphics::{GlDevices, GraphicsBuffer, GraphicsImage, Usage, gl_devices};
use cuscope::memory::BufferKind;
use cuscope::texture::{ArrayFlags, ArrayShape};
use cuscope::{
    Context, ContextStack, Error, LaunchConfig, PushedGuard, Result, ffi, on_release_error,
};
use cuscope_softdriver::control::live;
use cuscope_softdriver::faults::{clear, install};
use cuscope_softdriver::schedule;
use std::mem::MaybeUninit;
use std::sync::Mutex;
use std::sync::mpsc::channel;

fn refused<T: std::fmt::Debug>(result: Result<T>, code: ffi::CUresult) {
    assert_eq!(result.unwrap_err().code(), Some(code));
}

/// A buffer of OpenGL with so many words 7, registered.
fn words<'ctx>(gl: &Gl, gpu: &PushedGuard<'ctx>, len: usize) -> (Object, GraphicsBuffer<'ctx>) {
    let object = gl.buffer(&[7, 0, 0, 0].repeat(len));
    // SAFETY: 1. The context of OpenGL outlives the test. 2. It is read between mappings. 3. Registered once.
    let buffer = unsafe { gpu.register_gl_buffer(object.name(), Usage::ReadWrite) }.unwrap();
    (object, buffer)
}

/// The words that OpenGL reads.
fn read(gl: &Gl, object: &Object, part: usize, len: usize) -> Vec<u32> {
    let bytes = gl.read(object, part, 4 * len);
    bytes.chunks(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect()
}

/// Registers a plain image of two dimensions.
fn image<'ctx>(
    gpu: &PushedGuard<'ctx>,
    object: &Object,
    shape: ArrayShape,
) -> GraphicsImage<'ctx, [u8; 4]> {
    let (name, none) = (object.name(), ArrayFlags::empty());
    // SAFETY: 1. to 5. As for `words`, and the image has that level.
    unsafe { gpu.register_gl_image(name, TEXTURE_2D, shape, 1, none, Usage::ReadWrite) }.unwrap()
}

#[test]
fn a_mapped_buffer_is_used_like_any_other() {
    let gl = needs_gl!();
    with_gpu(|gpu| {
        let (stream, mut captured) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let on = gpu.on(&stream);
        let (object, buffer) = words(&gl, gpu, 100);
        assert!(!buffer.raw().is_null());
        assert_eq!(format!("{buffer:?}"), format!("GraphicsBuffer({:?})", gpu.context()));
        let mut x = on.map_buffer::<u32>(&buffer).unwrap();
        assert_eq!((x.len(), x.kind()), (100, BufferKind::Foreign));
        assert_eq!(on.to_vec(&x).unwrap(), [7; 100]);
        refused(on.map_buffer::<u32>(&buffer), ffi::CUDA_ERROR_ALREADY_MAPPED);
        on.fill(&mut x, 5).unwrap();
        gpu.scope(|s| {
            let mut x = s.hold(&mut x);
            let store = kernel(gpu, STORE, "store");
            // SAFETY: the kernel stores its second argument to its first.
            unsafe {
                s.on(&stream).launch_unchecked(
                    &store,
                    LaunchConfig::for_num_elems(1).unwrap(),
                    (&mut x, 9_u32),
                )
            }
        })
        .unwrap();
        drop(x);
        assert_eq!(read(&gl, &object, 0, 100)[..3], [9, 5, 5]);
        // A graph that has it keeps it mapped.
        let mut x = on.map_buffer::<u32>(&buffer).unwrap();
        let graph =
            gpu.capture(&mut captured, |c| c.stream().fill(&mut c.hold(&mut x), 8)).unwrap();
        on.replay(&graph, (&mut x,)).unwrap();
        drop(x);
        refused(on.map_buffer::<u32>(&buffer), ffi::CUDA_ERROR_ALREADY_MAPPED);
        drop(graph);
        assert_eq!(read(&gl, &object, 0, 100), [8; 100]);
        // As other elements, and the mapping keeps the registration.
        let mut x = on.map_buffer::<[f32; 4]>(&buffer).unwrap();
        assert_eq!(x.len(), 25);
        drop(buffer);
        on.zero(&mut x).unwrap();
        drop(x);
        assert_eq!(read(&gl, &object, 0, 100), [0; 100]);
    });
}

#[test]
fn an_ordered_stream_maps_and_unmaps_without_waiting() {
    let gl = needs_gl!();
    with_gpu(|gpu| {
        let (object, buffer) = words(&gl, gpu, 100);
        let ordered = gpu.ordered_stream().unwrap();
        let elsewhere = new_context().ordered_stream().unwrap().map_buffer::<u32>(&buffer);
        assert!(matches!(elsewhere.unwrap_err(), Error::OtherContext { .. }));
        let (go, waits) = channel::<()>();
        let mut x = ordered.map_buffer::<u32>(&buffer).unwrap();
        let old = ordered.download_owned(&x, gpu.pinned(100).unwrap()).unwrap();
        ordered.host_function(move || waits.recv().unwrap()).unwrap();
        ordered.fill(&mut x, 5).unwrap();
        drop(x);
        // The stream is held here, so neither the drop nor the next mapping has waited.
        let x = ordered.map_buffer::<u32>(&buffer).unwrap();
        go.send(()).unwrap();
        assert_eq!(old.wait().unwrap()[..], [7; 100]);
        assert_eq!(ordered.to_vec(&x).unwrap(), [5; 100]);
        // Memory that leaves the stream is used by all, and goes to another one.
        let mut x = x.into_idle(gpu).unwrap();
        gpu.on(&gpu.stream().unwrap()).fill(&mut x, 6).unwrap();
        let other = gpu.ordered_stream().unwrap();
        let mut x = ordered.adopt(x).unwrap();
        ordered.fill(&mut x, 7).unwrap();
        let mut x = other.hand_over(x).unwrap();
        // It is unmapped after the work in the stream that it came to.
        let (go, waits) = channel::<()>();
        other.host_function(move || waits.recv().unwrap()).unwrap();
        other.fill(&mut x, 8).unwrap();
        drop(x);
        ordered.synchronize().unwrap();
        go.send(()).unwrap();
        drop(buffer);
        assert_eq!(read(&gl, &object, 0, 100), [8; 100]);
    });
}

#[test]
fn a_shared_buffer_that_may_still_be_read_stays_mapped() {
    fresh!(a_shared_buffer_that_may_still_be_read_stays_mapped, {
        let gl = needs_gl!();
        if !common::software() {
            skip!("only the software driver fails on demand");
        }
        with_gpu(|gpu| {
            let (_object, buffer) = words(&gl, gpu, 100);
            let (home, reader) = (gpu.ordered_stream().unwrap(), gpu.ordered_stream().unwrap());
            let shared = home.map_buffer::<u32>(&buffer).unwrap().share();
            assert_eq!(reader.to_vec(&shared).unwrap(), [7; 100]);
            // The stream that reads is neither ordered before the end nor waited for.
            let plan = "cuEventRecord#1=UNKNOWN,cuStreamSynchronize#1=UNKNOWN,\
                        cuStreamSynchronize#2=UNKNOWN";
            install(plan.parse().unwrap());
            drop(shared);
            clear();
            refused(home.map_buffer::<u32>(&buffer), ffi::CUDA_ERROR_ALREADY_MAPPED);
        });
    });
}

#[test]
fn frames_alternate_between_cuda_and_opengl() {
    fresh!(frames_alternate_between_cuda_and_opengl, {
        let gl = needs_gl!();
        with_gpu(|gpu| {
            let (object, buffer) = words(&gl, gpu, 1000);
            let streams = [gpu.ordered_stream().unwrap(), gpu.ordered_stream().unwrap()];
            for frame in 0..20_u32 {
                let stream = &streams[frame as usize % 2];
                if common::software() {
                    schedule::seed(u64::from(frame));
                }
                let mut x = stream.map_buffer::<u32>(&buffer).unwrap();
                stream.fill(&mut x, frame + 100).unwrap();
                stream.fill(&mut x, frame).unwrap();
                drop(x);
                assert_eq!(read(&gl, &object, 0, 1000), [frame; 1000]);
            }
        });
    });
}

#[test]
fn an_image_is_mapped_with_its_levels() {
    let gl = needs_gl!();
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let object = gl.image(TEXTURE_2D_ARRAY, Texels::R32f, [8, 4, 3], 2);
        let (shape, name) =
            (ArrayShape::Layered2 { width: 8, height: 4, layers: 3 }, object.name());
        let flags = ArrayFlags::SURFACE;
        // SAFETY: 1. to 5. As for `words`, and the image has two levels.
        let image = unsafe {
            gpu.register_gl_image::<f32>(
                name,
                TEXTURE_2D_ARRAY,
                shape,
                2,
                flags,
                Usage::WriteDiscard,
            )
        }
        .unwrap();
        assert_eq!((image.shape(), image.levels()), (shape, 2));
        assert!(!image.raw().is_null());
        let text = format!("{image:?}");
        assert!(
            text.starts_with("GraphicsImage(Layered2 {") && text.contains("2 levels"),
            "{text}"
        );
        let mut levels = on.map_image(&image).unwrap();
        assert_eq!((levels.shape(), levels.levels(), levels.flags()), (shape, 2, flags));
        refused(on.map_image(&image), ffi::CUDA_ERROR_ALREADY_MAPPED);
        let texels: Vec<_> = (0..96_u8).map(f32::from).collect();
        on.upload(&texels, &mut levels.level_mut(0).unwrap()).unwrap();
        on.upload(&texels[..24], &mut levels.level_mut(1).unwrap()).unwrap();
        assert_eq!(on.to_vec(&levels.level(0).unwrap()).unwrap(), texels);
        drop(image);
        drop(levels);
        let bits = |texels: &[f32]| texels.iter().map(|texel| texel.to_bits()).collect::<Vec<_>>();
        assert_eq!(read(&gl, &object, 0, 96), bits(&texels));
        assert_eq!(read(&gl, &object, 1, 24), bits(&texels[..24]));
    });
}

/// The accesses of kernels to an image are chosen when it is registered.
#[test]
fn the_flags_of_an_image_are_those_of_its_arrays() {
    let gl = needs_gl!();
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let shape = ArrayShape::D2 { width: 8, height: 4 };
        for flags in [ArrayFlags::empty(), ArrayFlags::GATHER, ArrayFlags::SURFACE] {
            let object = gl.image(TEXTURE_2D, Texels::R32f, [8, 4, 1], 1);
            // SAFETY: 1. to 5. As for `image`.
            let image = unsafe {
                let (name, usage) = (object.name(), Usage::ReadOnly);
                gpu.register_gl_image::<f32>(name, TEXTURE_2D, shape, 1, flags, usage)
            };
            let levels = gpu.on(&stream).map_image(&image.unwrap()).unwrap();
            assert_eq!(levels.flags(), flags);
            let mut of_driver = MaybeUninit::<ffi::CUDA_ARRAY3D_DESCRIPTOR>::uninit();
            let mut level = std::ptr::null_mut();
            // SAFETY: writes one handle to `level`; the array is alive, and has a first level.
            let code = unsafe { ffi::cuMipmappedArrayGetLevel(&raw mut level, levels.raw(), 0) };
            assert_eq!(code, ffi::CUDA_SUCCESS);
            // SAFETY: writes one description to `of_driver`; the level is alive.
            let code = unsafe { ffi::cuArray3DGetDescriptor_v2(of_driver.as_mut_ptr(), level) };
            assert_eq!(code, ffi::CUDA_SUCCESS);
            // SAFETY: the driver wrote it.
            let of_driver = unsafe { of_driver.assume_init() };
            let gathers = of_driver.Flags & ffi::CUDA_ARRAY3D_TEXTURE_GATHER != 0;
            assert_eq!(gathers, flags.contains(ArrayFlags::GATHER));
            let stores = of_driver.Flags & ffi::CUDA_ARRAY3D_SURFACE_LDST != 0;
            assert_eq!(stores, flags.contains(ArrayFlags::SURFACE));
        }
    });
}

#[test]
fn an_image_of_another_shape_or_with_other_texels_is_refused() {
    let gl = needs_gl!();
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let object = gl.image(TEXTURE_2D, Texels::Rgba8, [8, 4, 1], 1);
        let invalid = |result: Result<_>, word: &str| {
            let error = result.map(|_: cuscope::texture::MipmappedArray<'_, _>| ()).unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
            assert!(error.to_string().contains(word), "{error}");
        };
        for shape in [
            ArrayShape::D2 { width: 4, height: 8 },
            ArrayShape::D3 { width: 8, height: 4, depth: 1 },
            ArrayShape::Layered2 { width: 8, height: 4, layers: 1 },
        ] {
            invalid(on.map_image(&image(gpu, &object, shape)), "another shape");
        }
        let shape = ArrayShape::D2 { width: 8, height: 4 };
        let (name, none) = (object.name(), ArrayFlags::empty());
        let register = |levels| {
            // SAFETY: 1. to 5. As above. What has other levels is refused.
            unsafe {
                gpu.register_gl_image::<f32>(name, TEXTURE_2D, shape, levels, none, Usage::ReadOnly)
            }
        };
        let other = register(1).unwrap();
        let error = on.map_image(&other).unwrap_err();
        assert!(error.to_string().contains("texels of another type"), "{error}");
        assert!(matches!(register(5).unwrap_err(), Error::InvalidArgument { .. }));
        // Each mapping has ended with its error.
        let mut levels = on.map_image(&image(gpu, &object, shape)).unwrap();
        on.upload(&[[1, 2, 3, 4]; 32], &mut levels.level_mut(0).unwrap()).unwrap();
        drop(levels);
        assert_eq!(gl.read(&object, 0, 128), [1, 2, 3, 4].repeat(32));
    });
}

#[test]
fn a_buffer_is_mapped_in_whole_elements() {
    let gl = needs_gl!();
    with_gpu(|gpu| {
        for which in [GlDevices::All, GlDevices::CurrentFrame, GlDevices::NextFrame] {
            assert_eq!(gl_devices(which).unwrap(), [gpu.device()], "{which:?}");
        }
        let object = gl.buffer(&[7; 10]);
        // SAFETY: 1. to 3. As for `words`.
        let buffer = unsafe { gpu.register_gl_buffer(object.name(), Usage::ReadWrite) }.unwrap();
        let (stream, ordered) = (gpu.stream().unwrap(), gpu.ordered_stream().unwrap());
        let error = gpu.on(&stream).map_buffer::<u32>(&buffer).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
        let error = ordered.map_buffer::<[u8; 3]>(&buffer).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
        assert_eq!(gpu.on(&stream).map_buffer::<u8>(&buffer).unwrap().len(), 10);
        // SAFETY: 1. to 3. There is no such buffer.
        let none = unsafe { gpu.register_gl_buffer(0, Usage::ReadOnly) };
        refused(none, ffi::CUDA_ERROR_INVALID_VALUE);
    });
}

#[test]
fn objects_of_another_context_are_refused() {
    let gl = needs_gl!();
    let leak = || -> &'static Context { Box::leak(Box::new(new_context())) };
    let stack: &'static mut ContextStack =
        Box::leak(Box::new(ContextStack::current_thread().unwrap()));
    let outer: &'static mut PushedGuard<'static> = Box::leak(Box::new(stack.push(leak()).unwrap()));
    let (_object, buffer) = words(&gl, outer, 4);
    let object = gl.image(TEXTURE_2D, Texels::Rgba8, [8, 4, 1], 1);
    let image = image(outer, &object, ArrayShape::D2 { width: 8, height: 4 });
    let gpu = outer.push(leak()).unwrap();
    let (stream, ordered) = (gpu.stream().unwrap(), gpu.ordered_stream().unwrap());
    let other = Error::OtherContext { call: "cuGraphicsMapResources" };
    assert_eq!(gpu.on(&stream).map_buffer::<u32>(&buffer).unwrap_err(), other);
    assert_eq!(gpu.on(&stream).map_image(&image).unwrap_err(), other);
    assert_eq!(ordered.map_buffer::<u32>(&buffer).unwrap_err(), other);
}

#[test]
fn without_opengl_on_the_thread_drops_fail_and_the_hook_hears_of_it() {
    fresh!(without_opengl_on_the_thread_drops_fail_and_the_hook_hears_of_it, {
        static HEARD: Mutex<Vec<&str>> = Mutex::new(Vec::new());
        on_release_error(|error| HEARD.lock().unwrap().push(error.call().unwrap()));
        let gl = needs_gl!();
        with_gpu(|gpu| {
            let stream = gpu.stream().unwrap();
            let on = gpu.on(&stream);
            let (_object, buffer) = words(&gl, gpu, 100);
            let (_other, lost) = words(&gl, gpu, 100);
            let x = on.map_buffer::<u32>(&lost).unwrap();
            gl.current(false);
            drop(x);
            let code = ffi::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;
            refused(on.map_buffer::<u32>(&buffer), code);
            refused(gpu.ordered_stream().unwrap().map_buffer::<u32>(&buffer), code);
            assert_eq!(gl_devices(GlDevices::CurrentFrame).unwrap_err().code(), Some(code));
            gl.current(true);
            refused(on.map_buffer::<u32>(&lost), ffi::CUDA_ERROR_ALREADY_MAPPED);
            drop(on.map_buffer::<u32>(&buffer).unwrap());
            drop(lost);
            gl.current(false);
            drop(buffer);
        });
        let heard = HEARD.lock().unwrap();
        let unregister = "cuGraphicsUnregisterResource";
        assert_eq!(*heard, ["cuGraphicsUnmapResources", unregister, unregister]);
    });
}

#[test]
fn nothing_of_graphics_is_left() {
    fresh!(nothing_of_graphics_is_left, {
        if !common::software() {
            crate::skip!("counts what the software driver has");
        }
        let gl = needs_gl!();
        for seed in 0..8 {
            schedule::seed(seed);
            let context = new_context();
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&context).unwrap();
            let before = live();
            {
                let (_object, buffer) = words(&gl, &gpu, 100);
                let object = gl.image(TEXTURE_2D, Texels::Rgba8, [8, 4, 1], 1);
                let image = image(&gpu, &object, ArrayShape::D2 { width: 8, height: 4 });
                let (stream, ordered) = (gpu.stream().unwrap(), gpu.ordered_stream().unwrap());
                assert_eq!(live().graphics_resources, 2);
                let levels = gpu.on(&stream).map_image(&image).unwrap();
                let mut x = ordered.map_buffer::<u32>(&buffer).unwrap();
                ordered.fill(&mut x, 1).unwrap();
                drop((buffer, image, levels));
            }
            assert_eq!(live(), before);
        }
    });
}

/// Such a thread may make no call of the driver, and has no OpenGL. What it is given is `'static` here, as its guard is leaked.
#[test]
fn what_a_thread_of_the_driver_drops_is_released_later() {
    fresh!(what_a_thread_of_the_driver_drops_is_released_later, {
        if !common::software() {
            crate::skip!("counts what the software driver has");
        }
        let gl = needs_gl!();
        let context: &'static Context = Box::leak(Box::new(new_context()));
        let stack = Box::leak(Box::new(ContextStack::current_thread().unwrap()));
        let gpu = stack.push(context).unwrap();
        let stream = gpu.stream().unwrap();
        let (object, buffer) = words(&gl, &gpu, 4);
        let (_other, spare) = words(&gl, &gpu, 4);
        let x = gpu.on(&stream).map_buffer::<u32>(&buffer).unwrap();
        drop(buffer); // the mapping keeps the registration
        let (left, told) = channel();
        let there = move || {
            drop((x, spare));
            left.send(live().graphics_resources).unwrap();
        };
        gpu.on(&stream).host_function(there).unwrap();
        assert_eq!(told.recv(), Ok(2));
        // As nearly every program does now and then.
        ContextStack::reentrant(|_| Ok(())).unwrap();
        assert_eq!(live().graphics_resources, 0);
        assert_eq!(read(&gl, &object, 0, 4), [7; 4]);
    });
}
