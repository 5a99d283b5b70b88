//! Buffers and images of OpenGL and EGL: F473 to F482.
#![cfg(target_os = "linux")] // it draws by EGL

use crate::common::software;
use crate::gl::{Gl, Object, TEXTURE_2D, TEXTURE_2D_ARRAY, Texels};
use crate::raw::*;
use crate::{fresh, needs_gl, skip};
use cuscope::ffi::*;
use std::ffi::c_uint;
use std::ptr::null_mut;

const RENDERBUFFER: c_uint = 0x8D41;
const NO_GL: CUresult = CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;

/// The answer to the registration of a buffer, and the resource.
fn register(name: c_uint, flags: c_uint) -> (CUresult, CUgraphicsResource) {
    let mut resource = null_mut();
    (code!(cuGraphicsGLRegisterBuffer(&raw mut resource, name, flags)), resource)
}

fn register_image(name: c_uint, target: c_uint, flags: c_uint) -> (CUresult, CUgraphicsResource) {
    let mut resource = null_mut();
    (code!(cuGraphicsGLRegisterImage(&raw mut resource, name, target, flags)), resource)
}

fn registered(object: &Object) -> CUgraphicsResource {
    let (code, resource) = register(object.name(), 0);
    assert_eq!(code, SUCCESS);
    resource
}

fn map_all(resources: &mut [CUgraphicsResource], stream: CUstream) -> CUresult {
    code!(cuGraphicsMapResources(resources.len() as c_uint, resources.as_mut_ptr(), stream))
}

fn unmap_all(resources: &mut [CUgraphicsResource], stream: CUstream) -> CUresult {
    code!(cuGraphicsUnmapResources(resources.len() as c_uint, resources.as_mut_ptr(), stream))
}

fn map(resource: CUgraphicsResource, stream: CUstream) -> CUresult {
    map_all(&mut [resource], stream)
}

fn unmap(resource: CUgraphicsResource, stream: CUstream) -> CUresult {
    unmap_all(&mut [resource], stream)
}

fn unregister(resource: CUgraphicsResource) -> CUresult {
    code!(cuGraphicsUnregisterResource(resource))
}

/// The answer to the question where a buffer is mapped, and how large it is.
fn pointer(resource: CUgraphicsResource) -> (CUresult, CUdeviceptr, usize) {
    let (mut at, mut bytes) = (0, 0);
    let code = code!(cuGraphicsResourceGetMappedPointer_v2(&raw mut at, &raw mut bytes, resource));
    (code, at, bytes)
}

fn array(resource: CUgraphicsResource, layer: c_uint, level: c_uint) -> (CUresult, CUarray) {
    let mut array = null_mut();
    (code!(cuGraphicsSubResourceGetMappedArray(&raw mut array, resource, layer, level)), array)
}

fn levels(resource: CUgraphicsResource) -> (CUresult, CUmipmappedArray) {
    let mut array = null_mut();
    (code!(cuGraphicsResourceGetMappedMipmappedArray(&raw mut array, resource)), array)
}

fn set_flags(resource: CUgraphicsResource, flags: c_uint) -> CUresult {
    code!(cuGraphicsResourceSetMapFlags_v2(resource, flags))
}

/// Width, height, depth, channels and flags of an array.
fn described(array: CUarray) -> ([usize; 3], c_uint, c_uint) {
    let is: CUDA_ARRAY3D_DESCRIPTOR = made!(cuArray3DGetDescriptor_v2(array));
    ([is.Width, is.Height, is.Depth], is.NumChannels, is.Flags)
}

/// A context of OpenGL, a current one of CUDA, a stream of it, and a registered buffer of 64 bytes 7.
fn shared(gl: &Gl) -> (CUcontext, CUstream, Object, CUgraphicsResource) {
    let context = create_context();
    let buffer = gl.buffer(&[7; 64]);
    let resource = registered(&buffer);
    (context, free_stream(), buffer, resource)
}

/// F473
#[test]
fn a_program_without_opengl_registers_nothing() {
    fresh!(a_program_without_opengl_registers_nothing, {
        let context = create_context();
        let refused = register(1, 0).0;
        if !software() && refused == CUDA_ERROR_OPERATING_SYSTEM {
            skip!("this machine has no library of OpenGL");
        }
        assert_eq!(refused, NO_GL);
        assert_eq!(register_image(1, TEXTURE_2D, 0).0, NO_GL);
        // Refusals that need no context come before.
        for flags in [3, 4, 8, 16] {
            assert_eq!(register(1, flags).0, INVALID_VALUE, "{flags}");
        }
        assert_eq!(register_image(1, TEXTURE_2D, 3).0, NO_GL, "an image has more of them");
        assert_eq!(register_image(1, TEXTURE_2D, 16).0, INVALID_VALUE);
        assert_eq!(register_image(1, 7, 0).0, INVALID_VALUE);
        assert_eq!(
            (register(0, 0).0, register_image(0, TEXTURE_2D, 0).0),
            (INVALID_VALUE, INVALID_VALUE)
        );
        each_gives!(INVALID_VALUE; {
            cuGraphicsGLRegisterBuffer(null_mut(), 1, 0);
            cuGraphicsGLRegisterImage(null_mut(), 1, TEXTURE_2D, 0);
        });
        let (mut count, mut devices) = (7, [0; 4]);
        for list in 0..5 {
            let (to, list) = (devices.as_mut_ptr(), CUGLDeviceList(list));
            assert_eq!(code!(cuGLGetDevices_v2(&raw mut count, to, 4, list)), NO_GL);
        }
        each_gives!(NO_GL; { cuGLGetDevices_v2(null_mut(), null_mut(), 0, CUGLDeviceList(1)); });
        assert_eq!((count, pop()), (7, context));
        let none = CUDA_ERROR_INVALID_CONTEXT;
        assert_eq!((register(1, 0).0, register(1, 16).0), (none, none));
        assert_eq!(register_image(1, TEXTURE_2D, 0).0, none);
    });
}

/// F474
#[test]
fn a_registration_wants_an_object_with_memory() {
    let gl = needs_gl!();
    let _context = create_context();
    let (buffer, image) = (gl.buffer(&[7; 64]), gl.image(TEXTURE_2D, Texels::Rgba8, [4, 4, 1], 1));
    assert_eq!(register(9999, 0).0, INVALID_HANDLE);
    assert_eq!(register_image(9999, TEXTURE_2D, 0).0, INVALID_HANDLE);
    assert_eq!(register_image(image.name(), RENDERBUFFER, 0).0, INVALID_HANDLE);
    assert_eq!(register_image(image.name(), 7, 0).0, INVALID_VALUE);
    assert_eq!(register(gl.buffer(&[]).name(), 0).0, CUDA_ERROR_OUT_OF_MEMORY);
    let all = 0..=15;
    let each = |flags| (register_image(image.name(), TEXTURE_2D, flags), flags);
    for ((code, resource), flags) in all.map(each) {
        assert_eq!((code, unregister(resource)), (SUCCESS, SUCCESS), "{flags}");
    }
    // Two registrations of one object are two resources, and both may be mapped.
    let (one, other, stream) = (registered(&buffer), registered(&buffer), free_stream());
    assert_ne!(one, other);
    assert_eq!((map(one, stream), map(other, stream)), (SUCCESS, SUCCESS));
    assert_eq!((unmap(other, stream), unmap(one, stream)), (SUCCESS, SUCCESS));
    assert_eq!((unregister(other), unregister(one)), (SUCCESS, SUCCESS));
    let (mut count, mut devices) = (7, [7; 4]);
    for list in 1..4 {
        ok!(cuGLGetDevices_v2(&raw mut count, devices.as_mut_ptr(), 4, CUGLDeviceList(list)));
        assert_eq!((count, devices), (1, [0, 7, 7, 7]));
    }
    ok!(cuGLGetDevices_v2(&raw mut count, devices.as_mut_ptr(), 0, CUGLDeviceList(1)));
    assert_eq!(count, 0);
}

/// F475
#[test]
fn resources_are_mapped_and_unmapped_all_or_none() {
    let gl = needs_gl!();
    let (_context, stream, _buffer, one) = shared(&gl);
    let (first, second) = (gl.buffer(&[1; 64]), gl.buffer(&[2; 64]));
    let (first, second) = (registered(&first), registered(&second));
    let mapped = || [one, first, second].map(|each| pointer(each).0 == SUCCESS);
    let (already, not) = (CUDA_ERROR_ALREADY_MAPPED, CUDA_ERROR_NOT_MAPPED);
    assert_eq!((pointer(one).0, array(one, 0, 0).0, levels(one).0), (not, not, not));
    assert_eq!(unmap(one, stream), not);
    assert_eq!(map_all(&mut [one, one], stream), already);
    assert_eq!(map_all(&mut [one, null_mut()], stream), INVALID_HANDLE);
    assert_eq!(mapped(), [false; 3]);
    assert_eq!(map(second, stream), SUCCESS);
    assert_eq!(map_all(&mut [one, first, second], stream), already);
    assert_eq!(unmap_all(&mut [one, first, second], stream), not);
    assert_eq!(mapped(), [false, false, true]);
    assert_eq!(unmap_all(&mut [second, first], stream), not);
    assert_eq!(mapped(), [false, false, true]);
    assert_eq!(map_all(&mut [one, first], stream), SUCCESS);
    assert_eq!(unmap_all(&mut [first, first], stream), not);
    assert_eq!(mapped(), [true, false, true], "the first time has unmapped it");
    assert_eq!(map(first, stream), SUCCESS);
    assert_eq!(map(one, stream), already);
    assert_eq!(mapped(), [true; 3]);
    let (_, at, bytes) = pointer(one);
    assert!(at % 256 == 0 && bytes == 64);
    ok!(cuGraphicsResourceGetMappedPointer_v2(null_mut(), null_mut(), one));
    let wrong = CUDA_ERROR_NOT_MAPPED_AS_ARRAY;
    assert_eq!((array(one, 0, 0).0, levels(one).0), (wrong, wrong));
    let mut frame: CUeglFrame = all_zeros();
    assert_eq!(
        code!(cuGraphicsResourceGetMappedEglFrame(&raw mut frame, one, 0, 0)),
        INVALID_VALUE
    );
    assert_eq!(set_flags(one, 1), already);
    each_gives!(INVALID_VALUE; { cuMemFree_v2(at); });
    assert_eq!(unmap_all(&mut [one, first, second], stream), SUCCESS);
    assert_eq!(unmap(one, stream), not);
    let flags = [0, 1, 2, 3, 4].map(|flags| set_flags(one, flags));
    assert_eq!(flags, [SUCCESS, SUCCESS, SUCCESS, INVALID_VALUE, INVALID_VALUE]);
}

/// F476
#[test]
fn a_mapping_needs_no_current_context() {
    let gl = needs_gl!();
    let (context, stream, buffer, resource) = shared(&gl);
    let other = create_context();
    let others = free_stream();
    // The stream must be the context's.
    assert_eq!(
        (map(resource, others), map(resource, null_mut())),
        (INVALID_HANDLE, INVALID_HANDLE)
    );
    assert_eq!(map(resource, stream), SUCCESS);
    assert_eq!(
        (unmap(resource, others), unmap(resource, null_mut())),
        (INVALID_HANDLE, INVALID_HANDLE)
    );
    assert_eq!(unmap(resource, stream), SUCCESS);
    assert_eq!((pop(), pop(), current()), (other, context, null_mut()));
    assert_eq!((set_flags(resource, 0), map(resource, stream)), (SUCCESS, SUCCESS));
    assert_eq!((pointer(resource).0, unmap(resource, stream)), (SUCCESS, SUCCESS));
    assert_eq!(map(resource, null_mut()), CUDA_ERROR_INVALID_CONTEXT);
    assert_eq!(register(buffer.name(), 0).0, CUDA_ERROR_INVALID_CONTEXT);
    assert_eq!((unregister(resource), within(context, || registered(&buffer))).0, SUCCESS);
    // One that is mapped stays. It is left: a second time would kill the process.
    let resource = within(context, || registered(&buffer));
    assert_eq!((map(resource, stream), unregister(resource)), (SUCCESS, CUDA_ERROR_ALREADY_MAPPED));
    assert_eq!(unmap(resource, stream), SUCCESS);
}

/// F477
#[test]
fn without_a_current_context_of_opengl_nothing_is_mapped_or_unmapped() {
    let gl = needs_gl!();
    let (_context, stream, buffer, resource) = shared(&gl);
    let other = registered(&buffer);
    gl.current(false);
    assert_eq!(register(buffer.name(), 0).0, INVALID_VALUE);
    assert_eq!((map(resource, stream), pointer(resource).0), (NO_GL, CUDA_ERROR_NOT_MAPPED));
    assert_eq!((set_flags(resource, 0), unregister(other)), (SUCCESS, NO_GL));
    gl.current(true);
    assert_eq!((map(other, stream), unmap(other, stream)), (SUCCESS, SUCCESS));
    assert_eq!(map(resource, stream), SUCCESS);
    let (_, at, _) = pointer(resource);
    gl.current(false);
    assert_eq!(pointer(resource).0, SUCCESS);
    ok!(cuMemsetD8Async(at, 9, 64, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!((unmap(resource, stream), pointer(resource).0), (NO_GL, CUDA_ERROR_NOT_MAPPED));
    gl.current(true);
    let (already, not) = (CUDA_ERROR_ALREADY_MAPPED, CUDA_ERROR_NOT_MAPPED);
    assert_eq!((unmap(resource, stream), map(resource, stream)), (not, already));
    assert_eq!(gl.read(&buffer, 0, 64), [9; 64]);
    assert_eq!(unregister(resource), already);
}

/// F478
#[test]
fn opengl_comes_behind_the_stream_that_unmaps() {
    const BYTES: usize = 1 << 20;
    let gl = needs_gl!();
    let (_context, stream) = (create_context(), free_stream());
    let buffer = gl.buffer(&vec![7; BYTES]);
    let resource = registered(&buffer);
    for round in 0..4 {
        assert_eq!(map(resource, stream), SUCCESS);
        let (_, at, bytes) = pointer(resource);
        assert_eq!(bytes, BYTES);
        let mut old = 0_u8;
        ok!(cuMemcpyDtoHAsync_v2((&raw mut old).cast(), at, 1, stream));
        for value in 0..=round {
            ok!(cuMemsetD8Async(at, value, BYTES, stream));
        }
        assert_eq!(unmap(resource, stream), SUCCESS);
        assert!(gl.read(&buffer, 0, BYTES).iter().all(|&byte| byte == round));
        ok!(cuStreamSynchronize(stream));
        assert_eq!(old, if round == 0 { 7 } else { round - 1 });
    }
    assert_eq!(unregister(resource), SUCCESS);
}

/// F479
#[test]
fn a_mapped_image_has_its_layers_and_levels() {
    let gl = needs_gl!();
    let (_context, stream) = (create_context(), free_stream());
    let image = gl.image(TEXTURE_2D, Texels::Rgba8, [16, 8, 1], 5);
    let (code, resource) = register_image(image.name(), TEXTURE_2D, 0);
    assert_eq!((code, array(resource, 0, 0).0), (SUCCESS, CUDA_ERROR_NOT_MAPPED));
    assert_eq!(map(resource, stream), SUCCESS);
    assert_eq!(pointer(resource).0, CUDA_ERROR_NOT_MAPPED_AS_POINTER);
    assert_eq!((array(resource, 1, 0).0, array(resource, 0, 5).0), (INVALID_VALUE, INVALID_VALUE));
    let (_, all) = levels(resource);
    assert_eq!(levels(resource), (SUCCESS, all), "the same each time");
    for level in 0..5 {
        let (_, one) = array(resource, 0, level);
        let of_all = made!(cuMipmappedArrayGetLevel(all, level));
        let extents = [16 >> level, (8 >> level).max(1), 0];
        assert_eq!((described(one), described(of_all)), ((extents, 4, 0), (extents, 4, 0)));
    }
    assert_eq!((unmap(resource, stream), unregister(resource)), (SUCCESS, SUCCESS));

    let image = gl.image(TEXTURE_2D_ARRAY, Texels::R32f, [16, 8, 3], 2);
    let (_, resource) = register_image(image.name(), TEXTURE_2D_ARRAY, 4);
    assert_eq!(register_image(image.name(), TEXTURE_2D_ARRAY, 8).0, INVALID_VALUE);
    assert_eq!(map(resource, stream), SUCCESS);
    for layer in 0..3 {
        let (_, one) = array(resource, layer, 1);
        assert_eq!(described(one), ([8, 4, 0], 1, CUDA_ARRAY3D_SURFACE_LDST));
    }
    assert_eq!(array(resource, 3, 0).0, INVALID_VALUE);
    let layers = made!(cuMipmappedArrayGetLevel(levels(resource).1, 1));
    let flags = CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_LAYERED;
    assert_eq!(described(layers), ([8, 4, 3], 1, flags));
    // A value that is written to all layers at once is in each of them.
    let texels: Vec<f32> = (0..96).map(|texel| texel as f32).collect();
    let copy = CUDA_MEMCPY3D {
        srcMemoryType: CU_MEMORYTYPE_HOST,
        srcHost: texels.as_ptr().cast(),
        srcPitch: 32,
        srcHeight: 4,
        dstMemoryType: CU_MEMORYTYPE_ARRAY,
        dstArray: layers,
        WidthInBytes: 32,
        Height: 4,
        Depth: 3,
        ..all_zeros()
    };
    ok!(cuMemcpy3DAsync_v2(&raw const copy, stream));
    let mut row = [0_f32; 8];
    let copy = CUDA_MEMCPY2D {
        srcMemoryType: CU_MEMORYTYPE_ARRAY,
        srcArray: array(resource, 2, 1).1,
        srcY: 1,
        dstMemoryType: CU_MEMORYTYPE_HOST,
        dstHost: row.as_mut_ptr().cast(),
        dstPitch: 32,
        WidthInBytes: 32,
        Height: 1,
        ..all_zeros()
    };
    ok!(cuMemcpy2DAsync_v2(&raw const copy, stream));
    assert_eq!(unmap(resource, stream), SUCCESS);
    let read = gl.read(&image, 1, 4 * 96);
    let read: Vec<_> = read.chunks(4).map(|b| f32::from_ne_bytes(b.try_into().unwrap())).collect();
    assert_eq!(read, texels);
    ok!(cuStreamSynchronize(stream));
    assert_eq!(row[..], texels[72..80]);
    assert_eq!(unregister(resource), SUCCESS);
}

/// F480
#[test]
fn an_image_of_egl_is_mapped_from_the_start() {
    let gl = needs_gl!();
    let (context, stream) = (create_context(), free_stream());
    let image = gl.image(TEXTURE_2D, Texels::Rgba8, [16, 8, 1], 1);
    let image = gl.egl_image(&image);
    let mut resource = null_mut();
    let mut register = |image, flags| {
        let code = code!(cuGraphicsEGLRegisterImage(&raw mut resource, image, flags));
        (code, resource)
    };
    for flags in [3, 4, 8, 16] {
        assert_eq!(register(image, flags).0, INVALID_VALUE, "{flags}");
    }
    assert_eq!(register(null_mut(), 0).0, CUDA_ERROR_UNKNOWN);
    each_gives!(INVALID_VALUE; { cuGraphicsEGLRegisterImage(null_mut(), null_mut(), 0); });
    // Nothing of it asks OpenGL.
    gl.current(false);
    for flags in [0, 1, 2] {
        let (code, resource) = register(image, flags);
        assert_eq!(code, SUCCESS);
        let unknown = CUDA_ERROR_UNKNOWN;
        assert_eq!((map(resource, stream), unmap(resource, stream)), (unknown, unknown));
        assert_eq!((levels(resource).0, set_flags(resource, 1)), (unknown, SUCCESS));
        assert_eq!(pointer(resource).0, CUDA_ERROR_NOT_MAPPED_AS_POINTER);
        let (code, one) = array(resource, 0, 0);
        let flags = CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER;
        assert_eq!((code, described(one)), (SUCCESS, ([16, 8, 0], 4, flags)));
        let mut frame: CUeglFrame = all_zeros();
        // Layer and level do not matter.
        for (layer, level) in [(0, 0), (1, 0), (0, 1)] {
            ok!(cuGraphicsResourceGetMappedEglFrame(&raw mut frame, resource, layer, level));
        }
        let extents = (frame.width, frame.height, frame.depth, frame.pitch);
        assert_eq!((extents, frame.planeCount, frame.numChannels), ((16, 8, 0, 0), 1, 4));
        assert_eq!(frame.frameType, CU_EGL_FRAME_TYPE_ARRAY);
        assert_eq!(frame.eglColorFormat, CU_EGL_COLOR_FORMAT_ABGR);
        assert_eq!(unregister(resource), SUCCESS);
    }
    assert_eq!(pop(), context);
    assert_eq!(register(image, 8).0, CUDA_ERROR_INVALID_CONTEXT);
}

/// F481
#[test]
fn captures_refuse_what_asks_opengl() {
    fresh!(captures_refuse_what_asks_opengl, {
        const REFUSED: CUresult = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        let gl = needs_gl!();
        let (_context, stream, buffer, resource) = shared(&gl);
        let captured = free_stream();
        let modes = [
            CU_STREAM_CAPTURE_MODE_GLOBAL,
            CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
            CU_STREAM_CAPTURE_MODE_RELAXED,
        ];
        for mode in modes {
            // The answer to a call during a capture, and whether that goes on.
            let during = |call: &dyn Fn() -> CUresult| {
                ok!(cuStreamBeginCapture_v2(captured, mode));
                let code = call();
                let mut graph = null_mut();
                (code, code!(cuStreamEndCapture(captured, &raw mut graph)) == SUCCESS)
            };
            let refused = if mode == CU_STREAM_CAPTURE_MODE_RELAXED {
                (SUCCESS, true)
            } else {
                (REFUSED, false)
            };
            assert_eq!(during(&|| register(buffer.name(), 0).0), refused, "{mode:?}");
            let other = registered(&buffer);
            assert_eq!(during(&|| unregister(other)), refused);
            if !refused.1 {
                assert_eq!(unregister(other), SUCCESS);
            }
            assert_eq!(during(&|| map(resource, captured)), (REFUSED, false));
            assert_eq!(during(&|| unmap(resource, captured)), (REFUSED, false));
            assert_eq!(during(&|| map(resource, stream)), refused);
            assert_eq!(pointer(resource).0 == SUCCESS, refused.1);
            if !refused.1 {
                assert_eq!(map(resource, stream), SUCCESS);
            }
            assert_eq!(during(&|| pointer(resource).0), (SUCCESS, true));
            assert_eq!(during(&|| unmap(resource, stream)), refused);
            if !refused.1 {
                assert_eq!(unmap(resource, stream), SUCCESS);
            }
            assert_eq!(during(&|| set_flags(resource, 0)), (SUCCESS, true));
        }
    });
}

/// F482
#[test]
fn a_fault_ends_resources_too() {
    fresh!(a_fault_ends_resources_too, {
        let gl = needs_gl!();
        let (_context, stream, buffer, resource) = shared(&gl);
        let mapped = registered(&buffer);
        assert_eq!(map(mapped, stream), SUCCESS);
        let trap = kernel(load_kernels(), c"stop_here");
        assert_eq!(launch(trap, stream, &[]), SUCCESS);
        let fault = code!(cuStreamSynchronize(stream));
        assert_ne!(fault, SUCCESS);
        assert_eq!((register(buffer.name(), 0).0, map(resource, stream)), (fault, fault));
        assert_eq!((pointer(mapped).0, set_flags(resource, 1)), (fault, fault));
        assert_eq!((unmap(mapped, stream), unregister(resource)), (fault, fault));
    });
}
