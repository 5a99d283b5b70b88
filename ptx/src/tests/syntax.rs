//! Texts that NVIDIA's assembler takes: declarations in each place, vectors, constant
//! expressions, elements and sums as operands.

use super::super::run::Fault;
use super::super::{Module, ParseErrorKind};
use super::device::{Loaded, body, params, source};

/// A module of some declarations, and of a kernel that stores words at `%out`.
fn run(declarations: &str, text: &str, words: &[u32]) -> Vec<u32> {
    let text = source(text).replace(".visible .entry", &format!("{declarations}\n.visible .entry"));
    let text = text.replace("sm_80", "sm_90").replace(".version 8.0", ".version 8.1");
    let loaded = Loaded::new(&text);
    let out = loaded.device.put(words);
    loaded.launch("test", [1, 1, 1], [32, 1, 1], 0, params![out]).unwrap();
    loaded.device.get(out, words.len())
}

#[test]
fn characters_outside_of_ascii_are_refused_wherever_they_are() {
    let head = ".version 8.0\n.target sm_80\n";
    for (text, line) in [
        (format!("// é\n{head}"), 1),
        (format!("{head}// Größe\n"), 3),
        (format!("{head}/*\n\n é */"), 5),
        (format!("{head}.file 1 \"/tmp/ö.cu\"\n"), 3),
        (format!("{head}.frob;\n\n.visible .entry ö() {{ ret; }}"), 5),
        (format!(".version 99.0\n{head}// é"), 4),
        (format!("\u{feff}{head}"), 1),
    ] {
        let error = Module::parse(&text).unwrap_err();
        assert_eq!(error.kind, ParseErrorKind::InvalidPtx);
        assert_eq!(error.errors[0].line, line, "{text}");
        let log = format!(
            "ptxas fatal   : Unexpected non-ASCII character encountered on line {line}\n\
             ptxas fatal   : Ptx assembly aborted due to errors\n"
        );
        assert_eq!(error.log, log, "{text}");
    }
    assert!(Module::parse(&format!("{head}// \u{1}\u{7f}\n")).is_ok());
}

#[test]
fn constant_expressions_have_the_values_of_the_assembler() {
    // Each was compared with the code that the assembler makes of the number.
    for (expression, value) in [
        ("1+2*3", 7),
        ("5-3-1", 1),
        ("(4>2)?1:0", 1),
        ("1?2:3?4:5", 2),
        ("0?2:0?4:5", 5),
        ("~4", -5),
        ("-(4)", -4),
        ("- -1", 1),
        ("!4", 0),
        ("!!1", 1),
        ("-7/2", -3),
        ("-5 % 3", 2),
        ("1<<4", 16),
        ("1<<65", 2),
        ("1<<-1", i64::MIN),
        ("-16>>1", -8),
        ("~0>>1", i64::MAX),
        ("-1U>>1", i64::MAX),
        ("-9223372036854775808>>1", 1 << 62),
        ("1+1<<1", 4),
        ("1|2&0", 1),
        ("6^3", 5),
        ("6&&0", 0),
        ("6||0", 1),
        ("1<2==1", 1),
        ("-1<0", 1),
        ("-1<0U", 0),
        ("((6&-1)-7)<0", 0),
        ("(1==1)-2<0", 1),
        ("(1?-1:0U)<0", 0),
        ("(-1<<1U)<0", 1),
        ("(-5 % 3)<0", 0),
        ("(.u64)-1<0", 0),
        ("(.s64)0xffffffffffffffff<0", 1),
        ("1.5<2.0", 1),
        ("2.5*2.0==5.0", 1),
        ("WARP_SZ-33", -1),
        ("0x1ffffffffffffffff", -1),
        ("0X1F+0B11+017+0xFU", 64),
    ] {
        let text = format!("mov.s64 %rd1, {expression}; st.global.u64 [%out], %rd1;");
        let words = body(&text, &[9; 2]).unwrap();
        let got = i64::from(words[0]) | i64::from(words[1].cast_signed()) << 32;
        assert_eq!(got, value, "{expression}");
    }
    for (bad, message) in [
        ("1+1.5", "Constant expression type mismatch"),
        ("~1.5", "Integer constant expression expected"),
        ("1.5?1:2", "Integer constant expression expected"),
        ("(.u32)1", "Unsupported cast operation"),
        ("1/0", "division by zero"),
        ("7 %3", "Parsing error"),
        ("1 < < 4", "Parsing error"),
        ("1?2", "Parsing error"),
        ("(1", "Parsing error"),
        ("%r2*2", "Parsing error"),
        ("%r2-1", "Parsing error"),
        ("10u", "Invalid number"),
        ("-0f3F800000", "Parsing error"),
    ] {
        let error = Module::parse(&source(&format!("mov.u32 %r1, {bad};"))).unwrap_err();
        assert!(error.log.contains(message), "{bad}: {}", error.log);
    }
    let deep = format!("mov.u32 %r1, {}1;", "(".repeat(100_000));
    assert!(Module::parse(&source(&deep)).is_err());
    let signs = format!("mov.u32 %r1, {}1;", "-".repeat(100_000));
    assert!(Module::parse(&source(&signs)).is_err());
}

#[test]
fn a_constant_is_added_to_a_register_or_a_variable() {
    let text = "mov.u32 %r1, 41; mov.b16 %rs1, 65535; mov.b64 %rd1, 0xffffffff; mov.u64 %rd2, 4;
        st.global.u32 [%out], %r1 + 1;
        st.global.u32 [%out+4], %r1+-42;
        st.global.u16 [%out+8], %rs1+2;
        st.global.u64 [%out+16], %rd1+(2-1);
        add.u32 %r2, %r1+1, %r1; st.global.u32 [%out+24], %r2;
        add.u64 %rd3, %rd2, x+8; mov.u64 %rd4, x; sub.u64 %rd3, %rd3, %rd4; st.global.u32 [%out+28], %rd3;";
    let got = run(".global .u32 x[4];", text, &[0; 8]);
    assert_eq!(got, [42, u32::MAX, 1, 0, 0, 1, 83, 12]);
    for bad in ["st.global.f32 [%out], %f1+1;", "add.u32 %r1+1, %r2, %r3;", "mov.u32 %r1, %r2+1.5;"]
    {
        assert!(Module::parse(&source(bad)).is_err(), "{bad}");
    }
}

#[test]
fn elements_of_variables_are_operands() {
    let declarations = ".global .u16 g[4] = {1, 2, 3, 4}; .global .u32 m[2][2] = {{5, 6}, {7, 8}};
        .global .v2 .u32 v[2] = {{1, 2}, {3, 4}}; .global .u32 one;";
    let text = ".shared .align 8 .b8 s[64]; .local .u32 l[8]; .reg .u64 %s;
        mov.u64 %s, s[4]; mov.u32 %r1, 7; st.shared.u32 [%s+4], %r1; ld.shared.u32 %r2, s[8];
        st.global.u32 [%out], %r2;
        st.local.u32 l[3], %r1; ld.local.u32 %r2, [l+12]; st.global.u32 [%out+4], %r2;
        ld.global.u16 %rs1, g[2]; st.global.u16 [%out+8], %rs1;
        ld.global.u32 %r2, m[1]; st.global.u32 [%out+12], %r2;
        ld.global.u32 %r2, v[1]; st.global.u32 [%out+16], %r2;
        mov.u32 %r3, 1; ld.global.u16 %rs1, g[%r3+2]; st.global.u16 [%out+20], %rs1;
        mov.u64 %rd1, g[%r3]; ld.global.u16 %rs1, [%rd1]; st.global.u16 [%out+24], %rs1;
        cvta.global.u64 %rd1, m[2]; ld.u32 %r2, [%rd1]; st.global.u32 [%out+28], %r2;";
    let got = run(declarations, text, &[0; 8]);
    assert_eq!(got, [7, 7, 3, 6, 2, 4, 2, 7]);
    for (bad, message) in [
        ("mov.u64 %rd1, out[0];", "Array indexing on non-array"),
        ("mov.u64 %rd1, %rd2[0];", "Array indexing on non-array"),
        (".local .b8 l[4]; add.u64 %rd1, %rd2, l[1];", "Arguments mismatch"),
        (".local .b8 l[4]; mov.u64 %rd1, l[1]+4;", "Parsing error"),
        (".local .b8 l[4]; mov.u64 %rd1, l[1][1];", "Parsing error"),
        (".local .b8 l[4]; ld.local.u8 %r1, [l[1]];", "Parsing error"),
        (".local .b8 l[4]; ld.local.u8 %r1, l[];", "Parsing error"),
    ] {
        let error = Module::parse(&source(bad)).unwrap_err();
        assert!(error.log.contains(message), "{bad}: {}", error.log);
    }
}

#[test]
fn vectors_are_registers_and_parameters() {
    let swap = ".func (.reg.v2.u32 r) swap(.reg .v2 .u32 a, .reg .u32 b)
        { .reg.v2.u32 t; mov.u32 t.x, a.y; add.u32 t.y, a.x, b; mov.v2.u32 r, t; ret; }";
    let text = ".reg .v2.u32 %v; .reg.v2.b32 %w<2>; mov.v2.u32 %v, {1, 2};
        call (%w1), swap, (%v, 10); st.global.v2.u32 [%out], %w1; st.global.u32 [%out+8], %v.y;";
    assert_eq!(run(swap, text, &[0; 3]), [2, 11, 2]);
    for bad in [
        ".func f(.param .v2 .u32 a) { ret; }",
        ".func f(.reg .v4 .f64 a) { ret; }",
        ".func f(.reg .v2 .pred a) { ret; }",
    ] {
        let text = format!(".version 8.0\n.target sm_80\n{bad}");
        assert!(Module::parse(&text).is_err(), "{bad}");
    }
}

#[test]
fn functions_have_variables_in_device_memory() {
    let text =
        ".global .u32 g = 5; .const .u32 c[2] = {6, 7}; .global .u64 p = g; .global .u32 x = 9;
        ld.global.u32 %r1, [g]; st.global.u32 [%out], %r1;
        ld.const.u32 %r1, [c+4]; st.global.u32 [%out+4], %r1;
        ld.global.u64 %rd1, [p]; ld.u32 %r1, [%rd1]; st.global.u32 [%out+8], %r1;
        { .global .u32 g = 8; ld.global.u32 %r1, [g]; } st.global.u32 [%out+12], %r1;
        { .global .u32 g = 2; ld.global.u32 %r1, g+0; } st.global.u32 [%out+16], %r1;"
            .replace("g+0", "[g]");
    assert_eq!(run(".global .u32 x;", &text, &[0; 5]), [5, 7, 5, 8, 2]);
}

#[test]
fn external_variables_have_memory_if_no_text_defines_them() {
    let text =
        "st.global.u32 [elsewhere], 3; ld.global.u32 %r1, [elsewhere]; st.global.u32 [%out], %r1;";
    assert_eq!(run(".extern .global .u32 elsewhere;", text, &[0]), [3]);
    let both = ".extern .global .u32 elsewhere; .global .u64 p = elsewhere;
        .visible .global .u32 elsewhere = 7; .extern .global .u32 elsewhere;";
    let text = "ld.global.u64 %rd1, [p]; ld.u32 %r1, [%rd1]; st.global.u32 [%out], %r1;";
    assert_eq!(run(both, text, &[0]), [7]);
    let module = |text: &str| Module::parse(&format!(".version 8.0\n.target sm_80\n{text}"));
    assert_eq!(
        module(".extern .global .u32 a; .extern .const .u32 b[2];").unwrap().external,
        ["a", "b"]
    );
    assert_eq!(module(both).unwrap().external, [""; 0]);
    for (bad, message) in [
        (".extern .global .u32 a[];", "Unresolved extern variable 'a'"),
        (".extern .global .u32 a = 1;", "No initial value is allowed"),
        (".global .u32 a; .global .u32 a;", "Duplicate definition"),
        (".extern .global .u32 a; .global .u64 a;", "Inconsistent redefinition"),
        (".extern .global .u32 a; .const .u32 a;", "Inconsistent redefinition"),
        (".global .u64 p = x; .global .u32 x;", "Unknown symbol 'x'"),
    ] {
        let error = module(bad).unwrap_err();
        assert!(error.log.contains(message), "{bad}: {}", error.log);
    }
}

#[test]
fn vprintf_may_be_declared_without_a_result() {
    let ptx = ".version 7.1\n.target sm_86\n.address_size 64\n
        .extern .func vprintf (.param .b64 f, .param .b64 a);
        .global .align 1 .b8 text[4] = {104, 105, 10, 0};
        .visible .entry test(.param .u64 out) { .reg .b64 %rd<4>;
        mov.u64 %rd1, text; cvta.global.u64 %rd1, %rd1; mov.u64 %rd2, 0;
        { .param .b64 p0; .param .b64 p1; st.param.b64 [p0+0], %rd1; st.param.b64 [p1+0], %rd2;
          call.uni vprintf, (p0, p1); } ret; }";
    let loaded = Loaded::new(ptx);
    loaded.launch("test", [1, 1, 1], [1, 1, 1], 0, params![0u64]).unwrap();
    assert_eq!(loaded.device.printed(), "hi\n");
}

#[test]
fn atomic_operations_work_on_local_memory_by_a_generic_address() {
    let text = ".local .align 16 .b8 depot[16]; mov.u64 %rd0, depot; cvta.local.u64 %rd1, %rd0;
        mov.u64 %rd2, 5; st.local.u64 [%rd0], %rd2; st.local.u64 [%rd0+8], %rd2; mov.u64 %rd3, 7;
        atom.add.acq_rel.cta.u64 %rd4, [%rd1], %rd3; ld.local.u64 %rd5, [%rd0];
        st.global.u32 [%out], %rd4; st.global.u32 [%out+4], %rd5;
        .reg .b128 %q<2>; mov.b128 %q0, {%rd2, %rd4}; atom.exch.b128 %q1, [%rd1], %q0;
        mov.b128 {%rd6, %rd7}, %q1; st.global.u32 [%out+8], %rd6; st.global.u32 [%out+12], %rd7;
        ld.local.u64 %rd6, [%rd0]; st.global.u32 [%out+16], %rd6;";
    let text = source(text).replace("sm_80", "sm_90").replace(".version 8.0", ".version 8.3");
    let loaded = Loaded::new(&text);
    let out = loaded.device.room(20);
    loaded.launch("test", [1, 1, 1], [32, 1, 1], 0, params![out]).unwrap();
    assert_eq!(loaded.device.get::<u32>(out, 5), [5, 12, 12, 5, 5]);
    let beyond = ".local .align 8 .b8 depot[8]; mov.u64 %rd0, depot; cvta.local.u64 %rd1, %rd0;
        add.u64 %rd1, %rd1, 1048576; atom.add.u64 %rd4, [%rd1], 1;";
    assert_eq!(body(beyond, &[]), Err(Fault::IllegalAddress));
}

#[test]
fn extremes_of_half_precision_are_vectors() {
    // 1.0 and NaN, 2.0 and -0.0.
    let text = "mov.b32 %r1, 0x7fff3c00; st.global.u32 [%out], %r1; mov.b32 %r1, 0x00004000; st.global.u32 [%out+4], %r1;
        st.global.u32 [%out+8], %r1; mov.b16 %rs1, 0x3c00; mov.b16 %rs2, 0xc000; mov.b16 %rs3, 0x8000;
        setp.eq.u32 %p1, %r0, 0;
        @%p1 atom.global.min.noftz.v4.f16 {%rs4, %rs5, %rs6, %rs7}, [%out], {%rs2, %rs1, %rs1, %rs3};
        @%p1 st.global.u16 [%out+12], %rs5;
        mov.b32 %r2, 0x3f80c000; mov.b32 %r3, 0; @%p1 red.max.noftz.v2.bf16x2 [%out+16], {%r2, %r3};";
    let got = run("", text, &[0, 0, 0, 0, 0x4000_4000, 0xbf80_8000]);
    assert_eq!(got, [0x3c00_c000, 0x8000_3c00, 0x4000, 0x7fff, 0x4000_4000, 0]);
    for bad in [
        "atom.global.min.noftz.f16 %rs1, [%rd1], %rs1;",
        "atom.global.max.noftz.f16x2 %r1, [%rd1], %r1;",
        "atom.global.min.v2.f16 {%rs1, %rs1}, [%rd1], {%rs1, %rs1};",
        "atom.shared.min.noftz.v2.f16 {%rs1, %rs1}, [%rd1], {%rs1, %rs1};",
        "red.global.min.noftz.v8.f16x2 [%rd1], {%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1};",
        "red.global.min.v2.f32 [%rd1], {%f1, %f1};",
        "atom.global.and.noftz.b32 %r1, [%rd1], %r1;",
    ] {
        let text = source(bad).replace("sm_80", "sm_90").replace(".version 8.0", ".version 8.3");
        assert!(Module::parse(&text).is_err(), "{bad}");
    }
}

#[test]
fn parameters_with_large_alignments_have_such_addresses() {
    let ptx = ".version 8.7\n.target sm_90a\n.address_size 64\n
        .visible .entry test(.param .align 64 .b8 map[128], .param .u64 out) { .reg .b64 %rd<4>; .reg .b32 %r<4>;
        mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [out];
        cvt.u32.u64 %r1, %rd1; and.b32 %r1, %r1, 63; st.global.u32 [%rd2], %r1;
        ld.u32 %r2, [%rd1+124]; st.global.u32 [%rd2+4], %r2;
        isspacep.param %p, %rd1; selp.u32 %r3, 1, 0, %p; st.global.u32 [%rd2+8], %r3;
        cvta.to.param.u64 %rd3, %rd1; ld.param.u32 %r2, [%rd3+124]; st.global.u32 [%rd2+12], %r2; ret; }";
    let loaded = Loaded::new(&ptx.replace(".reg .b32", ".reg .pred %p; .reg .b32"));
    assert_eq!(loaded.module.kernels[0].params[0].offset, 48);
    let out = loaded.device.room(16);
    let mut map = [0; 128];
    map[124] = 77;
    loaded.launch("test", [1, 1, 1], [1, 1, 1], 0, &[&map, &out.to_le_bytes()]).unwrap();
    assert_eq!(loaded.device.get::<u32>(out, 4), [0, 77, 1, 77]);
}

#[test]
fn gaps_and_comments_are_where_tokens_end() {
    for text in [
        "mov/* c */.u32 %r1, 1;",
        "mov .u32 %r1, 1;",
        "mov\n.u32\n%r1\n,\n1\n;",
        "/* /* */ // */ ret;\nret;",
        "/***/ /*/ */",
        "L :ret;",
        "add:",
        "mov.f32 %f1, .5;",
        "@ %p1 ret;",
        "ret\u{c};",
    ] {
        assert!(Module::parse(&source(text)).is_ok(), "{text}");
    }
    for text in [
        ";",
        "mov.u32 %r1, 1;;",
        "mov. u32 %r1, 1;",
        "mov . u32 %r1, 1;",
        "mov.u32 (%r1), 1;",
        "ret\u{b};",
        ".reg .u32 L; L:",
        "L: .reg .u32 L;",
        "mov.f32 %f1, 1.5f;",
        "call (%r1+1), f, (%r2);",
    ] {
        assert!(Module::parse(&source(text)).is_err(), "{text}");
    }
}

/// The text before those below.
const BEFORE: &str =
    ".version 9.0\n.target sm_90a\n.address_size 64\n.global .u32 g1; .func f1() { ret; }\n";

#[test]
fn declarations_are_judged_as_the_assembler_judges_them() {
    let judged = |text: &str| Module::parse(&format!("{BEFORE}{text}\n"));
    let mut wrong = Vec::new();
    for text in [
        ".global .u32 ;",
        ".global .u32;",
        ".global .align 4 .u32 ;",
        ".shared .u32 ;",
        ".global .u32 x[2][2] = {{1,2}};",
        ".global .v2 .u32 x = {1,2};",
        ".global .u32 x[][2] = {{1,2},{3,4},{5}};",
        ".global .b16 x = 1.5;",
        ".global .b64 x = 1.5;",
        ".global .b32 x = 1.5;",
        ".global .b64 x = 0d3FF0000000000000;",
        ".global .b64 x = 0f3F800000;",
        ".global .b32 x = 0d3FF0000000000000;",
        ".global .b8 x = 1.5;",
        ".global .b128 x = 1;",
        ".global .b128 x = -1;",
        ".global .b128 x = 1.5;",
        ".global .u64 x = g1;",
        ".global .u32 x = g1;",
        ".global .u64 x = g1+-4;",
        ".global .u64 x = g1+4+4;",
        ".global .u64 x = f1;",
        ".global .u32 x = f1;",
        ".const .u32 c; .global .u64 x = c;",
        ".const .u32 c; .global .u64 x = generic(c);",
        ".const .u64 x = g1;",
        ".global .u64 x[2] = {g1, g1+4};",
        ".global .u64 x[2] = {g1, 1};",
        ".global .u64 x = generic(g1) + 4;",
        ".global .u64 x = 0xff(g1);",
        ".global .u8 x = 0xff(g1);",
        ".global .u8 x[2] = {0xff(g1), 0xff00(g1)};",
        ".global .u8 x[1] = {0xff00(g1+4)};",
        ".global .u8 x[1] = {0xff(generic(g1))};",
        ".global .u8 x[1] = {0xff(generic(g1)+4)};",
        ".global .u32 x[1] = {0xff(g1)};",
        ".align 4 .align 8 .global .u32 x;",
        ".align 4 .global .align 8 .u32 x;",
        ".visible .align 8 .global .u32 x;",
        ".entry k(.align 8 .param .b8 a[8]) { ret; }",
        ".entry k(.param .align 8 .align 8 .b8 a[8]) { ret; }",
        ".func f(.align 8 .reg .u32 a) { ret; }",
        ".entry k() { .align 8 .reg .u32 a; ret; }",
        ".entry k() { .align 8 .local .b8 a[8]; ret; }",
        ".entry k() { .reg .u32 ; ret; }",
        ".entry k() { .local .u32 ; ret; }",
        ".entry k() { .reg .u32 %tid; ret; }",
        ".entry k() { .reg .u32 %laneid; ret; }",
        ".entry k() { .reg .u32 tid; ret; }",
        ".entry k() { %tid: ret; }",
        ".entry k(.param .u32 %tid) { ret; }",
        ".entry k(.param .u32 _) { ret; }",
        ".entry k(.param .u32 g1) { ret; }",
        r#".file 1 "a", 1"#,
        r#".file 1 "a" .file 2 "b""#,
        ".section .x { .b8 1 .b8 2 }",
        ".section .x { .b32 .x }",
        ".section .x { .b32 .x+4 }",
        ".section .x { .b32 a-b }",
        ".section .x { .b32 a+4 }",
        ".section .x { a: b: }",
        ".section .x { .b8 -1 }",
        ".section .x { .b64 0x123456789 }",
        ".section .x {}",
        ".section .x { .b16 1 }",
        ".section .x { .b8 1U }",
        ".entry k() { .loc 1 1 1 .loc 1 1 2 ret; }",
        ".entry k() { .loc 0 0 0 ret; }",
        ".entry k() { .loc 1U 1 1 ret; }",
        ".entry k() { ret; .loc 1 1 1 }",
        r#".entry k() { .pragma "a","b"; ret; }"#,
        ".entry k() .maxntid 32 .maxnreg 32 { ret; }",
        ".entry k() .maxnreg 32 .maxntid 32 { ret; }",
        ".entry k() .maxntid 32 ,1 { ret; }",
        ".entry k() .reqnctapercluster 0 { ret; }",
        ".entry k() .maxclusterrank 0 { ret; }",
        ".entry k() .reqntid 2048 { ret; }",
        ".entry k() .reqntid 32 .minnctapersm 2 { ret; }",
        ".entry k() .reqntid 32 .reqntid 64 { ret; }",
        ".entry k() .explicitcluster .maxclusterrank 2 { ret; }",
        ".func f2(.param .u32 a); .func f2(.param .u32 a) { ret; }",
        ".func f2(); .func f2(); .func f2() { ret; }",
        ".visible .func f2(); .func f2() { ret; }",
        ".weak .func f2(); .weak .func f2() { ret; }",
        ".extern .func f2();",
        ".extern .func f2(); .extern .func f2();",
        ".func (.param .b8 a[8]) f2() { ret; }",
        ".func (.reg .v2 .u32 a) f2() { ret; }",
        ".func (.reg .pred a) f2() { ret; }",
        ".extern .entry k2();",
        ".entry k(.param .u32 a[2]) { ret; }",
        ".entry k(.param .b128 a) { ret; }",
        ".entry k(.param .f16 a) { ret; }",
        ".entry k(.param .u64 .ptr a) { ret; }",
        ".entry k(.param .u64 .ptr .global a) { ret; }",
        ".entry k(.param .u64 .ptr .global .align 4 a) { ret; }",
        ".entry k(.param .u64 .ptr .align 4 a) { ret; }",
        ".entry k(.param .u32 .ptr .global a) { ret; }",
        ".entry k(.param .align 4 .u64 .ptr .global a) { ret; }",
        ".entry k(.param .align 128 .u32 a) { ret; }",
        ".entry k(.param .align 256 .b8 a[8]) { ret; }",
        ".entry k(.param .u32 k) { ret; }",
        ".entry k() { }",
        ".entry k { ret; }",
        ".weak .entry k() { ret; }",
        ".extern .entry k();",
        ".entry k() .maxntid 32 { ret; }",
        ".entry k() .maxntid 32,1,1 { ret; }",
        ".entry k() .maxntid 2048 { ret; }",
        ".entry k() .reqntid 32 { ret; }",
        ".entry k() .maxntid 32 .maxntid 32 { ret; }",
        ".entry k() .minnctapersm 2 { ret; }",
        ".entry k() .maxntid 32 .minnctapersm 2 { ret; }",
        ".entry k() .maxnreg 32 { ret; }",
        ".entry k() .maxnreg 1000 { ret; }",
        ".entry k() .explicitcluster { ret; }",
        ".entry k() .reqnctapercluster 2 { ret; }",
        ".entry k() .reqnctapercluster 2 .explicitcluster { ret; }",
        ".entry k() .maxclusterrank 2 { ret; }",
        ".entry k() .maxntid 32U { ret; }",
        ".entry k() .maxntid 0x20 { ret; }",
        ".func f() .noreturn { ret; }",
        ".func f() .noreturn { exit; }",
        ".func f(); .func f() { ret; }",
        ".func f(.reg .u32 a); .func f(.reg .u32 b) { ret; }",
        ".visible .func f() { ret; }",
        ".weak .func f() { ret; }",
        ".func (.reg .u32 a, .reg .u32 b) f() { ret; }",
        ".func () f() { ret; }",
        ".func (.reg .u32 a) f { ret; }",
        ".func f(.param .b8 a[16]) { ret; }",
        ".func f(.param .align 8 .b8 a[]) { ret; }",
        ".func f(.param .u32 a, .param .u32 b[]) { ret; }",
        ".global .u32 x[4] = {};",
        ".func f(.reg .pred a) { ret; }",
        ".func f(.reg .u32 a, .param .u32 b) { ret; }",
        ".func f() { call f; ret; }",
        ".func g(); .func f() { call g; ret; } .func g() { ret; }",
        ".func f(.reg .b8 a) { ret; }",
        ".func f(.param .b8 a) { ret; }",
        ".func f(.reg .u32 %a) { ret; }",
        ".entry k(.param .u32 %a) { ret; }",
        ".entry %k() { ret; }",
        ".entry k$1() { ret; }",
        ".entry _k() { ret; }",
        ".entry add() { ret; }",
        ".entry entry() { ret; }",
        ".entry tid() { ret; }",
    ] {
        if let Err(error) = judged(text) {
            wrong.push(format!("{text}: {error}"));
        }
    }
    for text in [
        ".global ;",
        ".const .u32 , x;",
        ".global .u32 x, ;",
        ".global .u32 x[2][2] = {1,2};",
        ".global .u32 x[2][2] = {{1,2},3};",
        ".global .u32 x[2] = {{1},{2}};",
        ".global .u32 x[2] = {1,2,3};",
        ".global .v2 .u32 x = {1};",
        ".global .v2 .u32 x = 1;",
        ".global .v2 .u32 x[2] = {1,2};",
        ".global .v2 .u32 x[2] = {1,2,3,4};",
        ".global .f16 x = 1.5;",
        ".global .f16 x = 1;",
        ".global .f16x2 x = 1.5;",
        ".global .f16x2 x = 1;",
        ".global .f64 x = 1;",
        ".global .u64 x = 1.5;",
        ".global .u16 x = g1;",
        ".global .u8 x = g1;",
        ".global .b64 x = g1;",
        ".global .s64 x = g1;",
        ".global .f64 x = g1;",
        ".global .f32 x = g1;",
        ".global .b128 x = g1;",
        ".global .b32 x = g1+4;",
        ".global .u64 x = g1-4;",
        ".global .u64 x = 4+g1;",
        ".global .u64 x = (g1);",
        ".global .u64 x = f1+4;",
        ".global .u64 x = generic(f1);",
        ".global .u64 x = x;",
        ".shared .u32 s; .global .u64 x = s;",
        ".shared .u32 s; .global .u64 x = generic(s);",
        ".global .u64 x = generic(g1+4);",
        ".global .u64 x = generic g1;",
        ".global .u8 x[1] = {0x1ff(g1)};",
        ".global .u8 x[1] = {1(g1)};",
        ".global .global .u32 x;",
        ".global .shared .u32 x;",
        ".v2 .global .u32 x;",
        ".v2 .align 8 .global .u32 x;",
        ".global .v2 .v2 .u32 x;",
        ".u32 .global x;",
        ".align 8 .u32 x;",
        ".u32 x;",
        ".align 8 .visible .global .u32 x;",
        ".global .visible .u32 x;",
        ".visible .u32 x;",
        ".global .align 4 .v2 .align 8 .u32 x;",
        ".entry k(.v2 .param .u32 a) { ret; }",
        ".entry k() { .v2 .reg .u32 a; ret; }",
        ".entry k() { .u32 a; ret; }",
        ".entry k() { .align 8 .u32 a; ret; }",
        ".entry k() { .reg .u32 a, ; ret; }",
        ".entry k() { .reg .u32 _; ret; }",
        ".entry k() { _: ret; }",
        ".entry k() { WARP_SZ: ret; }",
        ".entry k() { .reg .u32 WARP_SZ; ret; }",
        ".entry k() { .reg .u32 a.b; ret; }",
        ".func f1(.reg .u32 a) { ret; }",
        ".entry g1() { ret; }",
        ".entry f1() { ret; }",
        ".func g1() { ret; }",
        ".global .u32 f1;",
        r#".file 1 "a", 1, 2, 3"#,
        r#".file -1 "a""#,
        r#".file 1 "a" ;"#,
        ".section .x { .b8 1, }",
        ".section .x { .b8 }",
        ".section .x { .b8 a }",
        ".section .x { .u8 1 }",
        ".section .x { 1 }",
        ".section .x { .b8 1+1 }",
        ".section .x { .b8 300 }",
        r#".section .x { .b8 "a" }"#,
        ".section .x { ; }",
        ".section .x { .b8 1; }",
        ".section .x.y { .b8 1 }",
        ".section .x .y { .b8 1 }",
        r#".section "x" { }"#,
        ".section { }",
        ".section .x",
        ".section .x { .b32 x(1) }",
        ".entry k() { .loc 1 1 1; ret; }",
        ".entry k() { .loc 1 1 1, ret; }",
        ".entry k() { .loc 1 -1 1 ret; }",
        ".entry k() { .loc 1 1 1 1 ret; }",
        ".pragma ;",
        ".pragma 1;",
        ".entry k() { .pragma ; ret; }",
        ".entry k() { .pragma a; ret; }",
        r#".entry k() { .pragma "a" ret; }"#,
        r#".entry k() { .pragma "a" "b"; ret; }"#,
        ".entry k() .maxntid 32 1 { ret; }",
        ".entry k() .maxntid 32, { ret; }",
        ".entry k() .maxntid -1 { ret; }",
        ".entry k() .minnctapersm 0 { ret; }",
        ".entry k() .minnctapersm 1,1 { ret; }",
        ".entry k() .reqntid 0 { ret; }",
        ".entry k() .reqntid 1,0 { ret; }",
        ".entry k() .maxnreg 1,1 { ret; }",
        ".entry k() .maxclusterrank 2 .reqnctapercluster 2 { ret; }",
        ".func (.reg .u32 a) f2(); .func f2() { ret; }",
        ".func f2(.reg .u32 a); .func f2(.param .u32 a) { ret; }",
        ".func f2(.reg .u32 a); .func f2(.reg .s32 a) { ret; }",
        ".func f2(.param .b8 a[4]); .func f2(.param .b8 a[8]) { ret; }",
        ".func f2(.param .align 4 .b8 a[4]); .func f2(.param .align 8 .b8 a[4]) { ret; }",
        ".func f2(); .visible .func f2() { ret; }",
        ".visible .func f2();",
        ".weak .func f2();",
        ".extern .func f2(); .extern .func f2(.reg .u32 a);",
        ".func f2(.reg .u32 a, .reg .u32 a);",
        ".func (.reg .u32 a) f2(.reg .u32 a);",
        ".func f2(.param .u32 a = 1);",
        ".func (.param .u32 _) f2() { ret; }",
        ".visible .entry k2();",
        ".extern .visible .func f2();",
        ".func .visible f2() { ret; }",
        ".entry k() .maxntid 1",
        ".func f2() .noreturn .noreturn { ret; }",
        ".func (.reg .u32 a, .param .u32 b) f2() { ret; }",
        ".entry k(.param .v2 .u32 a) { ret; }",
        ".entry k(.param .v4.f32 a) { ret; }",
        ".entry k(.reg .u32 a) { ret; }",
        ".entry k(.param .u32 a[]) { ret; }",
        ".entry k(.param .u32 a[0]) { ret; }",
        ".entry k(.param .pred a) { ret; }",
        ".entry k(.param .u32 a,) { ret; }",
        ".entry k(.param .u32 a .param .u32 b) { ret; }",
        ".entry k(.param .u32) { ret; }",
        ".entry k(.u32 a) { ret; }",
        ".entry k(.param .u64 .ptr .param a) { ret; }",
        ".entry k(.param .ptr .u64 a) { ret; }",
        ".entry k(.param .align 3 .b8 a[8]) { ret; }",
        ".entry k(.param .u32 a, .param .u32 a) { ret; }",
        ".entry k(.param .u32 a = 1) { ret; }",
        ".entry k",
        ".entry k;",
        ".entry k(); .visible .entry k() { ret; }",
        ".entry k() ;",
        ".entry (.param .u32 r) k() { ret; }",
        ".entry k() { ret; };",
        ".visible .entry k() { ret; } ;",
        ".common .entry k() { ret; }",
        ".visible .weak .entry k() { ret; }",
        ".entry k() .maxntid 32,1,1,1 { ret; }",
        ".entry k() .maxntid { ret; }",
        ".entry k() .maxntid 0 { ret; }",
        ".entry k() .reqntid 32 .maxntid 32 { ret; }",
        ".entry k() .maxnreg 0 { ret; }",
        ".entry k() .maxnctapersm 2 { ret; }",
        ".entry k() .noreturn { ret; }",
        ".entry k() .reqntid 32; { ret; }",
        ".entry k() .maxntid 1+1 { ret; }",
        ".entry k() .abi_preserve 4 { ret; }",
        ".entry k() .entry { ret; }",
        ".func f() .maxntid 32 { ret; }",
        ".func f; .visible .entry k() { ret; }",
        ".func f();",
        ".func f() { ret; } .func f();",
        ".func f() { ret; } .func f() { ret; }",
        ".func f(.reg .u32 a); .func f() { ret; }",
        ".func f(.reg .u32 a); .func f(.reg .u64 b) { ret; }",
        ".func f(.param .u32 a); .func f(.param .b32 b) { ret; }",
        ".extern .func f() { ret; }",
        ".common .func f() { ret; }",
        ".visible .extern .func f();",
        ".func (.param .u32 a, .param .u32 b) f() { ret; }",
        ".func (.reg .u32 a) f(.reg .u32 a) { ret; }",
        ".func f(.reg .u32 a[2]) { ret; }",
        ".func f(.param .u32 a[], .param .u32 b) { ret; }",
        ".func (.param .u32 r[]) f() { ret; }",
        ".global .v2 .u32 x = {};",
        ".func f(.local .u32 a) { ret; }",
        ".func f(.param .pred a) { ret; }",
        ".func f(.reg .u32 _) { ret; }",
        ".func f(.param .u32 _) { ret; }",
        ".func k() { ret; } .visible .entry k() { ret; }",
        ".global .u32 k; .visible .entry k() { ret; }",
        ".visible .entry k() { ret; } .global .u32 k;",
        ".func f() { .func g() { ret; } ret; }",
        ".func f() { ret; ",
        ".func f() ret;",
        ".func f() { .entry k() { ret; } }",
        ".func f(.reg .u32 a = 1) { ret; }",
        ".func .u32 f() { ret; }",
        ".func f(.reg .u32 a) { .reg .u32 a; ret; }",
        ".entry k.x() { ret; }",
        ".entry _() { ret; }",
        ".entry 1k() { ret; }",
        ".entry WARP_SZ() { ret; }",
    ] {
        if judged(text).is_ok() {
            wrong.push(text.to_owned());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
