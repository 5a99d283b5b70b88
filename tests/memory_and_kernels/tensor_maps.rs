//! Tensor maps: how they are encoded, what is refused, and that a launch takes them as it takes their memory.
#![allow(unsafe_code, reason = "launches kernels, and calls the driver")]

use crate::common::gpu::with_gpu;
use crate::skip;
use cuscope::kernel::TensorMapValue;
use cuscope::tensor_map::{
    FloatFormat, Interleave, L2Promotion, Swizzle, TensorKind, TensorLayout, TensorMap,
};
use cuscope::{Error, LaunchConfig, Out, ffi};

/// Copies the first two words of the map that it gets to `out`: `first(unsigned long *, CUtensorMap)`.
const FIRST: &str = r"
.version 7.0
.target sm_52
.address_size 64
.visible .entry first(.param .u64 out, .param .align 64 .b8 map[128])
{
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    ld.param.u64 %rd2, [map];
    ld.param.u64 %rd3, [map+8];
    st.global.u64 [%rd1], %rd2;
    st.global.u64 [%rd1+8], %rd3;
    ret;
}
";

/// Leaves the test on a device without the accelerator.
macro_rules! accelerator {
    ($gpu:expr) => {
        if $gpu.device().compute_capability().unwrap().0 < 9 {
            skip!("the device has no tensor memory accelerator");
        }
    };
}

fn words<M>(map: &TensorMap<M>) -> [u64; 16] {
    map.raw().opaque
}

/// Each setting is another one to the driver, which has not all for each device.
#[test]
fn every_setting_is_told_apart() {
    with_gpu(|gpu| {
        accelerator!(gpu);
        let x = gpu.alloc::<f32>(256 * 128).unwrap();
        let layout = TensorLayout::tiled(&[256, 128], &[8, 64]);
        let swizzles = [
            Swizzle::None,
            Swizzle::Bytes32,
            Swizzle::Bytes64,
            Swizzle::Bytes128,
            Swizzle::Bytes128Atom32,
            Swizzle::Bytes128Atom32Flip8,
            Swizzle::Bytes128Atom64,
        ];
        let promotions = [L2Promotion::Bytes64, L2Promotion::Bytes128, L2Promotion::Bytes256];
        let formats =
            [FloatFormat::FlushDenormals, FloatFormat::Tf32, FloatFormat::Tf32FlushDenormals];
        let mut layouts: Vec<_> = swizzles.map(|swizzle| layout.clone().swizzle(swizzle)).into();
        layouts.extend(promotions.map(|promotion| layout.clone().l2_promotion(promotion)));
        layouts.extend(formats.map(|format| layout.clone().float_format(format)));
        let mut seen = std::collections::HashSet::new();
        for layout in &layouts {
            match gpu.tensor_map(layout, &x) {
                Ok(map) => assert!(seen.insert(words(&map)), "{layout:?} is another's map"),
                Err(error) => {
                    assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE), "{layout:?}");
                }
            }
        }
        assert!(seen.len() >= 10, "{} of {}", seen.len(), layouts.len());
        let map = gpu.tensor_map(&layout, &x).unwrap();
        assert_eq!(format!("{map:?}"), "TensorMap");
        let encoded = layout.encode(gpu, TensorKind::F32, x.address()).unwrap();
        assert_eq!(
            (format!("{encoded:?}").as_str(), encoded.raw().opaque),
            ("EncodedMap", words(&map))
        );
        assert_eq!(map.into_memory().address(), x.address());
    });
}

#[test]
fn a_map_says_what_the_layout_says() {
    with_gpu(|gpu| {
        accelerator!(gpu);
        let x = gpu.alloc::<f32>(256 * 128).unwrap();
        let other = gpu.alloc::<f32>(256 * 128).unwrap();
        let layout = TensorLayout::tiled(&[256, 128], &[32, 64]);
        assert_eq!(layout.rank(), 2);
        let map = gpu.tensor_map(&layout, &x).unwrap();
        assert_eq!(words(&map), words(&gpu.tensor_map(&layout, &x).unwrap()));
        let differs = |layout: TensorLayout| {
            assert_ne!(words(&map), words(&gpu.tensor_map(&layout, &x).unwrap()), "{layout:?}");
        };
        differs(TensorLayout::tiled(&[256, 127], &[32, 64]));
        differs(TensorLayout::tiled(&[256, 128], &[32, 32]));
        differs(TensorLayout::tiled(&[256, 64], &[32, 64]).strides(&[2048]));
        differs(layout.clone().swizzle(Swizzle::Bytes128));
        differs(layout.clone().element_steps(&[1, 2]));
        differs(layout.clone().l2_promotion(L2Promotion::Bytes128));
        differs(layout.clone().nan_beyond());
        differs(layout.clone().float_format(FloatFormat::Tf32));
        assert_ne!(words(&map), words(&gpu.tensor_map(&layout, &other).unwrap()));
        // A map is moved to other memory by the driver in the same way.
        let mut moved = *map.raw();
        let address = std::ptr::without_provenance_mut(other.address() as usize);
        // SAFETY: a map that is aligned, and memory that the driver does not look at.
        let code = unsafe { ffi::cuTensorMapReplaceAddress(&raw mut moved, address) };
        assert_eq!(code, ffi::CUDA_SUCCESS);
        assert_eq!(moved.opaque, words(&gpu.tensor_map(&layout, &other).unwrap()));
        // A part of a buffer, and images.
        gpu.tensor_map(&layout, x.slice(..).unwrap()).unwrap();
        let images = TensorLayout::im2col(&[16, 32, 32, 2], &[-1, -1], &[-1, -1], 16, 64);
        gpu.tensor_map(&images, &x).unwrap();
        // 32 slices of 4 numbers in a row, or 32 of 8.
        let eight = TensorLayout::tiled(&[32, 16, 8], &[4, 8, 8]).interleave(Interleave::Bytes16);
        gpu.tensor_map(&eight, &x).unwrap();
        // The wider groups are shuffled within 32 bytes.
        let sixteen = eight.clone().interleave(Interleave::Bytes32).swizzle(Swizzle::Bytes32);
        let shuffled = eight.clone().swizzle(Swizzle::Bytes32);
        assert_ne!(
            words(&gpu.tensor_map(&sixteen, &x).unwrap()),
            words(&gpu.tensor_map(&shuffled, &x).unwrap())
        );
    });
}

#[test]
fn a_launch_takes_a_map_by_value_and_its_memory_by_reference() {
    with_gpu(|gpu| {
        accelerator!(gpu);
        let (mut stream, second) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let module = gpu.load_ptx(FIRST).unwrap();
        let first = module.function("first").unwrap();
        let typed = module.kernel::<(Out<u64>, TensorMapValue)>("first").unwrap();
        let (mut x, one) = (gpu.alloc::<f32>(64 * 64).unwrap(), LaunchConfig::new(1, 1));
        let mut out = gpu.alloc::<u64>(2).unwrap();
        let layout = TensorLayout::tiled(&[64, 64], &[32, 32]);
        let begin = words(&gpu.tensor_map(&layout, &x).unwrap())[..2].to_vec();
        let on = gpu.on(&stream);
        let map = gpu.tensor_map(&layout, &x).unwrap();
        // SAFETY: first(unsigned long *, CUtensorMap) writes two numbers.
        unsafe { on.launch_unchecked(&first, one, (&mut out, map)) }.unwrap();
        assert_eq!(on.to_vec(&out).unwrap(), begin);
        on.zero(&mut out).unwrap();
        let map = gpu.tensor_map(&layout, &mut x).unwrap();
        // SAFETY: as above.
        unsafe { on.launch_unchecked(&typed, one, (&mut out, map)) }.unwrap();
        assert_eq!(on.to_vec(&out).unwrap(), begin);
        on.zero(&mut out).unwrap();

        // In a scope it is ordered as its memory is.
        gpu.scope(|s| {
            let (a, b) = (s.on(&stream), s.on(&second));
            let (mut x, mut out) = (s.hold(&mut x), s.hold(&mut out));
            a.zero(&mut x)?;
            let map = gpu.tensor_map(&layout, &mut x)?;
            // SAFETY: as above.
            unsafe { b.launch_unchecked(&first, one, (&mut out, map)) }?;
            a.fill(&mut x, 1.0)
        })
        .unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&out).unwrap(), begin);
        gpu.on(&stream).zero(&mut out).unwrap();

        // A graph owns the memory of its maps, and takes its buffers as ever.
        let graph = gpu.capture(&mut stream, |c| {
            let map = gpu.tensor_map(&layout, &x)?;
            // SAFETY: as above.
            unsafe { c.stream().launch_unchecked(&first, one, (&mut c.hold(&mut out), map)) }
        });
        let graph = graph.unwrap();
        gpu.on(&stream).replay(&graph, (&x, &mut out)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&out).unwrap(), begin);

        let ordered = gpu.ordered_stream().unwrap();
        let (x, mut out) = (ordered.adopt(x).unwrap(), ordered.zeroed::<u64>(2).unwrap());
        let map = gpu.tensor_map(&layout, &x).unwrap();
        // SAFETY: as above.
        unsafe { ordered.launch_unchecked(&typed, one, (&mut out, map)) }.unwrap();
        assert_eq!(ordered.to_vec(&out).unwrap(), begin);
    });
}

#[test]
fn a_tensor_that_is_not_there_is_refused() {
    with_gpu(|gpu| {
        accelerator!(gpu);
        let x = gpu.alloc::<f32>(64 * 64).unwrap();
        let refused = |layout: &TensorLayout, word: &str| {
            let error = gpu.tensor_map(layout, &x).unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
            assert!(error.to_string().contains(word), "{error}");
        };
        let tiled = TensorLayout::tiled;
        refused(&tiled(&[64, 65], &[32, 32]), "it has 16640 bytes, and the memory 16384");
        refused(&tiled(&[64, 0], &[32, 32]), "the extent of dimension 1 is 0");
        refused(&tiled(&[u64::MAX, 2, 2], &[32, 1, 1]), "larger than the address space");
        refused(&tiled(&[64, 64], &[32, 32]).strides(&[u64::MAX - 15]), "larger than its memory");
        refused(&tiled(&[], &[]), "1 to 5 dimensions, and this one has 0");
        refused(&tiled(&[4; 6], &[4; 6]), "1 to 5 dimensions, and this one has 6");
        refused(
            &TensorLayout::im2col(&[64, 64], &[], &[], 4, 4),
            "3 to 5 dimensions, and this one has 2",
        );
        refused(&tiled(&[64, 64], &[32]), "1 edges of the box were passed: pass 2");
        refused(&tiled(&[64, 64], &[32, 32]).strides(&[]), "0 strides were passed: pass 1");
        refused(&tiled(&[64, 64], &[32, 32]).element_steps(&[1]), "1 steps were passed: pass 2");
        let corners = TensorLayout::im2col(&[16, 8, 8, 2], &[0], &[0, 0], 16, 64);
        refused(&corners, "1 offsets of the lower corner were passed: pass 2");
        refused(&tiled(&[64, 64], &[32, 32]).element_steps(&[2, 1]), "first step is not 1");
        let images = TensorLayout::im2col(&[16, 8, 8, 2], &[0, 0], &[0, 0], 16, 64);
        refused(&images.element_steps(&[2, 1, 1, 1]), "first step is not 1");
        refused(
            &tiled(&[65, 32], &[32, 32]),
            "the stride of dimension 1 is 260 bytes, and no multiple of 16",
        );
        let part = x.slice(1..).unwrap();
        let error = gpu.tensor_map(&tiled(&[4], &[4]), part).unwrap_err();
        assert!(error.to_string().contains("the tensor begins at 0x"), "{error}");
        let bytes = gpu.alloc::<u8>(64).unwrap();
        let layout = tiled(&[16], &[16]).float_format(FloatFormat::Tf32);
        let error = gpu.tensor_map(&layout, &bytes).unwrap_err();
        assert!(error.to_string().contains("`f32`"), "{error}");

        // Maps of later devices: the software driver does not know their bits.
        if gpu.device().compute_capability().unwrap().0 == 9
            && ffi::cuTensorMapEncodeIm2colWide().is_ok()
        {
            for pixels in [None, Some(64)] {
                let wide = TensorLayout::im2col_wide(&[32, 4, 8], 0, 0, 32, pixels);
                let map = gpu.tensor_map(&wide.swizzle(Swizzle::Bytes128), &x);
                if crate::common::software() {
                    let code = map.unwrap_err().code();
                    assert_eq!(code, Some(ffi::CUDA_ERROR_NOT_SUPPORTED), "{pixels:?}");
                } else {
                    map.unwrap(); // which only its successors use
                }
            }
        }
        // Layouts that the accelerator does not have are the driver's to refuse.
        for layout in [
            tiled(&[64, 64], &[0, 32]),
            tiled(&[64, 64], &[32, 257]),
            tiled(&[64, 64], &[3, 32]),
            tiled(&[64, 64], &[32, 32]).element_steps(&[1, 9]),
            tiled(&[64, 64], &[64, 32]).swizzle(Swizzle::Bytes128),
            tiled(&[16, 16], &[16, 16]).interleave(Interleave::Bytes16),
            TensorLayout::im2col(&[16, 8, 8, 2], &[-200, 0], &[0, 0], 16, 64),
            TensorLayout::im2col(&[16, 8, 8, 2], &[0, 0], &[0, 0], 16, 2000),
        ] {
            let error = gpu.tensor_map(&layout, &x).unwrap_err();
            assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE), "{layout:?}");
        }
    });
}
