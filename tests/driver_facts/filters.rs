//! Results of textures from several texels, and from indices: F376 to F378, F380.

use crate::raw::texels::*;
use crate::raw::*;
use cuscope::ffi::*;

const CLAMP: CUaddress_mode = CU_TR_ADDRESS_MODE_CLAMP;
const LINEAR: CUfilter_mode = CU_TR_FILTER_MODE_LINEAR;
const POINT: CUfilter_mode = CU_TR_FILTER_MODE_POINT;
const INTEGERS: u32 = CU_TRSF_READ_AS_INTEGER;

/// A row of texels of one channel.
fn row(format: CUarray_format, bytes: usize, texels: &[u32]) -> CUarray {
    let array = array(CUDA_ARRAY3D_DESCRIPTOR {
        Width: texels.len(),
        Height: 0,
        Depth: 0,
        Format: format,
        NumChannels: 1,
        Flags: 0,
    });
    let host: Vec<u8> =
        texels.iter().flat_map(|texel| texel.to_le_bytes()[..bytes].to_vec()).collect();
    ok!(cuMemcpyHtoA_v2(array, 0, host.as_ptr().cast(), host.len()));
    array
}

/// The first channel, as it comes, of a row's texture at some places.
fn at(array: CUarray, filter: CUfilter_mode, flags: u32, places: &[f32]) -> Vec<u32> {
    let texture = texture(&of_array(array), &sampled(CLAMP, filter, flags));
    let inputs: Vec<_> = places.iter().map(|x| [x.to_bits(), 0, 0, 0]).collect();
    let fetch = "tex.1d.v4.u32.f32 {%o1, %o2, %o3, %o4}, [%rd3, {%f2}];";
    let texels = run(fetch, &inputs, texture).iter().map(|texel| texel[0]).collect();
    ok!(cuTexObjectDestroy(texture));
    texels
}

/// F376
#[test]
fn the_shares_of_the_corners_are_rounded_and_add_up() {
    // Weights of the second texel by x, y and z, and the shares of the eight corners.
    let expected = [
        ([16, 232, 128], [11, 109, 1, 7, 11, 109, 1, 7]),
        ([24, 224, 128], [15, 101, 1, 11, 15, 101, 1, 11]),
        ([74, 108, 173], [34, 25, 14, 10, 71, 52, 29, 21]),
        ([8, 240, 0], [16, 232, 0, 8, 0, 0, 0, 0]),
    ];
    let a = Place::new();
    within(a.context, || {
        for (x, y, z) in (0..8).map(|corner| (corner & 1, corner >> 1 & 1, corner >> 2)) {
            let values: [f32; 8] =
                std::array::from_fn(|i| f32::from(u8::from(i == x + 2 * y + 4 * z)));
            let array = array(floats([2, 2, 2], 0));
            let copy = CUDA_MEMCPY3D {
                srcMemoryType: CU_MEMORYTYPE_HOST,
                srcHost: values.as_ptr().cast(),
                dstMemoryType: CU_MEMORYTYPE_ARRAY,
                dstArray: array,
                WidthInBytes: 8,
                Height: 2,
                Depth: 2,
                ..all_zeros()
            };
            ok!(cuMemcpy3D_v2(&raw const copy));
            let texture = texture(&of_array(array), &sampled(CLAMP, LINEAR, 0));
            let places: Vec<_> = expected
                .map(|(weights, _)| {
                    let [x, y, z] = weights.map(|weight| 0.5 + weight as f32 / 256.0);
                    [x, y, z, 0.0]
                })
                .to_vec();
            let fetch = "tex.3d.v4.f32.f32 {%o1, %o2, %o3, %o4}, [%rd3, {%f2, %f3, %f4, %f4}];";
            let corner = 4 * z + 2 * x + y;
            let shares = expected.map(|(_, shares)| shares[corner] as f32 / 256.0);
            assert_eq!(fetched(fetch, &places, texture), shares, "{x} {y} {z}");
            ok!(cuTexObjectDestroy(texture));
            ok!(cuArrayDestroy(array));
        }
    });
    a.destroy();
}

/// F376
#[test]
fn numbers_of_8_and_16_bits_are_filtered_in_steps_of_16_bits() {
    let a = Place::new();
    within(a.context, || {
        let places: Vec<f32> = (0..=16).map(|i| 0.5 + i as f32 / 16.0).collect();
        for (format, bytes) in [(CU_AD_FORMAT_UNSIGNED_INT8, 1), (CU_AD_FORMAT_UNSIGNED_INT16, 2)] {
            let array = row(format, bytes, &[10, 31]);
            let [one, other] =
                [10_u32, 31].map(|texel| if bytes == 1 { texel * 257 } else { texel });
            for (i, texel) in at(array, LINEAR, 0, &places).into_iter().enumerate() {
                let i = i as u32;
                let step = (one * (16 - i) + other * i + 8) / 16;
                assert_eq!(f32::from_bits(texel), step as f32 / 65535.0, "{bytes}: {i}");
            }
            ok!(cuArrayDestroy(array));
        }
        // Subnormal numbers are 0, and what is no number has one form.
        let texels = [1.0, f32::from_bits(5), f32::NAN, 2.0, -0.0, 0.0].map(f32::to_bits);
        let array = row(CU_AD_FORMAT_FLOAT, 4, &texels);
        let filtered = at(array, LINEAR, 0, &[1.0, 1.5, 2.25, 2.5, 3.5, 4.5, 5.0]);
        let nan = 0x7fff_ffff;
        assert_eq!(filtered, [0x3f00_0000, 0, nan, nan, 2_f32.to_bits(), 1 << 31, 0]);
        assert_eq!(at(array, POINT, 0, &[1.5, 2.5, 4.5]), [5, f32::NAN.to_bits(), 1 << 31]);
        ok!(cuArrayDestroy(array));
    });
    a.destroy();
}

/// F377
#[test]
fn integers_are_filtered_to_integers() {
    let a = Place::new();
    within(a.context, || {
        let places: Vec<f32> = (0..=16).map(|i| 0.5 + i as f32 / 16.0).collect();
        for (format, bytes) in FORMATS {
            let signed =
                [CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32]
                    .contains(&format);
            if [CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT].contains(&format) {
                continue;
            }
            for (one, other) in [(10, 31), (0, 3), (-7, -10), (-1, 0)] {
                let array = row(format, bytes, &[one as u32, other as u32]);
                let bits = 8 * bytes as u32;
                let [one, other] = [one, other]
                    .map(|texel: i64| if signed { texel } else { texel & ((1 << bits) - 1) });
                let texels = at(array, LINEAR, INTEGERS, &places);
                for (i, texel) in texels.into_iter().enumerate() {
                    let i = i as i64;
                    // To the nearest one; of 32 bits, to the one below.
                    let half = if bytes == 4 { 0 } else { 8 };
                    let expected = (one * (16 - i) + other * i + half).div_euclid(16);
                    assert_eq!(texel, expected as u32, "{format:?} {one} {other} {i}");
                }
                ok!(cuArrayDestroy(array));
            }
        }
    });
    a.destroy();
}

/// F378
#[test]
fn srgb_values_become_linear_ones_of_14_bits() {
    let a = Place::new();
    within(a.context, || {
        let array = row(CU_AD_FORMAT_UNSIGNED_INT8, 1, &(0..256).collect::<Vec<_>>());
        let places: Vec<f32> = (0..256).map(|i| i as f32 + 0.5).collect();
        let texels = at(array, POINT, CU_TRSF_SRGB, &places);
        assert_eq!(at(array, LINEAR, CU_TRSF_SRGB, &places), texels);
        let texels: Vec<f32> =
            texels.into_iter().map(|texel| f32::from_bits(texel) * 16384.0).collect();
        for (value, texel) in
            [(0, 0.), (10, 50.), (100, 2080.), (200, 9472.), (250, 15616.), (255, 16384.)]
        {
            assert_eq!(texels[value], texel);
        }
        for (value, texel) in texels.into_iter().enumerate() {
            let value = value as f32 / 255.0;
            let linear =
                if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
            assert_eq!(texel.fract(), 0.0);
            assert!((texel / 16384.0 - linear).abs() <= linear * 0.0055 + 1e-6, "{value}: {texel}");
        }
        ok!(cuArrayDestroy(array));
    });
    a.destroy();
}

/// F380
#[test]
fn an_index_fetches_linear_memory_alone() {
    let a = Place::new();
    within(a.context, || {
        ok!(cuMemsetD32_v2(a.memory, 5_f32.to_bits(), 4));
        let array = row(CU_AD_FORMAT_FLOAT, 4, &[5_f32.to_bits(); 4]);
        let by_index = "tex.1d.v4.f32.s32 {%o1, %o2, %o3, %o4}, [%rd3, {%r2}];";
        for (resource, texel) in [(of_memory(a.memory, 16), 5_f32), (of_array(array), 0.0)] {
            let texture = texture(&resource, &sampled(CLAMP, POINT, 0));
            let texels = run(by_index, &[[0; 4], [3, 0, 0, 0]], texture);
            assert_eq!([texels[0][0], texels[1][0]], [texel.to_bits(); 2]);
            ok!(cuTexObjectDestroy(texture));
        }
        ok!(cuArrayDestroy(array));
    });
    a.destroy();
}
