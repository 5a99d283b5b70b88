//! Textures and surfaces, and what kernels fetch from them: F366 to F374.

use crate::fresh;
use crate::raw::texels::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::{null, null_mut};

const POINT: CUfilter_mode = CU_TR_FILTER_MODE_POINT;
const LINEAR: CUfilter_mode = CU_TR_FILTER_MODE_LINEAR;
const WRAP: CUaddress_mode = CU_TR_ADDRESS_MODE_WRAP;
const CLAMP: CUaddress_mode = CU_TR_ADDRESS_MODE_CLAMP;
const MIRROR: CUaddress_mode = CU_TR_ADDRESS_MODE_MIRROR;
const BORDER: CUaddress_mode = CU_TR_ADDRESS_MODE_BORDER;
const INTEGERS: u32 = CU_TRSF_READ_AS_INTEGER;
const NORMALIZED: u32 = CU_TRSF_NORMALIZED_COORDINATES;

const ROW: &str = "tex.1d.v4.f32.f32 {%o1, %o2, %o3, %o4}, [%rd3, {%f2}];";
const PLANE: &str = "tex.2d.v4.f32.f32 {%o1, %o2, %o3, %o4}, [%rd3, {%f2, %f3}];";
const LAYER: &str = "tex.a2d.v4.f32.f32 {%o1, %o2, %o3, %o4}, [%rd3, {%r2, %f3, %f4, %f4}];";
const DETAIL: &str = "tex.level.2d.v4.f32.f32 {%o1, %o2, %o3, %o4}, [%rd3, {%f2, %f3}], %f4;";

/// F366
#[test]
fn a_texture_says_what_it_was_made_with() {
    let a = Place::new();
    within(a.context, || {
        let array = counting([16, 8, 0], 0);
        let mut how = sampled(BORDER, LINEAR, NORMALIZED);
        how.borderColor = [1.0, 2.0, 3.0, 4.0];
        let texture = texture(&of_array(array), &how);
        let mut resource: CUDA_RESOURCE_DESC = all_zeros();
        ok!(cuTexObjectGetResourceDesc(&raw mut resource, texture));
        assert_eq!(resource.resType, CU_RESOURCE_TYPE_ARRAY);
        // SAFETY: the type of the resource says that this member was written.
        assert_eq!(unsafe { resource.res.array.hArray }, array);
        let mut told: CUDA_TEXTURE_DESC = all_zeros();
        ok!(cuTexObjectGetTextureDesc(&raw mut told, texture));
        assert_eq!((told.addressMode, told.filterMode), (how.addressMode, LINEAR));
        assert_eq!((told.flags, told.borderColor), (NORMALIZED, [0.0; 4]));
        let view: CUDA_RESOURCE_VIEW_DESC = made!(cuTexObjectGetResourceViewDesc(texture));
        assert_eq!((view.format, view.width), (CU_RES_VIEW_FORMAT_NONE, 0));
        ok!(cuTexObjectDestroy(texture));
        // A handle that is no texture is destroyed, too.
        ok!(cuTexObjectDestroy(texture));
        assert_eq!(code!(cuTexObjectGetTextureDesc(&raw mut told, texture)), INVALID_VALUE);
        ok!(cuArrayDestroy(array));
    });
    a.destroy();
}

/// F366
#[test]
fn textures_that_cannot_be_read_are_refused() {
    let a = Place::new();
    within(a.context, || {
        let (array, how) = (counting([16, 8, 0], 0), sampled(CLAMP, POINT, 0));
        let good = of_array(array);
        let seamless = sampled(CLAMP, POINT, CU_TRSF_SEAMLESS_CUBEMAP);
        assert_eq!(textured(&good, &seamless).0, INVALID_VALUE);
        let mut texture = 0;
        each_gives!(INVALID_VALUE; {
            cuTexObjectCreate(null_mut(), &raw const good, &raw const how, null());
            cuTexObjectCreate(&raw mut texture, null(), &raw const how, null());
        });
        let mut flagged = good;
        flagged.flags = 1;
        assert_eq!(textured(&flagged, &how).0, INVALID_VALUE);
        // Memory is aligned as the device wants it, and holds no more elements than it has an attribute for.
        assert_eq!(textured(&of_memory(a.memory, 1024), &how).0, SUCCESS);
        assert_eq!(textured(&of_memory(a.memory + 4, 1024), &how).0, INVALID_VALUE);
        let mut rows: CUDA_RESOURCE_DESC = all_zeros();
        rows.resType = CU_RESOURCE_TYPE_PITCH2D;
        let mut of_rows = CUDA_RESOURCE_DESC_v1_res_pitch2D {
            devPtr: a.memory,
            format: CU_AD_FORMAT_FLOAT,
            numChannels: 1,
            width: 16,
            height: 4,
            pitchInBytes: 128,
        };
        rows.res.pitch2D = of_rows;
        assert_eq!(textured(&rows, &how).0, SUCCESS);
        of_rows.pitchInBytes = 100;
        rows.res.pitch2D = of_rows;
        assert_eq!(textured(&rows, &how).0, INVALID_VALUE);
        ok!(cuArrayDestroy(array));
    });
    let mut texture = 0;
    let (resource, how) = (of_memory(a.memory, 1024), sampled(CLAMP, POINT, 0));
    let (resource, how) = (&raw const resource, &raw const how);
    assert_eq!(code!(cuTexObjectCreate(&raw mut texture, resource, how, null())), INVALID_CONTEXT);
    a.destroy();
}

/// F367
#[test]
fn a_surface_has_an_array_made_for_it() {
    let a = Place::new();
    within(a.context, || {
        let (plain, array) =
            (counting([8, 4, 0], 0), counting([8, 4, 0], CUDA_ARRAY3D_SURFACE_LDST));
        let mut object = 0;
        let memory = of_memory(a.memory, 64);
        assert_eq!(code!(cuSurfObjectCreate(&raw mut object, &raw const memory)), INVALID_VALUE);
        // The flag is not asked for.
        ok!(cuSurfObjectDestroy(self::surface(plain)));
        let surface = surface(array);
        let mut resource: CUDA_RESOURCE_DESC = all_zeros();
        ok!(cuSurfObjectGetResourceDesc(&raw mut resource, surface));
        // SAFETY: the type of the resource says that this member was written.
        assert_eq!(unsafe { resource.res.array.hArray }, array);
        ok!(cuSurfObjectDestroy(surface));
        ok!(cuArrayDestroy(plain));
        ok!(cuArrayDestroy(array));
    });
    a.destroy();
}

/// F368
#[test]
fn the_edges_of_a_texture_are_as_it_says() {
    let a = Place::new();
    within(a.context, || {
        let array = counting([4, 0, 0], 0);
        let at = |edge, flags, place: &[f32]| {
            let mut how = sampled(edge, POINT, flags);
            how.borderColor = [7.0; 4];
            let texture = texture(&of_array(array), &how);
            let places: Vec<_> = place.iter().map(|&x| [x, 0.0, 0.0, 0.0]).collect();
            let texels = fetched(ROW, &places, texture);
            ok!(cuTexObjectDestroy(texture));
            texels
        };
        // The middles of the texels -2 to 6.
        let texels: Vec<_> = (-2..7).map(|i| i as f32 + 0.5).collect();
        let parts: Vec<_> = texels.iter().map(|x| x / 4.0).collect();
        assert_eq!(at(CLAMP, 0, &texels), [0., 0., 0., 1., 2., 3., 3., 3., 3.]);
        assert_eq!(at(BORDER, 0, &texels), [7., 7., 0., 1., 2., 3., 7., 7., 7.]);
        assert_eq!(at(CLAMP, NORMALIZED, &parts), [0., 0., 0., 1., 2., 3., 3., 3., 3.]);
        assert_eq!(at(WRAP, NORMALIZED, &parts), [2., 3., 0., 1., 2., 3., 0., 1., 2.]);
        assert_eq!(at(MIRROR, NORMALIZED, &parts), [1., 0., 0., 1., 2., 3., 3., 2., 1.]);
        assert_eq!(at(BORDER, NORMALIZED, &parts), [7., 7., 0., 1., 2., 3., 7., 7., 7.]);
        // These are for coordinates from 0 to 1: others are clamped.
        assert_eq!(at(WRAP, 0, &texels), at(CLAMP, 0, &texels));
        assert_eq!(at(MIRROR, 0, &texels), at(CLAMP, 0, &texels));
        // Linear memory has no edges.
        ok!(cuMemsetD32_v2(a.memory, 5_f32.to_bits(), 64));
        let texture = texture(&of_memory(a.memory, 256), &sampled(CLAMP, POINT, 0));
        let by_index = "tex.1d.v4.f32.s32 {%o1, %o2, %o3, %o4}, [%rd3, {%r2}];";
        let places = [0, 63, 64, u32::MAX].map(|i| [i, 0, 0, 0]);
        let texels: Vec<_> = run(by_index, &places, texture).iter().map(|texel| texel[0]).collect();
        assert_eq!(texels, [5_f32, 5.0, 0.0, 0.0].map(f32::to_bits));
        ok!(cuTexObjectDestroy(texture));
        ok!(cuArrayDestroy(array));
    });
    a.destroy();
}

/// F369
#[test]
fn a_filter_has_weights_of_eight_bits() {
    let a = Place::new();
    within(a.context, || {
        let array = counting([2, 2, 0], 0);
        let texture = texture(&of_array(array), &sampled(CLAMP, LINEAR, 0));
        for steps in 0..=64_u32 {
            // Places whose weights need no rounding.
            let share = steps as f32 / 64.0;
            let texels =
                fetched(PLANE, &[[0.5 + share, 0.5, 0., 0.], [0.5, 0.5 + share, 0., 0.]], texture);
            assert_eq!(texels, [share, 2.0 * share]);
        }
        // Others are off by a step at most.
        for i in 0..100 {
            let share = i as f32 / 101.0;
            let texels = fetched(PLANE, &[[0.5 + share, 1.5, 0., 0.]], texture);
            assert!((texels[0] - 2.0 - share).abs() <= 1.0 / 256.0, "{share}: {texels:?}");
            assert_eq!((texels[0] * 256.0).fract(), 0.0);
        }
        ok!(cuTexObjectDestroy(texture));
        ok!(cuArrayDestroy(array));
    });
    a.destroy();
}

/// F370
#[test]
fn formats_are_read_as_numbers_from_0_to_1_or_as_integers() {
    let a = Place::new();
    within(a.context, || {
        let read = |format, flags, ty: &str, bytes: [u8; 4]| {
            let one = CUDA_ARRAY_DESCRIPTOR { Width: 4, Height: 0, Format: format, NumChannels: 1 };
            let array: CUarray = made!(cuArrayCreate_v2(&raw const one));
            let size = FORMATS.iter().find(|one| one.0 == format).expect("a format").1;
            ok!(cuMemcpyHtoA_v2(array, 0, bytes.as_ptr().cast(), size));
            let texture = texture(&of_array(array), &sampled(CLAMP, POINT, flags));
            let fetch = format!("tex.1d.v4.{ty}.f32 {{%o1, %o2, %o3, %o4}}, [%rd3, {{%f2}}];");
            let texel = run(&fetch, &[[0.5_f32.to_bits(), 0, 0, 0]], texture)[0][0];
            ok!(cuTexObjectDestroy(texture));
            ok!(cuArrayDestroy(array));
            texel
        };
        let real = |format, bytes| f32::from_bits(read(format, 0, "f32", bytes));
        assert_eq!(real(CU_AD_FORMAT_UNSIGNED_INT8, [255, 0, 0, 0]), 1.0);
        assert_eq!(real(CU_AD_FORMAT_UNSIGNED_INT16, [255, 255, 0, 0]), 1.0);
        assert_eq!(real(CU_AD_FORMAT_SIGNED_INT8, [127, 0, 0, 0]), 1.0);
        assert_eq!(real(CU_AD_FORMAT_SIGNED_INT8, [128, 0, 0, 0]), -1.0);
        assert_eq!(real(CU_AD_FORMAT_SIGNED_INT16, [0, 128, 0, 0]), -1.0);
        assert_eq!(real(CU_AD_FORMAT_HALF, [0, 0x3c, 0, 0]), 1.0);
        assert_eq!(real(CU_AD_FORMAT_FLOAT, 1.5_f32.to_le_bytes()), 1.5);
        let bytes = [0x81, 0x82, 0x83, 0x84];
        assert_eq!(read(CU_AD_FORMAT_UNSIGNED_INT8, INTEGERS, "u32", bytes), 0x81);
        assert_eq!(read(CU_AD_FORMAT_SIGNED_INT8, INTEGERS, "s32", bytes), 0xffff_ff81);
        assert_eq!(read(CU_AD_FORMAT_UNSIGNED_INT16, INTEGERS, "u32", bytes), 0x8281);
        assert_eq!(read(CU_AD_FORMAT_SIGNED_INT16, INTEGERS, "s32", bytes), 0xffff_8281);
        assert_eq!(read(CU_AD_FORMAT_UNSIGNED_INT32, INTEGERS, "u32", bytes), 0x8483_8281);
        assert_eq!(read(CU_AD_FORMAT_SIGNED_INT32, 0, "s32", bytes), 0x8483_8281);
    });
    a.destroy();
}

/// F370
#[test]
fn channels_that_a_format_lacks_are_0() {
    let a = Place::new();
    within(a.context, || {
        let array = counting([4, 4, 0], 0);
        let texture = texture(&of_array(array), &sampled(CLAMP, POINT, 0));
        let place = [1.5_f32.to_bits(), 2.5_f32.to_bits(), 0, 0];
        assert_eq!(run(PLANE, &[place], texture), [[9_f32.to_bits(), 0, 0, 0]]);
        ok!(cuTexObjectDestroy(texture));
        ok!(cuArrayDestroy(array));
    });
    a.destroy();
}

/// F374
#[test]
fn objects_are_those_of_the_current_context() {
    let (a, b) = (Place::new(), Place::new());
    let how = sampled(CLAMP, POINT, 0);
    let (array, texture, surface) = within(a.context, || {
        let array = counting([4, 4, 0], 0);
        (array, texture(&of_array(array), &how), surface(array))
    });
    let resource = of_array(array);
    let (mut object, mut told) = (0, all_zeros());
    within(b.context, || {
        assert_eq!(textured(&resource, &how).0, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
        let created = code!(cuSurfObjectCreate(&raw mut object, &raw const resource));
        assert_eq!(created, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
        assert_eq!(code!(cuTexObjectGetTextureDesc(&raw mut told, texture)), INVALID_VALUE);
        // No texture here has this number.
        ok!(cuTexObjectDestroy(texture));
    });
    each_gives!(INVALID_CONTEXT; {
        cuTexObjectGetTextureDesc(&raw mut told, texture);
        cuTexObjectDestroy(texture);
        cuSurfObjectDestroy(surface);
    });
    ok!(cuArrayDestroy(array));
    a.destroy();
    b.destroy();
}

/// F371
#[test]
fn layers_and_levels_are_chosen() {
    let a = Place::new();
    within(a.context, || {
        let array = counting([4, 4, 3], CUDA_ARRAY3D_LAYERED);
        let layers = texture(&of_array(array), &sampled(CLAMP, POINT, 0));
        let places = [0, 1, 2].map(|layer| [layer, 1.5_f32.to_bits(), 2.5_f32.to_bits(), 0]);
        let texels = run(LAYER, &places, layers).into_iter().map(|texel| f32::from_bits(texel[0]));
        assert_eq!(texels.collect::<Vec<_>>(), [9.0, 25.0, 41.0]);
        ok!(cuTexObjectDestroy(layers));
        ok!(cuArrayDestroy(array));
        let one = floats([4, 4, 0], 0);
        let levels: CUmipmappedArray = made!(cuMipmappedArrayCreate(&raw const one, 3));
        for (level, size) in [(0_u8, 4), (1, 2), (2, 1)] {
            let array: CUarray = made!(cuMipmappedArrayGetLevel(levels, level.into()));
            let values = [f32::from(level); 16];
            let copy = CUDA_MEMCPY2D {
                srcMemoryType: CU_MEMORYTYPE_HOST,
                srcHost: values.as_ptr().cast(),
                dstMemoryType: CU_MEMORYTYPE_ARRAY,
                dstArray: array,
                WidthInBytes: size * 4,
                Height: size,
                ..all_zeros()
            };
            ok!(cuMemcpy2D_v2(&raw const copy));
        }
        let mut resource: CUDA_RESOURCE_DESC = all_zeros();
        resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        resource.res.mipmap = CUDA_RESOURCE_DESC_v1_res_mipmap { hMipmappedArray: levels };
        let mut how = sampled(CLAMP, LINEAR, NORMALIZED);
        (how.mipmapFilterMode, how.maxMipmapLevelClamp) = (LINEAR, 2.0);
        let texture = texture(&resource, &how);
        let places = [0.0, 0.5, 1.0, 1.25, 2.0, 9.0, -1.0].map(|level| [0.5, 0.5, level, 0.0]);
        assert_eq!(fetched(DETAIL, &places, texture), [0.0, 0.5, 1.0, 1.25, 2.0, 2.0, 0.0]);
        ok!(cuTexObjectDestroy(texture));
        ok!(cuMipmappedArrayDestroy(levels));
    });
    a.destroy();
}

/// F372
#[test]
fn surfaces_load_and_store_bytes() {
    let a = Place::new();
    within(a.context, || {
        let array = counting([8, 4, 0], CUDA_ARRAY3D_SURFACE_LDST);
        let surface = surface(array);
        let load = |beyond: &str, places: &[[u32; 4]]| -> Vec<f32> {
            let load = format!("suld.b.2d.b32.{beyond} %o1, [%rd3, {{%r2, %r3}}];");
            run(&load, places, surface).iter().map(|texel| f32::from_bits(texel[0])).collect()
        };
        let minus = u32::MAX - 3;
        let places = [[4, 1, 0, 0], [28, 3, 0, 0], [32, 1, 0, 0], [4, 4, 0, 0], [minus, 1, 0, 0]];
        assert_eq!(load("trap", &places[..2]), [9.0, 31.0]);
        assert_eq!(load("zero", &places), [9.0, 31.0, 0.0, 0.0, 0.0]);
        assert_eq!(load("clamp", &places), [9.0, 31.0, 15.0, 25.0, 8.0]);
        let store = "sust.b.2d.b32.zero [%rd3, {%r2, %r3}], %r4;";
        run(store, &[[4, 1, 77_f32.to_bits(), 0], [400, 1, 78_f32.to_bits(), 0]], surface);
        assert_eq!(load("trap", &[[0, 1, 0, 0], [4, 1, 0, 0], [28, 1, 0, 0]]), [8.0, 77.0, 15.0]);
        let size = "suq.width.b32 %o1, [%rd3]; suq.height.b32 %o2, [%rd3];";
        assert_eq!(run(size, &[[0; 4]], surface)[0][..2], [8, 4]);
        ok!(cuSurfObjectDestroy(surface));
        ok!(cuArrayDestroy(array));
    });
    a.destroy();
}

/// F373
#[test]
fn a_trap_beyond_a_surface_ends_the_launch() {
    fresh!(a_trap_beyond_a_surface_ends_the_launch, {
        die_quietly(60);
        let _a = place();
        let surface = surface(counting([8, 4, 0], CUDA_ARRAY3D_SURFACE_LDST));
        let ended = std::panic::catch_unwind(|| {
            run("suld.b.2d.b32.trap %o1, [%rd3, {%r2, %r3}];", &[[4, 4, 0, 0]], surface)
        });
        assert!(ended.is_err());
        assert_eq!(code!(cuCtxSynchronize()), ILLEGAL_ADDRESS);
    });
}
