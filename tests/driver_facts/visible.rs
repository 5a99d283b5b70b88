//! The devices that a process sees: F590.

use std::process::Command;

/// The variable by which the child is known.
const CHILD: &str = "CUSCOPE_TEST_VISIBLE";

/// F590
#[test]
fn a_list_of_devices_is_read_up_to_what_is_none() {
    if std::env::var_os(CHILD).is_some() {
        let (init, mut count) = (code!(cuInit(0)), -1);
        let counted = code!(cuDeviceGetCount(&raw mut count));
        return println!("init {} count {} {count}", init.0, counted.0);
    }
    crate::skip_under_miri!("processes");
    let seen = |list: &str| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args([
            "visible::a_list_of_devices_is_read_up_to_what_is_none",
            "--exact",
            "--nocapture",
        ]);
        let output = child.env(CHILD, "1").env("CUDA_VISIBLE_DEVICES", list).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line =
            text.lines().find_map(|line| line.split_once("init ")).map(|(_, line)| line.to_owned());
        line.unwrap_or_else(|| panic!("{list:?}: {text}"))
    };
    for list in ["0", "00", "+0", "0x0", " 0", "0 ", "0,-1", "0,999", "0,x", "0;1", "0,", "0,,1"] {
        assert_eq!(seen(list), "0 count 0 1", "{list:?}");
    }
    for list in ["", "-1", "-1,0", "999", "999,0", "x", "x,0", ",", ",0", "all", "GPU-", "MIG-1"] {
        assert_eq!(seen(list), "100 count 3 -1", "{list:?}");
    }
    for list in ["0,0", "0 ,0"] {
        assert_eq!(seen(list), "101 count 3 -1", "{list:?}");
    }
}
