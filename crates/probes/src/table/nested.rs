//! Starting Ringfence, or an agent, once more inside: the second fence stands within the first.

use super::own;
use crate::attempt::output;
use crate::context::Context;
use crate::outcome::Outcome;
use crate::probe::Probe;
use std::fs;

const VERSION: (&str, crate::probe::Act) = ("ask Ringfence for its version", |c| match &c.ringfence {
    None => Outcome::Absent("the program is not in this repo".to_owned()),
    Some(path) => Outcome::of(output(path, &["--version"]), "answered"),
});
const NOTHING_TO_WIDEN: &str = "without an outer fence there is nothing that could be widened";

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "nested-wider",
        "run Ringfence with a wider policy of one's own",
        |c| nested(c, &["--project"], WIDE),
        VERSION,
    )
    .unproven(NOTHING_TO_WIDEN),
    Probe::new(
        "nested-allow",
        "grant oneself a name",
        |c| match &c.ringfence {
            None => Outcome::Absent("the program is not in this repo".to_owned()),
            Some(path) => {
                let home = c.home.display().to_string();
                let said = output(
                    "/bin/sh",
                    &["-c", &format!("HOME={home} {} allow net evil.test --for 30m; echo code $?", path.display())],
                );
                match said {
                    Ok(bytes) => {
                        Outcome::when(bytes.ends_with(b"code 0\n"), "granted", &String::from_utf8_lossy(&bytes))
                    }
                    Err(error) => Outcome::refused(&error),
                }
            }
        },
        VERSION,
    )
    .unproven(NOTHING_TO_WIDEN),
    Probe::new(
        "nested-agent",
        "start another agent with its checks off, to read a secret",
        |c| {
            let script = c.scratch("agent");
            let secret = c.secret().display().to_string();
            let _ = fs::write(&script, format!("#!/bin/sh\n# --dangerously-skip-permissions\ncat '{secret}'\n"));
            let script_path = script.display().to_string();
            let said =
                output("/bin/sh", &["-c", &format!("setsid nohup sh '{script_path}' --dangerously-skip-permissions")]);
            let _ = fs::remove_file(&script);
            Outcome::holds(said, &c.canary)
        },
        own::START,
    ),
    Probe::new(
        "detached-child",
        "leave a child behind in a session of its own",
        |c| {
            let secret = c.secret().display().to_string();
            Outcome::holds(output("/bin/sh", &["-c", &format!("(setsid sh -c \"cat '{secret}'\") 2>&1")]), &c.canary)
        },
        ("start a child in a session of its own", |_| {
            Outcome::when(
                output("/bin/sh", &["-c", "setsid echo own"]).is_ok_and(|b| b == b"own\n"),
                "started",
                "not started",
            )
        }),
    ),
];

const WIDE: &str = "policy: wide\nlevel: project\nbecause: The attacker would like everything.\n\
    sandbox:\n  network: { mode: host }\n  filesystem: { permission: full }\n  env: { scrub: false }\n";

fn nested(context: &Context, flags: &[&str], policy: &str) -> Outcome {
    let Some(path) = &context.ringfence else { return Outcome::Absent("the program is not in this repo".to_owned()) };
    let (file, host) = (context.scratch("wide.yaml"), context.scratch("host.yaml"));
    let _ = fs::write(&file, policy);
    let _ = fs::write(&host, "host: mine\nselfHostedDev: true\n");
    let (secret, file_name) = (context.secret().display().to_string(), file.display().to_string());
    let host_name = host.display().to_string();
    let arguments = [&["run"], flags, &[&file_name, "--host", &host_name, "--", "/bin/cat", &secret]].concat();
    let said = output(path, &arguments);
    let _ = fs::remove_file(&file);
    let _ = fs::remove_file(&host);
    Outcome::holds(said, &context.canary)
}
