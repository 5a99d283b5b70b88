//! Functions of the runtime, indirect calls, cooperative launches, matrices, and limits.

use super::super::Module;
use super::super::run::Fault;
use super::device::{Loaded, body, params, source};

/// A module with what stands before the entries.
fn module(before: &str, entry: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n{before}\n.visible .entry test{entry}\n"
    )
}

#[test]
fn printf_formats_as_c_does() {
    let format = "%d|%5d|%-5d|%05d|%u|%x|%#X|%lld|%c|%s|%.2s|%f|%.3e|%g|%g|%8.2f|%%|%+d|%q\0";
    let bytes: Vec<String> = format.bytes().map(|byte| byte.to_string()).collect();
    let text: Vec<String> = b"hello\0".iter().map(|byte| byte.to_string()).collect();
    let before = format!(
        ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n\
         .global .b8 fmt[{}] = {{{}}};\n.global .b8 txt[6] = {{{}}};",
        bytes.len(),
        bytes.join(", "),
        text.join(", ")
    );
    let loaded = Loaded::new(&module(
        &before,
        "(.param .u64 out) {\n.local .align 8 .b8 buf[192];\n.reg .b64 %rd<8>; .reg .b32 %r<4>;\n\
         ld.param.u64 %rd5, [out]; mov.u64 %rd1, buf; cvta.local.u64 %rd2, %rd1;\n\
         mov.u64 %rd4, txt; cvta.global.u64 %rd4, %rd4;\n\
         st.local.u32 [%rd1], -7; st.local.u32 [%rd1+4], 42; st.local.u32 [%rd1+8], 42;\n\
         st.local.u32 [%rd1+12], -42; st.local.u32 [%rd1+16], -1; st.local.u32 [%rd1+20], 255;\n\
         st.local.u32 [%rd1+24], 255; st.local.u64 [%rd1+32], -1234567890123;\n\
         st.local.u32 [%rd1+40], 65; st.local.u64 [%rd1+48], %rd4; st.local.u64 [%rd1+56], %rd4;\n\
         st.local.f64 [%rd1+64], 1.5; st.local.f64 [%rd1+72], 12345.678; st.local.f64 [%rd1+80], 0.0001;\n\
         st.local.f64 [%rd1+88], 1e20; st.local.f64 [%rd1+96], 3.14159; st.local.u32 [%rd1+104], 5;\n\
         mov.u64 %rd3, fmt; cvta.global.u64 %rd3, %rd3;\n\
         { .param .b64 p0; st.param.b64 [p0+0], %rd3; .param .b64 p1; st.param.b64 [p1+0], %rd2;\n\
         .param .b32 r0; call.uni (r0), vprintf, (p0, p1); ld.param.b32 %r1, [r0+0]; }\n\
         st.global.u32 [%rd5], %r1; ret; }",
    ));
    let out = loaded.device.room(4);
    loaded.launch("test", [1, 1, 1], [1, 1, 1], 0, params![out]).unwrap();
    assert_eq!(
        loaded.device.printed(),
        "-7|   42|42   |-0042|4294967295|ff|0XFF|-1234567890123|A|hello|he|1.500000|1.235e+04|\
         0.0001|1e+20|    3.14|%|+5|%q"
    );
    assert_eq!(loaded.device.get::<u32>(out, 1), [17]);
}

/// As an H200 writes them, with 2 for the first argument.
#[test]
fn printf_writes_what_is_no_conversion() {
    for (format, written) in [
        ("%q", "%q"),
        ("[%d|%q]", "[2|%q]"),
        ("[%% %q]", "[% %q]"),
        ("[%q %%]", "[%q %]"),
        ("[%q %d]", "[% 2]"),
        ("[%5q %d]", "[%5 2]"),
        ("[%lq %d]", "[%q 2]"),
        ("[%-5.3q|%d]", "[%-5.3|2]"),
        ("[%#q|%d]", "[%#|2]"),
        ("[%q %q %d]", "[% % 2]"),
        ("[%k%d]", "[%k2]"),
        ("[%q%%%d]", "[%q%2]"),
        ("[% z%d]", "[%d]"),
        ("[%d|%5", "[2|%5"),
        ("%", "%"),
    ] {
        let bytes: Vec<_> = format.bytes().chain([0]).map(|byte| byte.to_string()).collect();
        let before = format!(
            ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n\
             .global .b8 fmt[{}] = {{{}}};",
            bytes.len(),
            bytes.join(", ")
        );
        let loaded = Loaded::new(&module(
            &before,
            "() {\n.local .align 8 .b8 buf[16];\n.reg .b64 %rd<4>; .reg .b32 %r<2>;\n\
             mov.u64 %rd1, buf; cvta.local.u64 %rd2, %rd1; st.local.u32 [%rd1], 2;\n\
             mov.u64 %rd3, fmt; cvta.global.u64 %rd3, %rd3;\n\
             { .param .b64 p0; st.param.b64 [p0+0], %rd3; .param .b64 p1; st.param.b64 [p1+0], %rd2;\n\
             .param .b32 r0; call.uni (r0), vprintf, (p0, p1); }\n ret; }",
        ));
        loaded.launch("test", [1, 1, 1], [1, 1, 1], 0, params![]).unwrap();
        assert_eq!(loaded.device.printed(), written, "{format}");
    }
}

#[test]
fn an_assertion_that_fails() {
    let before = ".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, \
                  .param .b64 n, .param .b64 s);\n.global .b8 msg[4] = {120, 60, 121, 0};";
    let loaded = Loaded::new(&module(
        before,
        "() {\n.reg .b64 %rd<4>; mov.u64 %rd1, msg; cvta.global.u64 %rd1, %rd1;\n\
         { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n\
         st.param.b64 [a], %rd1; st.param.b64 [b], %rd1; st.param.b32 [c], 12;\n\
         st.param.b64 [d], %rd1; st.param.b64 [e], 1; call.uni __assertfail, (a, b, c, d, e); }\n\
         ret; }",
    ));
    let result = loaded.launch("test", [1, 1, 1], [1, 1, 1], 0, params![]);
    assert_eq!(result, Err(Fault::Assert));
    let said = "x<y:12: x<y: block: [0,0,0], thread: [0,0,0] Assertion `x<y` failed.\n";
    assert_eq!(loaded.device.printed(), said);
}

#[test]
fn calls_through_registers() {
    let before = ".func (.param .b32 r) twice (.param .b32 a) { .reg .b32 %r<3>; \
                  ld.param.b32 %r1, [a]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }\n\
                  .func (.param .b32 r) next (.param .b32 a) { .reg .b32 %r<3>; \
                  ld.param.b32 %r1, [a]; add.u32 %r2, %r1, 1; st.param.b32 [r], %r2; ret; }\n\
                  .global .align 8 .u64 table[2] = {twice, next};";
    let loaded = Loaded::new(&module(
        before,
        "(.param .u64 out, .param .u64 wild) {\n.reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<3>;\n\
         ld.param.u64 %rd1, [out]; ld.param.u64 %rd6, [wild]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1;\n\
         mov.u64 %rd2, table; mad.wide.u32 %rd3, %r2, 8, %rd2; ld.global.u64 %rd4, [%rd3];\n\
         add.u64 %rd4, %rd4, %rd6;\n\
         { .param .b32 a; st.param.b32 [a], %r1; .param .b32 r;\n\
         P : .callprototype (.param .b32 _) _ (.param .b32 _);\n\
         call (r), %rd4, (a), P; ld.param.b32 %r3, [r]; }\n\
         mad.wide.u32 %rd5, %r1, 4, %rd1; st.global.u32 [%rd5], %r3; ret; }",
    ));
    let out = loaded.device.room(128);
    loaded.launch("test", [1, 1, 1], [32, 1, 1], 0, params![out, 0u64]).unwrap();
    let expected: Vec<u32> = (0..32).map(|i| if i % 2 == 0 { 2 * i } else { i + 1 }).collect();
    assert_eq!(loaded.device.get::<u32>(out, 32), expected);
    let wild = loaded.launch("test", [1, 1, 1], [32, 1, 1], 0, params![out, 4u64]);
    assert_eq!(wild, Err(Fault::InvalidPc));
}

#[test]
fn blocks_of_a_cooperative_launch_wait_for_one_another() {
    // Each block adds 1, waits for all, and reads what all have added.
    let text = module(
        "",
        "(.param .u64 out) {\n.reg .b64 %rd<8>; .reg .b32 %r<12>; .reg .pred %p<4>;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mov.u32 %r9, 0;\n\
         mov.u32 %r3, %envreg2; mov.u32 %r4, %envreg1; cvt.u64.u32 %rd2, %r3; cvt.u64.u32 %rd3, %r4;\n\
         bfi.b64 %rd4, %rd3, %rd2, 32, 32;\n\
         AGAIN:\nsetp.ne.u32 %p1, %r2, 0; @%p1 bra MEET;\n\
         atom.add.release.gpu.u32 %r5, [%rd4+4], 1; mov.u32 %r6, %nctaid.x; add.u32 %r10, %r9, 1;\n\
         mul.lo.u32 %r6, %r6, %r10;\n\
         SPIN:\nld.acquire.gpu.u32 %r7, [%rd4+4]; setp.lt.u32 %p2, %r7, %r6; @%p2 bra SPIN;\n\
         MEET:\nbarrier.sync 0; add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 5; @%p3 bra AGAIN;\n\
         ld.volatile.u32 %r8, [%rd4+4]; mad.wide.u32 %rd5, %r1, 4, %rd1; st.global.u32 [%rd5], %r8; ret; }",
    );
    for workers in [1, 3] {
        let mut loaded = Loaded::new(&text);
        loaded.workspace = loaded.device.room(256);
        let out = loaded.device.room(400);
        loaded.launch_on(workers, "test", [100, 1, 1], [64, 1, 1], params![out]).unwrap();
        assert_eq!(loaded.device.get::<u32>(out, 100), [500; 100]);
    }
}

#[test]
fn atomic_additions_of_many_blocks_all_count() {
    let loaded = Loaded::new(&source(
        "mov.u32 %r9, 0;\nLOOP:\natom.global.add.u32 %r1, [%out], 1;\n\
         add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 50; @%p1 bra LOOP;",
    ));
    let out = loaded.device.room(4);
    loaded.launch("test", [400, 1, 1], [64, 1, 1], 0, params![out]).unwrap();
    assert_eq!(loaded.device.get::<u32>(out, 1), [400 * 64 * 50]);
}

#[test]
fn a_launch_that_makes_too_many_steps() {
    let mut loaded = Loaded::new(&source("LOOP: bra LOOP;"));
    loaded.most_steps = 100_000;
    let result = loaded.launch("test", [3, 1, 1], [32, 1, 1], 0, params![0u64]);
    assert_eq!(result, Err(Fault::LaunchTimeout));
}

#[test]
fn recursion_without_end_is_an_error() {
    let text = module(".func f() { .local .b8 big[64]; call f; ret; }", "() { call f; ret; }");
    let result = Loaded::new(&text).launch("test", [1, 1, 1], [64, 1, 1], 0, params![]);
    assert_eq!(result, Err(Fault::IllegalAddress));
    let huge = module("", "() { .local .b8 a[99999999]; ret; }");
    assert!(Module::parse(&huge).is_err());
}

#[test]
fn halves() {
    // 1.5 * 2.25 + 0.5 = 3.875; 65504 + 65504 is infinite; -1 with .relu is 0.
    let words = body(
        "mov.b32 %r1, 0x7bff3e00; mov.b32 %r2, 0x3c004080; mov.b32 %r3, 0x7bff3800;\n\
         fma.rn.f16x2 %r4, %r1, %r2, %r3; st.global.u32 [%out], %r4;\n\
         mov.b32 %r5, 0xbc00bc00; mov.b32 %r6, 0x3c003c00; mov.b32 %r7, 0;\n\
         fma.rn.relu.f16x2 %r4, %r5, %r6, %r7; st.global.u32 [%out+4], %r4;\n\
         mov.f32 %f1, 0f3fc00000; cvt.rn.bf16x2.f32 %r4, %f1, %f1; st.global.u32 [%out+8], %r4;\n\
         cvt.rz.f16.f32 %rs1, 0f477fffff; cvt.rp.f16.f32 %rs2, 0f477fffff; mov.b32 %r4, {%rs1, %rs2};\n\
         st.global.u32 [%out+12], %r4; setp.lt.f16x2 %p1|%p2, %r5, %r1; selp.u32 %r4, 1, 0, %p1;\n\
         selp.u32 %r8, 2, 0, %p2; or.b32 %r4, %r4, %r8; st.global.u32 [%out+16], %r4;\n\
         cvt.f32.bf16 %f2, %rs3; cvt.rn.satfinite.e4m3x2.f32 %rs4, 0f43e00000, 0f3f800000;\n\
         cvt.u32.u16 %r4, %rs4; st.global.u32 [%out+20], %r4;",
        &[0; 32],
    );
    let words = words.unwrap();
    assert_eq!(words[..6], [0x7c00_43c0, 0, 0x3fc0_3fc0, 0x7c00_7bff, 3, 0x7e38]);
}

#[test]
fn brain_floats_and_bytes() {
    // -2.5 and 200 become bytes, in registers of their size, and 200 a float again.
    let words = body(
        ".reg .b8 %b<3>; mov.b16 %rs1, 0xc020; cvt.rzi.s8.bf16 %b1, %rs1;\n\
         mov.b16 %rs2, {%b1, 0}; cvt.u32.u16 %r4, %rs2; st.global.u32 [%out], %r4;\n\
         mov.b16 %rs1, 0x4348; cvt.rzi.u8.bf16 %b2, %rs1; mov.b16 %rs2, {%b2, %b1};\n\
         cvt.u32.u16 %r4, %rs2; st.global.u32 [%out+4], %r4;\n\
         cvt.rn.bf16.u8 %rs2, %b2; cvt.u32.u16 %r4, %rs2; st.global.u32 [%out+8], %r4;",
        &[0; 32],
    );
    assert_eq!(words.unwrap()[..3], [0xfe, 0xfec8, 0x4348]);
}

#[test]
fn doubles_in_every_direction() {
    let words = body(
        "mov.f64 %fd1, 0d3ff0000000000000; mov.f64 %fd2, 0d4008000000000000;\n\
         div.rn.f64 %fd3, %fd1, %fd2; st.global.f64 [%out], %fd3;\n\
         div.rp.f64 %fd3, %fd1, %fd2; st.global.f64 [%out+8], %fd3;\n\
         div.rm.f64 %fd3, %fd1, %fd2; st.global.f64 [%out+16], %fd3;\n\
         sqrt.rp.f64 %fd3, %fd2; st.global.f64 [%out+24], %fd3;\n\
         sqrt.rz.f64 %fd3, %fd2; st.global.f64 [%out+32], %fd3;\n\
         fma.rp.f64 %fd3, %fd1, %fd1, 0d0000000000000001; st.global.f64 [%out+40], %fd3;",
        &[0; 32],
    );
    let words = words.unwrap();
    let doubles: Vec<f64> = words
        .chunks(2)
        .map(|pair| f64::from_bits(u64::from(pair[0]) | u64::from(pair[1]) << 32))
        .collect();
    let third = 1.0 / 3.0f64; // below a third
    let root = 3f64.sqrt(); // below the root
    let expected = [third, third.next_up(), third, root.next_up(), root, 1f64.next_up()];
    assert_eq!(doubles[..6], expected);
}

#[test]
fn products_of_matrices() {
    // A is all ones of 16 x 16, B has the column's number in each row: sums of 16 of them, and C.
    let words = body(
        "mov.b32 %r1, 0x3c003c00; shr.u32 %r2, %r0, 2; cvt.rn.f16.u32 %rs1, %r2; mov.b32 %r3, {%rs1, %rs1};\n\
         mov.f32 %f1, 0f3f000000;\n\
         mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r1, %r1, %r1, %r1},\n\
         {%r3, %r3}, {%f1, %f1, %f1, %f1};\nst.global.f32 [%lane], %f3;",
        &[0; 32],
    );
    let got: Vec<f32> = words.unwrap().into_iter().map(f32::from_bits).collect();
    let expected: Vec<f32> = (0..32).map(|lane| 16.0 * (lane % 4 * 2 + 1) as f32 + 0.5).collect();
    assert_eq!(got, expected);
}

#[test]
fn copies_and_barriers_in_shared_memory() {
    let words = body(
        ".shared .align 16 .b8 s[128]; .shared .align 8 .b64 m; mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 4, %r1;\n\
         setp.eq.u32 %p1, %r0, 0; mov.u32 %r2, m; @%p1 mbarrier.init.shared.b64 [%r2], 32; bar.sync 0;\n\
         cp.async.ca.shared.global [%r1], [%lane], 4; cp.async.commit_group; cp.async.wait_group 0;\n\
         mbarrier.arrive.shared.b64 %rd1, [%r2];\n\
         WAIT: mbarrier.test_wait.shared.b64 %p2, [%r2], %rd1; @!%p2 bra WAIT;\n\
         mov.u32 %r3, s; sub.u32 %r4, 31, %r0; mad.lo.u32 %r3, %r4, 4, %r3; ld.shared.u32 %r5, [%r3];\n\
         st.global.u32 [%lane], %r5;",
        &(0..32).collect::<Vec<u32>>(),
    );
    assert_eq!(words.unwrap(), (0..32).rev().collect::<Vec<u32>>());
}
