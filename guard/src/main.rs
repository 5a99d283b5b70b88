//! Guards the kernels of PTX texts.

use std::io::Read as _;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cuscope-guard [--sites | --parameters] KERNEL.ptx [OUTPUT.ptx]

Writes the text with its kernels guarded to OUTPUT.ptx, or to the standard output. KERNEL.ptx may be `-`, the
standard input. Kernels that cannot be guarded are left out, and standard error says why. Then the exit status is 1,
and 2 if the text cannot be read at all.
--sites lists the accesses that may fail, by number, instead.
--parameters lists the parameters whose extents a launch passes: the kernel, the place from 0, what the begin has to be
a multiple of, and the largest extent.";

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let list = args.first().cloned().filter(|one| one == "--sites" || one == "--parameters");
    if list.is_some() {
        args.remove(0);
    }
    let (input, output) = match &args[..] {
        [input] => (input, None),
        [input, output] if list.is_none() => (input, Some(output)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let text = if input == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(input)
    };
    let guarded = match text {
        Ok(text) => match cuscope_guard::guard(&text) {
            Ok(guarded) => guarded,
            Err(error) => {
                eprintln!("{input}: {error}");
                return ExitCode::from(2);
            }
        },
        Err(error) => {
            eprintln!("{input}: {error}");
            return ExitCode::from(2);
        }
    };
    for refused in guarded.refused() {
        eprintln!("{input}: {refused}");
    }
    if let Some(list) = list {
        for kernel in guarded.kernels() {
            for one in kernel.parameters().iter().filter(|one| one.extents && list != "--sites") {
                println!(
                    "{} {} {} {}",
                    kernel.name(),
                    one.index,
                    one.bounds.begin,
                    one.bounds.most
                );
            }
            for site in kernel.sites().iter().filter(|_| list == "--sites") {
                println!(
                    "{} {} line {}: {}",
                    site.number,
                    kernel.name(),
                    site.line,
                    site.instruction
                );
            }
        }
    } else if let Some(output) = output {
        if let Err(error) = std::fs::write(output, guarded.text()) {
            eprintln!("{output}: {error}");
            return ExitCode::from(2);
        }
    } else {
        print!("{}", guarded.text());
    }
    if guarded.refused().is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
