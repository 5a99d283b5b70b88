//! The command line.

use crate::report::{ALLOWED, Kind};
use cuscope_softdriver::faults::Plan;
use lexopt::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// The text of `--help`.
pub(crate) const HELP: &str = "\
Runs a program that needs a CUDA driver on a machine without a GPU: the software driver is its libcuda.so.1.

Usage: cuscope-softcuda run [options] [--] program [arguments]
       cuscope-softcuda library folder

`run` passes the program's output, signals and exit status on. Behind them it tells on stderr what each process of
it did: calls and launches, what the software driver does not support, code that it refused, faults, races, leaks.

  --devices <n>         the number of devices (2)
  --seed <n>            run asynchronous work late, in a legal order that depends on the number, and look for races
  --races abort         end the process at the first race (needs --seed)
  --check               check every access of kernels and copies: which ones miss all memory, and which ones read
                        memory that nobody wrote (slower)
  --go-on <n>           leave out accesses of kernels that fault, up to so many, and tell each instruction that makes them
  --fault <list>        faults to inject, such as `cuMemAlloc#3=OUT_OF_MEMORY,timeout=200ms`
  --memory <size>       no device has more memory than this (`K`, `M`, `G`)
  --trace <file>        write a trace of calls and work for a trace viewer; `%p` becomes the process id
  --attributes <list>   what the devices lack, such as `COOPERATIVE_LAUNCH=0,1:MAXIMUM_TEXTURE2D_WIDTH=4096`
  --live                tell which objects are alive at the end
  --output <file>       tell it all to this file instead of stderr
  --quiet               tell nothing about processes with which all is well
  --error-exitcode <n>  exit with this number if the program succeeds, but something went wrong: faults, races, calls
                        that failed or are not supported, code that was refused, leaks
  --allow <list>        what does not count for that: `calls`, `unsupported`, `refused`, `leaks`

`library` writes the library to the folder, for `LD_LIBRARY_PATH=folder program`.

docs.rs/cuscope: the pages \"CI without a GPU\" and \"The software driver\" say more.
";

/// The command to carry out.
#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    Help,
    Version,
    /// Write the library to a folder.
    Library(PathBuf),
    Run(Run),
}

/// A program to run.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Run {
    /// The program with its arguments.
    pub(crate) program: Vec<OsString>,
    /// Variables for it.
    pub(crate) variables: Vec<(&'static str, OsString)>,
    /// Where the report goes; none is stderr.
    pub(crate) output: Option<PathBuf>,
    pub(crate) quiet: bool,
    pub(crate) error_exitcode: Option<u8>,
    /// Failures that are allowed.
    pub(crate) allowed: Vec<Kind>,
}

/// Reads the command line.
pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    match parser.next()? {
        None | Some(Short('h') | Long("help")) => Ok(Command::Help),
        Some(Short('V') | Long("version")) => Ok(Command::Version),
        Some(Value(command)) if command == "run" => run(parser),
        Some(Value(command)) if command == "library" => {
            let folder = parser.next()?.ok_or("`library` needs a folder")?;
            let Value(folder) = folder else { return Err(folder.unexpected()) };
            match parser.next()? {
                None => Ok(Command::Library(folder.into())),
                Some(more) => Err(more.unexpected()),
            }
        }
        Some(Value(command)) => {
            Err(format!("the command {command:?} is neither `run` nor `library`").into())
        }
        Some(option) => Err(option.unexpected()),
    }
}

/// The rest after `run`.
fn run(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let (mut run, mut faults) = (Run::default(), Vec::new());
    let mut set = |name, value: OsString| run.variables.push((name, value));
    while let Some(argument) = parser.next()? {
        match argument {
            Long("devices") => {
                let devices = parser.value()?.parse_with(|text| match text.parse::<u32>() {
                    Ok(devices @ 0..=64) => Ok(devices),
                    _ => Err("there are 0 to 64"),
                })?;
                set("CUSCOPE_SOFT_DEVICES", devices.to_string().into());
            }
            Long("seed") => {
                let seed: u64 = parser.value()?.parse()?;
                set("CUSCOPE_SOFT_SEED", seed.to_string().into());
            }
            Long("races") => {
                let races = parser.value()?;
                if races != "abort" {
                    return Err(lexopt::Error::UnexpectedValue {
                        option: "--races".to_owned(),
                        value: races,
                    });
                }
                set("CUSCOPE_SOFT_RACES", races);
            }
            Long("check") => set("CUSCOPE_SOFT_CHECK", "1".into()),
            Long("go-on") => {
                let most: u64 = parser.value()?.parse()?;
                set("CUSCOPE_SOFT_GO_ON", most.to_string().into());
            }
            Long("fault") => faults.push(parser.value()?.string()?),
            Long("memory") => faults.push(format!("memory={}", parser.value()?.string()?)),
            Long("trace") => {
                // The program may go elsewhere before the driver starts.
                let file =
                    std::path::absolute(parser.value()?).map_err(|error| error.to_string())?;
                set("CUSCOPE_SOFT_TRACE", file.into());
            }
            Long("live") => set("CUSCOPE_SOFT_REPORT", "1".into()),
            Long("output") => run.output = Some(parser.value()?.into()),
            Long("quiet") => run.quiet = true,
            Long("error-exitcode") => run.error_exitcode = Some(parser.value()?.parse()?),
            Long("allow") => {
                let list = parser.value()?.string()?;
                for name in list.split(',').map(str::trim) {
                    let known = ALLOWED.iter().find(|(known, _)| *known == name);
                    let (_, kind) = known.ok_or_else(|| format!("nothing is called {name:?}"))?;
                    run.allowed.push(*kind);
                }
            }
            Long("attributes") => set("CUSCOPE_SOFT_ATTRIBUTES", parser.value()?),
            Short('h') | Long("help") => return Ok(Command::Help),
            Value(program) => {
                run.program.push(program);
                run.program.extend(parser.raw_args()?);
                break;
            }
            option => return Err(option.unexpected()),
        }
    }
    if !faults.is_empty() {
        let faults = faults.join(",");
        let _plan: Plan = faults.parse().map_err(|bad| format!("the faults {faults:?}: {bad}"))?;
        run.variables.push(("CUSCOPE_SOFT_FAULT", faults.into()));
    }
    if run.program.is_empty() {
        return Err("`run` needs a program".into());
    }
    Ok(Command::Run(run))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str]) -> Result<Command, String> {
        let parser = lexopt::Parser::from_args(arguments);
        parse(parser).map_err(|error| error.to_string())
    }

    #[test]
    fn options_become_variables_and_the_rest_is_the_program() {
        let line = "run --devices=3 --seed 7 --races abort --check --go-on 40 --fault cuInit=1 --memory 1M \
            --quiet --error-exitcode 9 --allow calls,leaks --attributes MANAGED_MEMORY=0 -- prog --seed x";
        let words: Vec<_> = line.split_whitespace().collect();
        let Ok(Command::Run(run)) = of(&words) else { panic!() };
        assert_eq!(run.program, ["prog", "--seed", "x"]);
        assert!(run.quiet && run.error_exitcode == Some(9) && run.output.is_none());
        assert_eq!(run.allowed, [Kind::Call, Kind::Leak]);
        let variables = [
            ("CUSCOPE_SOFT_DEVICES", "3"),
            ("CUSCOPE_SOFT_SEED", "7"),
            ("CUSCOPE_SOFT_RACES", "abort"),
            ("CUSCOPE_SOFT_CHECK", "1"),
            ("CUSCOPE_SOFT_GO_ON", "40"),
            ("CUSCOPE_SOFT_ATTRIBUTES", "MANAGED_MEMORY=0"),
            ("CUSCOPE_SOFT_FAULT", "cuInit=1,memory=1M"),
        ];
        assert_eq!(run.variables, variables.map(|(name, value)| (name, value.into())));
        // Without the dashes too.
        let Ok(Command::Run(run)) = of(&["run", "prog", "--check", "-h"]) else { panic!() };
        assert_eq!((run.program.len(), run.variables.len()), (3, 0));
    }

    #[test]
    fn options_that_make_no_sense_are_refused() {
        for (line, says) in [
            ("walk", "neither `run` nor"),
            ("run", "needs a program"),
            ("run --devices 65 prog", "0 to 64"),
            ("run --seed x prog", "x"),
            ("run --go-on ever prog", "ever"),
            ("run --races maybe prog", "maybe"),
            ("run --fault cuNoSuchCall=1 prog", "cuNoSuchCall"),
            ("run --memory much prog", "memory"),
            ("run --faults x prog", "--faults"),
            ("run --allow errors prog", "errors"),
            ("library", "folder"),
            ("library a b", "b"),
        ] {
            let words: Vec<_> = line.split_whitespace().collect();
            let error = of(&words).unwrap_err();
            assert!(error.contains(says), "{line}: {error}");
        }
        assert_eq!(of(&[]), Ok(Command::Help));
        assert_eq!(of(&["library", "x"]), Ok(Command::Library("x".into())));
    }
}
