//! The variables of the environment, all read by the first `cuInit`.

use crate::faults::Plan;
use crate::lowered::{self, Lowered};
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The settings of the environment.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Environment {
    /// How many devices there are.
    pub(crate) devices: usize,
    /// The attributes that devices have less of.
    pub(crate) lowered: Vec<Lowered>,
    /// The seed of the order of work.
    pub(crate) seed: Option<u64>,
    /// The faults to make.
    pub(crate) faults: Option<Plan>,
    /// Whether what is alive at the exit is told.
    pub(crate) report: bool,
    /// Whether a summary is told at the exit, and the file that it goes to: none is stderr.
    pub(crate) summary: Option<Option<PathBuf>>,
    /// Whether accesses to memory are checked.
    pub(crate) check: bool,
    /// How many accesses of kernels that fault are left out.
    pub(crate) left_out: u64,
    /// Where the trace of calls goes.
    pub(crate) trace: Option<PathBuf>,
}

/// What the names of all variables begin with.
const PREFIX: &str = "CUSCOPE_SOFT_";
/// What they end with.
const NAMES: [&str; 10] = [
    "ATTRIBUTES",
    "CHECK",
    "DEVICES",
    "FAULT",
    "GO_ON",
    "RACES",
    "REPORT",
    "SEED",
    "SUMMARY",
    "TRACE",
];

/// Devices without a variable, and at most.
const DEVICES: (usize, usize) = (2, 64);

impl Environment {
    /// Reads it; what is wrong, a sentence each.
    pub(crate) fn read() -> Result<Self, Vec<String>> {
        let set = env::vars_os().filter(|(_, value)| !value.is_empty()).map(|(name, _)| name);
        let strange = strange(set);
        let read = Self::of(|name| env::var_os(name).filter(|value| !value.is_empty()));
        match read {
            Ok(read) if strange.is_empty() => Ok(read),
            read => Err([strange, read.err().unwrap_or_default()].concat()),
        }
    }

    fn of(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, Vec<String>> {
        let mut wrong = Vec::new();
        let mut asked = |name: &str, is: &str, take: &mut dyn FnMut(&str) -> Result<(), String>| {
            let Some(value) = variable(name) else { return };
            let taken = match value.to_str() {
                Some(text) => take(text.trim()),
                None => Err(String::new()),
            };
            if let Err(why) = taken {
                let colon = if why.is_empty() { "" } else { ": " };
                wrong.push(format!("{name} is {value:?}, which is no {is}{colon}{why}"));
            }
        };
        let mut read = Self { devices: DEVICES.0, ..Self::default() };
        let silent = || Err(String::new());
        asked("CUSCOPE_SOFT_DEVICES", "number up to 64", &mut |text| {
            let Some(count) = text.parse().ok().filter(|count| *count <= DEVICES.1) else {
                return silent();
            };
            read.devices = count;
            Ok(())
        });
        asked("CUSCOPE_SOFT_ATTRIBUTES", "list of attributes", &mut |text| {
            read.lowered = lowered::list(text)?;
            Ok(())
        });
        asked("CUSCOPE_SOFT_SEED", "number", &mut |text| {
            read.seed = Some(text.parse().map_err(|_| String::new())?);
            Ok(())
        });
        asked("CUSCOPE_SOFT_RACES", "answer to a race: abort", &mut |text| {
            if text == "abort" { Ok(()) } else { silent() }
        });
        asked("CUSCOPE_SOFT_FAULT", "list of faults", &mut |text| {
            read.faults = Some(text.parse().map_err(|bad: crate::faults::Bad| bad.to_string())?);
            Ok(())
        });
        for (name, switch) in
            [("CUSCOPE_SOFT_REPORT", &mut read.report), ("CUSCOPE_SOFT_CHECK", &mut read.check)]
        {
            asked(name, "switch: 0 or 1", &mut |text| {
                match text {
                    "0" => {}
                    "1" => *switch = true,
                    _ => return silent(),
                }
                Ok(())
            });
        }
        asked("CUSCOPE_SOFT_GO_ON", "number of accesses", &mut |text| {
            read.left_out = text.parse().map_err(|_| String::new())?;
            Ok(())
        });
        // Now, when there is still somebody to tell that it cannot be.
        let file = |text: &str| {
            let path = PathBuf::from(text.replace("%p", &std::process::id().to_string()));
            std::fs::File::create(&path).map_err(|error| error.to_string())?;
            Ok::<_, String>(path)
        };
        asked("CUSCOPE_SOFT_SUMMARY", "switch (0 or 1) or file to write", &mut |text| {
            read.summary = match text {
                "0" => None,
                "1" => Some(None),
                _ => Some(Some(file(text)?)),
            };
            Ok(())
        });
        asked("CUSCOPE_SOFT_TRACE", "file to write", &mut |text| {
            read.trace = Some(file(text)?);
            Ok(())
        });
        if wrong.is_empty() { Ok(read) } else { Err(wrong) }
    }
}

/// What is wrong with the names of variables that begin like those of this driver, a sentence each.
fn strange(names: impl Iterator<Item = OsString>) -> Vec<String> {
    let names = names.filter_map(|name| name.into_string().ok());
    let names =
        names.filter(|name| name.strip_prefix(PREFIX).is_some_and(|rest| !NAMES.contains(&rest)));
    let all = || NAMES.map(|rest| format!("{PREFIX}{rest}")).join(", ");
    names.map(|name| format!("{name} is no variable of this driver, which has {}", all())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_none_is_refused() {
        let of = |names: &[&str]| strange(names.iter().map(OsString::from));
        assert_eq!(of(&["PATH", "CUSCOPE_DRIVER", "CUSCOPE_SOFT_SEED"]), [""; 0]);
        let wrong = of(&["CUSCOPE_SOFT_DEVICE", "CUSCOPE_SOFT_GO_ON"]);
        assert!(wrong.len() == 1 && wrong[0].starts_with("CUSCOPE_SOFT_DEVICE is no"), "{wrong:?}");
        assert!(wrong[0].contains("CUSCOPE_SOFT_DEVICES, "), "{wrong:?}");
    }

    fn of(pairs: &[(&str, &str)]) -> Result<Environment, Vec<String>> {
        Environment::of(|name| {
            pairs.iter().find(|(of, _)| *of == name).map(|(_, value)| value.into())
        })
    }

    #[test]
    fn every_variable_is_read_or_refused() {
        let nothing = of(&[]).unwrap();
        assert_eq!(nothing, Environment { devices: 2, ..Environment::default() });
        let read = of(&[
            ("CUSCOPE_SOFT_DEVICES", "0"),
            ("CUSCOPE_SOFT_ATTRIBUTES", "COOPERATIVE_LAUNCH=0"),
            ("CUSCOPE_SOFT_SEED", "7"),
            ("CUSCOPE_SOFT_RACES", "abort"),
            ("CUSCOPE_SOFT_FAULT", "memory=1M"),
            ("CUSCOPE_SOFT_REPORT", "1"),
            ("CUSCOPE_SOFT_SUMMARY", "1"),
            ("CUSCOPE_SOFT_CHECK", "1"),
            ("CUSCOPE_SOFT_GO_ON", "50"),
        ]);
        let read = read.unwrap();
        assert_eq!((read.devices, read.seed, read.report), (0, Some(7), true));
        assert_eq!(read.lowered.len(), 1);
        assert_eq!((&read.summary, read.check, read.left_out), (&Some(None), true, 50));
        assert_eq!(read.faults.unwrap().memory, Some(1 << 20));
        for (name, value) in [
            ("CUSCOPE_SOFT_DEVICES", "65"),
            ("CUSCOPE_SOFT_DEVICES", "two"),
            ("CUSCOPE_SOFT_ATTRIBUTES", "WARP_SIZE=16"),
            ("CUSCOPE_SOFT_SEED", "-1"),
            ("CUSCOPE_SOFT_RACES", "1"),
            ("CUSCOPE_SOFT_FAULT", "memory"),
            ("CUSCOPE_SOFT_REPORT", "yes"),
            ("CUSCOPE_SOFT_CHECK", "all"),
            ("CUSCOPE_SOFT_GO_ON", "always"),
            ("CUSCOPE_SOFT_SUMMARY", "/no/such/folder/summary"),
            ("CUSCOPE_SOFT_TRACE", "/no/such/folder/trace.json"),
        ] {
            let wrong = of(&[(name, value)]).unwrap_err();
            assert!(NAMES.contains(&name.strip_prefix(PREFIX).unwrap()));
            assert!(wrong.len() == 1 && wrong[0].starts_with(name), "{wrong:?}");
            assert!(wrong[0].contains(value), "{wrong:?}");
        }
    }
}
