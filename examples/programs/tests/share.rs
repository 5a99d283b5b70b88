//! The program `share`: a server and its clients.
#![cfg(target_os = "linux")]

use std::process::Command;

#[test]
fn clients_work_on_buffers_of_the_server() {
    let output = Command::new(env!("CARGO_BIN_EXE_share")).output().unwrap();
    let (printed, errors) =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).into();
    assert!(output.status.success(), "{}\n{printed}{errors}", output.status);
    for line in [
        "server: client 0 wrote 1000 into all 1048576 elements",
        "server: client 1 wrote 1001 into all 1048576 elements",
    ] {
        assert!(printed.contains(line), "{printed}{errors}");
    }
    assert_eq!(printed.matches("client: 1048576 elements at 0x").count(), 2, "{printed}{errors}");
}

#[test]
fn a_client_without_a_server_says_so() {
    let output = Command::new(env!("CARGO_BIN_EXE_share")).args(["work", "/nowhere"]).output();
    assert!(!output.unwrap().status.success());
}
