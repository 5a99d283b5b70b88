//! The files of the package `cuscope`: `cargo package --list`, and the manifests of all packages that are published.

use crate::{ROOT, read};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::{env, str};

/// Generated tables, which the repository has at the commit that `.cargo_vcs_info.json` of the package names. The safety manual
/// says so.
const BESIDE: [&str; 2] = ["docs/traceability.md", "docs/failure-modes.md"];

/// The folders of the packages of the workspace, each with a slash behind it.
pub(crate) fn members() -> Vec<String> {
    let workspace = read("Cargo.toml");
    let (_, members) = workspace.split_once("\nmembers = [").unwrap();
    let members = members.split(']').next().unwrap().split('"').skip(1).step_by(2);
    [String::new()].into_iter().chain(members.map(|member| format!("{member}/"))).collect()
}

/// The folders of the packages that are published: the members of the workspace that do not say otherwise.
fn published() -> Vec<String> {
    let is_published =
        |folder: &String| !read(format!("{folder}Cargo.toml")).contains("publish = false");
    members().into_iter().filter(is_published).collect()
}

fn packaged() -> BTreeSet<String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut list = Command::new(cargo);
    list.args(["package", "--list", "--allow-dirty", "--offline", "-p", "cuscope"]);
    let output = list.current_dir(ROOT).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files = str::from_utf8(&output.stdout).unwrap().lines();
    files.map(|file| file.replace('\\', "/")).collect()
}

/// The file that a relative link of a page leads to.
fn target(page: &str, link: &str) -> Option<String> {
    let file = link.split('#').next().unwrap();
    if file.is_empty() || link.contains("::") || link.contains(".html") || link.starts_with("http")
    {
        return None;
    }
    let mut parts: Vec<_> = page.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    Some(parts.join("/").trim_end_matches('/').to_owned())
}

#[test]
fn the_package_carries_what_its_pages_rest_on() {
    let files = packaged();
    for needed in
        ["SECURITY.md", "docs/safety-manual.md", "docs/releasing.md", "ui-tests/README.md"]
    {
        assert!(files.contains(needed), "{needed} is not in the package");
    }
    for rule in crate::ui::rules("rs") {
        for file in [format!("{rule}.rs"), format!("{rule}.stderr"), format!("mended/{rule}.rs")] {
            assert!(files.contains(&format!("ui-tests/{file}")), "ui-tests/{file}");
        }
    }
    for beside in BESIDE {
        assert!(!files.contains(beside), "{beside} is a generated table");
        let name = Path::new(beside).file_name().unwrap().to_str().unwrap();
        let manual = read("docs/safety-manual.md");
        let (_, says) = manual.split_once("<!-- beside the package -->").expect("the mark");
        assert!(
            says.split("\n\n").nth(1).unwrap().contains(name),
            "the manual does not say where {name} is"
        );
    }
    let (mut links, mut dead) = (0, Vec::new());
    for page in files.iter().filter(|file| file.ends_with(".md")) {
        let text = read(page);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let Some(file) = target(page, link) else { continue };
            links += 1;
            let folder = format!("{file}/");
            let is_there = files.contains(&file) || files.iter().any(|it| it.starts_with(&folder));
            if !is_there && !BESIDE.contains(&&*file) {
                dead.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(links > 60, "{links}");
    assert!(dead.is_empty(), "these lead out of the package:\n{}", dead.join("\n"));
}

#[test]
fn the_manifests_have_what_a_registry_asks_for() {
    let (all, releasing, bill) = (published(), read("docs/releasing.md"), read(".ci/sbom"));
    assert!(all.len() >= 7, "{all:?}");
    for folder in all {
        let manifest = read(format!("{folder}Cargo.toml"));
        let (_, package) = manifest.split_once("[package]\n").unwrap();
        let package = package.split("\n[").next().unwrap();
        let keys: BTreeSet<_> = package
            .lines()
            .filter_map(|line| line.split([' ', '=', '.']).next())
            .filter(|key| !key.is_empty())
            .collect();
        let (_, name) = package.split_once("name = \"").unwrap();
        let row = format!(" | `{}` | ", name.split('"').next().unwrap());
        assert!(releasing.contains(&row), "docs/releasing.md does not have{row}");
        assert!(bill.contains(&format!(" {folder}Cargo.toml")), ".ci/sbom leaves out {folder}");
        for key in [
            "name",
            "description",
            "version",
            "edition",
            "license",
            "rust-version",
            "documentation",
            "keywords",
            "categories",
            "include",
            "readme",
        ] {
            assert!(keys.contains(key), "{folder}Cargo.toml has no {key}");
        }
        assert!(read(format!("{folder}README.md")).len() > 200, "{folder}README.md");
        for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(Path::new(ROOT).join(&folder).join(license).exists(), "{folder}{license}");
        }
    }
}
