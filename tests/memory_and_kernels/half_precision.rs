//! The types of the crate `half`: as arguments, as elements, in fills and in tensors.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::with_stream;
use cuscope::foreign::dlpack::{DLDataType, DLElement};
use cuscope::{Error, LaunchConfig, OrderedBuffer, Value};
use half::{bf16, f16};

/// `scale(n, a, x)`: `x[i] *= a` in `f16`, with a warp for all of it.
const SCALE: &str = "
.version 7.0
.target sm_53
.address_size 64
.visible .entry scale(.param .u32 n, .param .align 2 .b8 a[2], .param .u64 x)
{
    .reg .b16 %h<4>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    .reg .pred %p<2>;
    ld.param.u32 %r1, [n];
    ld.param.b16 %h1, [a];
    ld.param.u64 %rd1, [x];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 ret;
    cvta.to.global.u64 %rd1, %rd1;
    mul.wide.u32 %rd2, %r2, 2;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.b16 %h2, [%rd3];
    mul.rn.f16 %h3, %h2, %h1;
    st.global.b16 [%rd3], %h3;
    ret;
}
.visible .entry bits(.param .b16 a, .param .u64 to)
{
    .reg .b16 %h<2>;
    .reg .b64 %rd<2>;
    ld.param.b16 %h1, [a];
    ld.param.u64 %rd1, [to];
    cvta.to.global.u64 %rd1, %rd1;
    st.global.b16 [%rd1], %h1;
    ret;
}
";

/// Takes an integer of their size.
const COUNTS: &str = ".version 7.0
.target sm_53
.address_size 64
.visible .entry counts(.param .u16 n) { ret; }";

#[test]
fn kernels_take_them_by_value_and_in_buffers() {
    with_stream(|gpu, stream| {
        let module = gpu.load_ptx(SCALE).unwrap();
        let scale = module.kernel::<(u32, f16, &mut [f16])>("scale").unwrap();
        let all: Vec<f16> = (0..20_u8).map(f16::from).collect();
        let mut x = gpu.on(&stream).from_slice(&all).unwrap();
        let config = LaunchConfig::new(1, 32);
        // SAFETY: the kernel is scale(unsigned n, half a, half *x) over 20 elements.
        unsafe {
            gpu.on(&stream).launch_unchecked(&scale, config, (20, f16::from_f32(0.5), &mut x))
        }
        .unwrap();
        let halves: Vec<f16> = (0..20_u8).map(|i| f16::from_f32(f32::from(i) / 2.0)).collect();
        assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), halves);

        // Without a signature too, and the other type.
        let bits = module.function("bits").unwrap();
        let mut to = gpu.on(&stream).zeroed::<bf16>(1).unwrap();
        let value = bf16::from_f32(-3.5);
        // SAFETY: the kernel is bits(bfloat16 a, bfloat16 *to) for one element.
        unsafe {
            gpu.on(&stream).launch_unchecked(&bits, LaunchConfig::new(1, 1), (value, &mut to))
        }
        .unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&to).unwrap(), [value]);
    });
}

#[test]
fn a_signature_with_another_number_is_refused() {
    with_stream(|gpu, _| {
        let module = gpu.load_ptx(SCALE).unwrap();
        for refused in [
            module.kernel::<(u32, f32, &mut [f16])>("scale").map(drop),
            module.kernel::<(f16, f16, &mut [f16])>("scale").map(drop),
        ] {
            assert!(matches!(refused, Err(Error::Signature(_))));
        }
        module.kernel::<(bf16, &mut [bf16])>("bits").unwrap();
        module.kernel::<(Value<bf16>, &mut [bf16])>("bits").unwrap();
        let counts = gpu.load_ptx(COUNTS).unwrap();
        counts.kernel::<(u16,)>("counts").unwrap();
        for refused in [
            counts.kernel::<(f16,)>("counts").map(drop),
            // As generic functions have it.
            counts.kernel::<(Value<f16>,)>("counts").map(drop),
        ] {
            assert!(matches!(refused, Err(Error::Signature(_))));
        }
    });
}

#[test]
fn fills_set_them() {
    with_stream(|gpu, stream| {
        let value = f16::from_f32(1.5);
        let mut x = gpu.alloc::<f16>(7).unwrap();
        gpu.on(&stream).fill(&mut x, value).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [value; 7]);
        let ordered = gpu.ordered_stream().unwrap();
        let mut pairs: OrderedBuffer<[bf16; 2]> = ordered.alloc(3).unwrap();
        let pair = [bf16::from_f32(2.0), bf16::from_f32(-4.0)];
        ordered.fill(&mut pairs, pair).unwrap();
        assert_eq!(ordered.to_vec(&pairs).unwrap(), [pair; 3]);
    });
}

#[test]
fn tensors_have_their_types() {
    assert_eq!(f16::TYPE, DLDataType { code: 2, bits: 16, lanes: 1 });
    assert_eq!(bf16::TYPE, DLDataType { code: 4, bits: 16, lanes: 1 });
}
