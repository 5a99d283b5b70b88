//! The command.
#![forbid(unsafe_code)]

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

const TEXT: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry clear(.param .u64 data, .param .u32 n) {
    .reg .b64 %rd<5>;
    .reg .b32 %r<4>;
    ld.param.u64 %rd1, [data];
    cvta.to.global.u64 %rd4, %rd1;
    ld.param.u32 %r1, [n];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd4, %rd2;
    st.global.u32 [%rd3], 0;
    ret;
}";

/// Runs it with a text on its standard input.
fn guard(args: &[&str], text: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_cuscope-guard");
    let (input, output) = (Stdio::piped(), Stdio::piped());
    let mut child = Command::new(program)
        .args(args)
        .stdin(input)
        .stdout(output)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that only says how it is used has ended, perhaps.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn it_writes_the_text_and_lists_what_is_asked() {
    let whole = guard(&["-"], TEXT);
    assert_eq!(whole.status.code(), Some(0));
    let expected = cuscope_guard::guard(TEXT).unwrap();
    assert_eq!(String::from_utf8(whole.stdout).unwrap(), expected.text());

    let sites = String::from_utf8(guard(&["--sites", "-"], TEXT).stdout).unwrap();
    assert_eq!(sites, "1 clear line 12: st.global.u32 [%rd3], 0;\n");
    let parameters = String::from_utf8(guard(&["--parameters", "-"], TEXT).stdout).unwrap();
    assert_eq!(parameters, format!("clear 0 4 {}\n", u64::from(u32::MAX) * 4));
}

#[test]
fn what_is_wrong_is_in_its_status() {
    let refused = TEXT.replace("st.global.u32 [%rd3], 0;", "st.weird.u32 [%rd3], 0;");
    let refused = guard(&["-"], &refused);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        String::from_utf8(refused.stderr).unwrap().contains("kernel 'clear' cannot be guarded")
    );
    for (args, text) in
        [(&["-"][..], "no PTX"), (&[], ""), (&["--sites", "-", "to"], ""), (&["nowhere.ptx"], "")]
    {
        let wrong = guard(args, text);
        assert_eq!(wrong.status.code(), Some(2), "{args:?}");
        assert!(!wrong.stderr.is_empty() && wrong.stdout.is_empty(), "{args:?}");
    }
}
