//! Memory: spaces, vectors, structures, atomics, faults.

use super::super::run::Fault;
use super::device::{Loaded, body, params, source};

#[test]
fn saxpy() {
    for ptx in [
        include_str!("../../../softdriver/tests/kernels/saxpy.ptx"),
        include_str!("../../../examples/kernels/saxpy.ptx"),
    ] {
        let loaded = Loaded::new(ptx);
        let n = 1000u32;
        let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.37).collect();
        let y: Vec<f32> = (0..n + 8).map(|i| 7.0 - i as f32).collect();
        let (px, py) = (loaded.device.put(&x), loaded.device.put(&y));
        loaded.launch("saxpy", [4, 1, 1], [256, 1, 1], 0, params![n, 2.5f32, px, py]).unwrap();
        let got: Vec<f32> = loaded.device.get(py, y.len());
        for (i, &got) in got.iter().enumerate() {
            let wanted = if i < 1000 { 2.5f32.mul_add(x[i], y[i]) } else { y[i] };
            assert_eq!(got.to_bits(), wanted.to_bits(), "element {i}");
        }
    }
}

#[test]
fn fill() {
    let loaded = Loaded::new(include_str!("../../../softdriver/tests/kernels/fill.ptx"));
    let out = loaded.device.room(4 * 100);
    loaded.launch("fill", [2, 1, 1], [64, 1, 1], 0, params![99u32, 0xdead_beefu32, out]).unwrap();
    let got: Vec<u32> = loaded.device.get(out, 100);
    assert!(got[..99].iter().all(|&word| word == 0xdead_beef));
    assert_eq!(got[99], 0);
}

#[test]
fn structs() {
    let loaded = Loaded::new(include_str!("../../../softdriver/tests/kernels/structs.ptx"));
    let out = loaded.device.room(8 * 16);
    for flag in [0u8, 1] {
        let mut record = Vec::new();
        record.extend(2.5f64.to_le_bytes());
        record.extend((-300i16).to_le_bytes());
        record.extend([1u8, 0xfe, 3]);
        record.resize(16, 0);
        let weights = [1.5f32, -2.0, 3.25, 0.5, 9.0];
        weights.iter().for_each(|weight| record.extend(weight.to_le_bytes()));
        record.push(flag);
        record.resize(40, 0);
        record.extend((-77i64).to_le_bytes());
        let first = (-5i8).to_le_bytes();
        let index = 3u16.to_le_bytes();
        let values: &[&[u8]] = &[&first, &record, &index, &out.to_le_bytes()];
        loaded.launch("structs", [1, 1, 1], [16, 1, 1], 0, values).unwrap();
        let got: Vec<f64> = loaded.device.get(out, 16);
        for (i, &got) in got.iter().enumerate() {
            let b = [1i32, -2, 3][i % 3];
            let v = 2.5 * f64::from(weights[(3 + i) % 5]) + f64::from(-300 + b) - 77.0;
            assert_eq!(got, if flag == 1 { v } else { -v - 5.0 }, "element {i}");
        }
    }
}

#[test]
fn vectors() {
    let loaded = Loaded::new(include_str!("../../../softdriver/tests/kernels/structs.ptx"));
    let x: Vec<f32> = (0..32 * 4).map(|i| i as f32 * 0.5 - 3.0).collect();
    let k: Vec<u32> = (0..64).map(|i| i * 7 % 13).collect();
    let (px, pk) = (loaded.device.put(&x), loaded.device.put(&k));
    let out = loaded.device.room(32 * 16);
    let n = 5u32;
    loaded.launch("vectors", [1, 1, 1], [32, 1, 1], 0, params![px, pk, out, n]).unwrap();
    let got: Vec<f32> = loaded.device.get(out, 128);
    for i in 0..32 {
        let (v, k) = (&x[4 * i..4 * i + 4], &k[2 * i..2 * i + 2]);
        let mut table = [0f32; 8];
        // Entries that the kernel leaves alone are not looked at.
        let mut known = [false; 8];
        for j in 0..8 {
            let at = ((j * k[1] + n) & 7) as usize;
            table[at] = v[0].mul_add(j as f32, v[3]);
            known[at] = true;
        }
        let (a, b) = ((k[0] & 7) as usize, (k[1] & 7) as usize);
        let wanted = [v[0], v[1] + table[a], table[b], v[3]];
        for part in 0..4 {
            if (part == 1 && !known[a]) || (part == 2 && !known[b]) {
                continue;
            }
            assert_eq!(got[4 * i + part], wanted[part], "element {i}, part {part}");
        }
    }
}

#[test]
fn globals() {
    let loaded = Loaded::new(include_str!("../../../softdriver/tests/kernels/globals.ptx"));
    let out = loaded.device.room(4 * 64);
    let kernel = &loaded.module.kernels[0];
    assert_eq!((kernel.name.as_str(), kernel.static_shared), ("globals", 0));
    loaded.launch("globals", [1, 1, 1], [64, 1, 1], 256, params![out]).unwrap();
    let got: Vec<i32> = loaded.device.get(out, 64);
    let table = [3, 1, 4, 1, 5, 9, 2, 6];
    for (i, &got) in (0..64).zip(&got) {
        let other = 63 - i;
        assert_eq!(got, table[other & 7] * other as i32 + 1, "element {i}");
    }
    let counter = loaded.module.globals.iter().position(|g| g.name == "counter").unwrap();
    assert_eq!(loaded.device.get::<u32>(loaded.globals[counter], 1), [69]);
    // Without dynamic shared memory its first byte is out of bounds.
    let fault = loaded.launch("globals", [1, 1, 1], [64, 1, 1], 0, params![out]);
    assert_eq!(fault, Err(Fault::IllegalAddress));
}

#[test]
fn atomics() {
    let loaded = Loaded::new(include_str!("../../../softdriver/tests/kernels/globals.ptx"));
    let mut words = [0u32; 16 + 96];
    words[2] = 50;
    words[3] = (-100i32) as u32;
    words[4] = u32::MAX;
    words[11] = 1;
    let out = loaded.device.put(&words);
    let wide = loaded.device.put(&[5u64, 9]);
    let f = loaded.device.put(&[1.0f32]);
    let d = loaded.device.put(&[2.0f64]);
    loaded.launch("atomics", [1, 1, 1], [96, 1, 1], 0, params![out, wide, f, d]).unwrap();
    let got: Vec<u32> = loaded.device.get(out, words.len());
    assert_eq!(got[0], 192);
    assert_eq!(got[1], 0u32.wrapping_sub(96));
    assert_eq!(got[2], 3);
    assert_eq!(got[3], 88);
    assert_eq!(got[4], !0xff);
    assert_eq!(got[5], u32::MAX);
    assert_eq!(got[6], (0..96).fold(0, |all, t| all ^ t));
    assert_eq!(got[7], 96 % 11);
    assert_eq!(got[8], (11 * 9 - 96));
    assert_eq!(got[10], 1);
    let chain = (0..96).fold(1u32, |all, _| all.wrapping_mul(3).wrapping_add(1));
    assert_eq!(got[11], chain);
    assert_eq!(got[12], 95 * 96 / 2);
    // Each exchanged value is seen once, but for the one that stays.
    let mut seen: Vec<u32> = got[16..].iter().copied().chain([got[9]]).collect();
    seen.sort_unstable();
    assert_eq!(seen, [0].into_iter().chain(0..96).collect::<Vec<_>>());
    assert_eq!(loaded.device.get::<u64>(wide, 2), [5 + 96 * 0x1_0000_0001, 95 << 33]);
    assert_eq!(loaded.device.get::<f32>(f, 1), [49.0]);
    assert_eq!(loaded.device.get::<f64>(d, 1), [26.0]);
}

#[test]
fn wild() {
    let loaded = Loaded::new(include_str!("../../../softdriver/tests/kernels/wild.ptx"));
    let out = loaded.device.room(8);
    let store = |address: u64| loaded.launch("wild", [1; 3], [1; 3], 0, params![address, 7u32]);
    assert_eq!(store(out), Ok(()));
    assert_eq!(loaded.device.get::<u32>(out, 1), [7]);
    assert_eq!(store(out + 1), Err(Fault::MisalignedAddress));
    for address in [0, 4, 0x100_0000, 0x300_0000, 0x400_0000, u64::MAX - 3, 1 << 47] {
        assert_eq!(store(address), Err(Fault::IllegalAddress), "{address:#x}");
    }
    let load = |address: u64| loaded.launch("wild_load", [1; 3], [1; 3], 0, params![address, out]);
    assert_eq!(load(out), Ok(()));
    assert_eq!(load(0), Err(Fault::IllegalAddress));
    assert_eq!(load(out + 2), Err(Fault::MisalignedAddress));
    assert_eq!(load(1 << 60), Err(Fault::IllegalAddress));
}

#[test]
fn generic_addresses() {
    let got = body(
        ".shared .align 8 .b32 word[2];\n.local .align 8 .b32 own[2];\n\
         mov.u64 %rd1, word;\ncvta.shared.u64 %rd2, %rd1;\n\
         mov.u64 %rd3, own;\ncvta.local.u64 %rd4, %rd3;\n\
         st.u32 [%rd2+4], 5;\nst.u32 [%rd4], %r0;\n\
         ld.shared.u32 %r1, [word+4];\nld.local.u32 %r2, [own];\n\
         atom.add.u32 %r3, [%rd2+4], 1;\ncvta.to.shared.u64 %rd5, %rd2;\n\
         setp.eq.u64 %p1, %rd5, %rd1;\nselp.u32 %r4, 1000, 0, %p1;\n\
         add.u32 %r5, %r1, %r2;\nadd.u32 %r5, %r5, %r4;\nst.global.u32 [%lane], %r5;",
        &[0; 32],
    )
    .unwrap();
    assert_eq!(got, (0..32).map(|lane| 1005 + lane).collect::<Vec<_>>());
}

/// Loads and stores take these words about ordering and caches.
#[test]
fn modifiers_of_accesses() {
    let got = body(
        "st.relaxed.gpu.global.u32 [%lane], 1;\nst.release.sys.u32 [%lane], 2;\n\
         ld.acquire.cta.global.u32 %r1, [%lane];\nld.global.L1::no_allocate.L2::256B.u32 %r2, [%lane];\n\
         ld.global.nc.cg.u32 %r3, [%lane];\nld.weak.global.ca.u32 %r4, [%lane];\n\
         atom.acq_rel.gpu.global.add.u32 %r5, [%lane], 1;\nred.relaxed.gpu.global.add.u32 [%lane], 1;\n\
         membar.gl;\nfence.acq_rel.gpu;\nfence.sc.sys;\nprefetch.global.L2 [%lane];\n\
         cvta.param.u64 %rd1, out;\nld.u64 %rd2, [%rd1];\nsetp.eq.u64 %p1, %rd2, %out;\n\
         @%p1 red.global.add.u32 [%lane], 10;",
        &[0; 32],
    );
    assert_eq!(got, Ok(vec![14; 32]));
}

#[test]
fn bounds_of_shared_and_local() {
    for access in [
        "ld.shared.u32 %r1, [word+48];",
        "st.shared.u32 [word+-4], 1;",
        "ld.local.u32 %r1, [own+16];",
        "mov.u64 %rd1, 0x1000030;\nld.u32 %r1, [%rd1];",
    ] {
        let text = format!(".shared .b32 word[4];\n.local .b32 own[2];\n{access}");
        assert_eq!(body(&text, &[0]), Err(Fault::IllegalAddress), "{access}");
    }
    let text = ".shared .b32 word[4];\nld.shared.u32 %r1, [word+2];";
    assert_eq!(body(text, &[0]), Err(Fault::MisalignedAddress));
}

#[test]
fn small_loads_extend() {
    let got = body(
        "st.global.u32 [%out], 0x80f0;\nld.global.s8 %r1, [%out];\nld.global.u8 %r2, [%out];\n\
         ld.global.s16 %r3, [%out];\nld.global.s8 %rd1, [%out];\ncvt.u32.u64 %r4, %rd1;\n\
         shr.u64 %rd2, %rd1, 32;\ncvt.u32.u64 %r5, %rd2;\nld.global.s8 %rs1, [%out];\n\
         cvt.u32.u16 %r6, %rs1;\n\
         st.global.v4.u32 [%out+16], {%r1, %r2, %r3, %r4};\nst.global.v2.u32 [%out+32], {%r5, %r6};",
        &[0; 12],
    )
    .unwrap();
    assert_eq!(got[4..10], [0xffff_fff0, 0xf0, 0xffff_80f0, 0xffff_fff0, u32::MAX, 0xfff0]);
}

/// Registers that are vectors, as a whole and by their elements.
#[test]
fn vectors_of_registers() {
    let got = body(
        ".reg .v4 .u32 v<3>; .reg .v2 .u32 %w; .reg .v2 .f64 d; .reg .v4 .u16 %h;\n\
         ld.global.v4.u32 v0, [%out];\n\
         mov.v4.u32 v1, {v0.w, v0.z, v0.y, v0.x};\n\
         add.u32 v1.r, v1.x, v0.g;\n\
         mov.v4.b32 v1, {v1.y, v1.x, v1.a, v1.b};\n\
         setp.eq.u32 %p1, %r0, 0; @!%p1 bra END;\n\
         st.global.v4.u32 [%out], v1;\n\
         mov.b64 %rd1, {v0.x, v0.y}; mov.b64 %w, %rd1; mov.b64 %rd2, %w;\n\
         mov.f64 d.y, 0d3FF0000000000000; mov.f64 d.x, d.y;\n\
         st.global.v2.f64 [%out+16], d;\n\
         { .reg .v2 .u32 v0; mov.v2.u32 v0, {7, 8}; st.global.v2.u32 [%out+32], v0; }\n\
         st.global.v2.u32 [%out+40], %w;\n\
         mov.v4.u32 v2, %ntid; st.global.v4.u32 [%out+48], v2;\n\
         mov.b64 %h, %rd1; cvt.u32.u16 %r1, %h.z; st.global.u32 [%out+64], %r1;\n\
         mov.u32 v2.x, %tid.w; st.global.u32 [%out+68], v2.x;\n\
         mov.v2.u32 %w, {%w.y, %w.x}; st.global.v2.u32 [%out+72], {%w.x, %w.y};\nEND:",
        &[1, 2, 30, 40, 0, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9],
    )
    .unwrap();
    // `v1` is 40, 30, 2, 1 at first, and its first element 42 after the sum.
    assert_eq!(got[..4], [30, 42, 1, 2]);
    let one = 1f64.to_bits();
    assert_eq!(got[4..8], [one as u32, (one >> 32) as u32, one as u32, (one >> 32) as u32]);
    assert_eq!(got[8..12], [7, 8, 1, 2]);
    assert_eq!(got[12..16], [32, 1, 1, 0]);
    assert_eq!(got[16..], [2, 0, 2, 1]);
}

/// Places of texels and operands of other instructions that registers name as a whole.
#[test]
fn vectors_as_operands() {
    let module = source(
        ".reg .v4 .f32 t; .reg .v4 .b32 u; .reg .v2 .f32 at; .reg .v2 .s32 place;\n\
         tex.2d.v4.f32.f32 t, [%rd1, at]; suld.b.2d.v4.b32.trap u, [%rd1, place];\n\
         sust.b.2d.v4.b32.trap [%rd1, place], u; tex.2d.v4.f32.s32 t, [%rd1, place];",
    );
    assert!(super::super::Module::parse(&module).is_ok());
}
