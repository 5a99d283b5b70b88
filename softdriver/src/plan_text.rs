//! The faults of the process as a text: how [`Plan`]s are written.

use crate::entry_point;
use crate::faults::{Bad, Calls, Plan};
use crate::model::result;
use cuscope_sys::*;
use std::str::FromStr;
use std::time::Duration;

/// A number with a unit: one of the list, or none if that has an empty one.
fn number(text: &str, units: &[(&str, u64)], what: &str) -> Result<u64, Bad> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(digits);
    let factor = units.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    let value = digits.parse::<u64>().ok().zip(factor).and_then(|(n, by)| n.checked_mul(by));
    value.ok_or_else(|| Bad(format!("{text:?} is no {what}")))
}

fn count(text: &str) -> Result<u64, Bad> {
    number(text, &[("", 1)], "number")
}

fn bytes(text: &str) -> Result<usize, Bad> {
    let units = [("", 1), ("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30)];
    number(text, &units, "number of bytes, such as 4096, 64K, 64M or 2G").map(|n| n as usize)
}

fn time(text: &str) -> Result<Duration, Bad> {
    let units = [("us", 1), ("ms", 1000), ("s", 1_000_000)];
    number(text, &units, "time, such as 500us, 20ms or 1s").map(Duration::from_micros)
}

fn code(text: &str) -> Result<CUresult, Bad> {
    let number = || text.parse().ok().map(CUresult);
    let found = result::code_of(text).or_else(number).filter(|code| *code != CUDA_SUCCESS);
    found.ok_or_else(|| Bad(format!("{text:?} is no error's name or number")))
}

impl Calls {
    /// Of the two sides of an equals sign.
    fn parse(which: &str, answer: &str) -> Result<Self, Bad> {
        let (function, nth) = match which.split_once('#') {
            Some((function, nth)) => (function, Some(count(nth)?)),
            None => (which, None),
        };
        if nth == Some(0) {
            return Err(Bad(format!("{which:?}: calls are counted from 1")));
        }
        if !function.is_empty() && !entry_point::is_function(function) {
            return Err(Bad(format!("{function:?} is no function of the driver")));
        }
        let function = Some(function.to_owned()).filter(|function| !function.is_empty());
        let (answer, performed) = match answer.strip_suffix(":after") {
            Some(answer) => (answer, true),
            None => (answer, false),
        };
        Ok(Self { function, nth, code: code(answer)?, performed })
    }
}

impl FromStr for Plan {
    type Err = Bad;

    fn from_str(text: &str) -> Result<Self, Bad> {
        let mut plan = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((what, how)) = part.split_once('=') else {
                return Err(Bad(format!("{part:?} has no =")));
            };
            match what {
                "memory" => plan.memory = Some(bytes(how)?),
                "timeout" => plan.timeout = Some(time(how)?),
                "copies" => plan.copies = Some(time(how)?),
                "lost" => {
                    let (after, with) = how.split_once(':').unwrap_or((how, "UNKNOWN"));
                    plan.lost = Some((count(after)?, code(with)?));
                }
                _ => plan.calls.push(Calls::parse(what, how)?),
            }
        }
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_plans_or_say_what_is_wrong() {
        let text = "cuMemAlloc#3=OUT_OF_MEMORY, #10=999, cuStreamSynchronize=CUDA_ERROR_LAUNCH_FAILED:after, \
                    memory=64M, lost=5:719, timeout=200ms, copies=5us,";
        let plan: Plan = text.parse().unwrap();
        let calls = |function: &str, nth, code, performed| Calls {
            function: Some(function.to_owned()).filter(|name| !name.is_empty()),
            nth,
            code,
            performed,
        };
        let expected = Plan {
            calls: vec![
                calls("cuMemAlloc", Some(3), CUDA_ERROR_OUT_OF_MEMORY, false),
                calls("", Some(10), CUDA_ERROR_UNKNOWN, false),
                calls("cuStreamSynchronize", None, CUDA_ERROR_LAUNCH_FAILED, true),
            ],
            memory: Some(64 << 20),
            lost: Some((5, CUDA_ERROR_LAUNCH_FAILED)),
            timeout: Some(Duration::from_millis(200)),
            copies: Some(Duration::from_micros(5)),
        };
        assert_eq!(plan, expected);
        assert!(plan.calls[0].means("cuMemAlloc_v2") && plan.calls[0].means("cuMemAlloc"));
        assert!(!plan.calls[0].means("cuMemAllocAsync"));
        for (bad, says) in [
            ("memory", "no ="),
            ("memory=64X", "64X"),
            ("cuNoSuchCall=2", "cuNoSuchCall"),
            ("cuMemAlloc#0=2", "counted from 1"),
            ("cuMemAlloc=0", "no error"),
            ("cuMemAlloc=NO_SUCH", "NO_SUCH"),
            ("timeout=20", "20"),
            ("lost=x", "x"),
        ] {
            let error = bad.parse::<Plan>().unwrap_err().to_string();
            assert!(error.contains(says), "{bad}: {error}");
        }
    }
}
