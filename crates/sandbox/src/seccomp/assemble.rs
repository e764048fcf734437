//! Rules → filter program.
//!
//! The program searches the system call number as a tree, so that a call nobody cares about passes after a
//! handful of compares, and the kernel's own cache of always-allowed calls is filled fast.

use crate::sys::Instruction;

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// It passes.
    Allow,
    /// It fails with an error number.
    Fail(i32),
    /// The supervisor is asked.
    Ask,
}

/// A test on one argument. Only the low half is looked at: these arguments are 32-bit numbers to the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    /// The argument, masked, equals the value.
    Masked(u8, u32, u32),
    /// The argument has any of these bits.
    AnyOf(u8, u32),
}

/// What happens to one system call: the first case whose tests all hold decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    /// The system call.
    pub(crate) number: i64,
    /// Cases in order.
    pub(crate) cases: Vec<(Vec<Test>, Action)>,
    /// What happens when no case holds.
    pub(crate) otherwise: Action,
}

const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
const EQUAL: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const AT_LEAST: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const ANY_BIT: u16 = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const JUMP: u16 = 0x05; // BPF_JMP | BPF_JA
const AND: u16 = 0x54; // BPF_ALU | BPF_AND | BPF_K
const RETURN: u16 = 0x06; // BPF_RET | BPF_K

/// Offsets into `seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;

#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = 0xc000_00b7;

/// Calls of the x32 interface carry this bit.
const X32: u32 = 0x4000_0000;

fn step(code: u16, jump_true: u8, jump_false: u8, value: u32) -> Instruction {
    Instruction { code, jump_true, jump_false, value }
}

fn returns(action: Action) -> Instruction {
    let value = match action {
        Action::Allow => libc::SECCOMP_RET_ALLOW,
        Action::Fail(errno) => libc::SECCOMP_RET_ERRNO | (errno as u32 & 0xffff),
        Action::Ask => libc::SECCOMP_RET_USER_NOTIF,
    };
    step(RETURN, 0, 0, value)
}

/// The whole program. Entries of another architecture do not exist, whatever they ask for.
pub(crate) fn program(mut rules: Vec<Rule>) -> Vec<Instruction> {
    rules.sort_by_key(|r| r.number);
    let foreign = returns(Action::Fail(libc::ENOSYS));
    let mut out = vec![
        step(LOAD, 0, 0, ARCHITECTURE),
        step(EQUAL, 1, 0, NATIVE),
        foreign,
        step(LOAD, 0, 0, NUMBER),
        step(AT_LEAST, 0, 1, X32),
        foreign,
    ];
    out.extend(tree(&runs(&rules)));
    out
}

/// Rules of neighbouring numbers that all say the same: one leaf of the tree.
fn runs(rules: &[Rule]) -> Vec<&[Rule]> {
    rules.chunk_by(|a, b| b.number == a.number + 1 && a.cases == b.cases && a.otherwise == b.otherwise).collect()
}

/// A part of the search tree. Every path through it ends in a return, so it can stand anywhere.
fn tree(runs: &[&[Rule]]) -> Vec<Instruction> {
    match runs {
        [] => vec![returns(Action::Allow)],
        [run] => {
            let [Some(first), Some(last)] = [run.first(), run.last()] else { return vec![returns(Action::Allow)] };
            let body = body(first);
            let mut out = if run.len() == 1 {
                branch(step(EQUAL, 0, 0, first.number as u32), body.len())
            } else {
                // Not below the first, and not beyond the last: the way out of either is the return behind the body.
                let beyond = returns(Action::Allow);
                let not_beyond = [step(AT_LEAST, 0, 1, last.number as u32 + 1), beyond];
                let mut out = branch(step(AT_LEAST, 0, 0, first.number as u32), not_beyond.len() + body.len());
                out.extend(not_beyond);
                out
            };
            out.extend(body);
            out.push(returns(Action::Allow));
            out
        }
        _ => {
            let (low, high) = runs.split_at(runs.len() / 2);
            let pivot = high.first().and_then(|r| r.first()).map_or(0, |r| r.number as u32);
            let high = tree(high);
            let mut out = branch(step(AT_LEAST, 0, 0, pivot), high.len());
            out.extend(high);
            out.extend(tree(low));
            out
        }
    }
}

/// A test whose body follows; when it fails, the body is skipped, however long it is.
fn branch(test: Instruction, body: usize) -> Vec<Instruction> {
    match u8::try_from(body) {
        Ok(skip) => vec![Instruction { jump_true: 0, jump_false: skip, ..test }],
        Err(_) => {
            vec![
                Instruction { jump_true: 1, jump_false: 0, ..test },
                step(JUMP, 0, 0, u32::try_from(body).unwrap_or(0)),
            ]
        }
    }
}

fn body(rule: &Rule) -> Vec<Instruction> {
    let mut out = Vec::new();
    for (tests, action) in &rule.cases {
        let mut case = vec![returns(*action)];
        // Built from the back: each test skips all that follows it.
        for test in tests.iter().rev() {
            let skip = case.len();
            let mut front = match test {
                Test::Masked(arg, u32::MAX, value) => {
                    vec![load(*arg), skip_unless(step(EQUAL, 0, 0, *value), skip)]
                }
                Test::Masked(arg, mask, value) => {
                    vec![load(*arg), step(AND, 0, 0, *mask), skip_unless(step(EQUAL, 0, 0, *value), skip)]
                }
                Test::AnyOf(arg, bits) => vec![load(*arg), skip_unless(step(ANY_BIT, 0, 0, *bits), skip)],
            };
            front.append(&mut case);
            case = front;
        }
        out.append(&mut case);
    }
    out.push(returns(rule.otherwise));
    out
}

fn skip_unless(test: Instruction, skip: usize) -> Instruction {
    Instruction { jump_true: 0, jump_false: u8::try_from(skip).unwrap_or(u8::MAX), ..test }
}

/// Loads the low half of an argument.
fn load(argument: u8) -> Instruction {
    let low = if cfg!(target_endian = "big") { 4 } else { 0 };
    step(LOAD, 0, 0, 16 + 8 * u32::from(argument) + low)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a program answers, by running it as the kernel would.
    fn run(program: &[Instruction], arch: u32, number: u32, args: [u32; 6]) -> u32 {
        let (mut at, mut a) = (0usize, 0u32);
        loop {
            let i = program[at];
            at += 1;
            let test = match i.code {
                LOAD => {
                    a = match i.value {
                        NUMBER => number,
                        ARCHITECTURE => arch,
                        n => args[((n - 16) / 8) as usize],
                    };
                    continue;
                }
                AND => {
                    a &= i.value;
                    continue;
                }
                JUMP => {
                    at += i.value as usize;
                    continue;
                }
                RETURN => return i.value,
                EQUAL => a == i.value,
                AT_LEAST => a >= i.value,
                ANY_BIT => a & i.value != 0,
                other => panic!("no such operation {other}"),
            };
            at += usize::from(if test { i.jump_true } else { i.jump_false });
        }
    }

    const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;

    fn fails(errno: i32) -> u32 {
        libc::SECCOMP_RET_ERRNO | errno as u32
    }

    #[test]
    fn each_rule_is_found_and_nothing_else_is() {
        // Enough rules that branches need the long jump.
        let rules: Vec<Rule> = (0..400)
            .filter(|n| n % 3 == 0)
            .map(|n| Rule { number: n, cases: vec![], otherwise: Action::Fail(1 + (n % 7) as i32) })
            .collect();
        let program = program(rules);
        for n in 0..500u32 {
            let expected = if n % 3 == 0 && n < 400 { fails(1 + (n % 7) as i32) } else { ALLOW };
            assert_eq!(run(&program, NATIVE, n, [0; 6]), expected, "call {n}");
        }
    }

    #[test]
    fn neighbours_that_say_the_same_share_a_leaf() {
        let says = |n: i64| match n {
            10..=19 => Action::Fail(1),
            20..=22 => Action::Fail(2),
            _ => Action::Ask,
        };
        let rules: Vec<Rule> =
            (10..25).chain([40]).map(|n| Rule { number: n, cases: vec![], otherwise: says(n) }).collect();
        let (count, program) = (rules.len(), program(rules));
        assert!(program.len() < 3 * count, "{} steps", program.len());
        for n in 0..60u32 {
            let expected = match n {
                10..=19 => fails(1),
                20..=22 => fails(2),
                23 | 24 | 40 => libc::SECCOMP_RET_USER_NOTIF,
                _ => ALLOW,
            };
            assert_eq!(run(&program, NATIVE, n, [0; 6]), expected, "call {n}");
        }
    }

    #[test]
    fn other_architectures_do_not_exist() {
        let program = program(vec![]);
        assert_eq!(run(&program, 0x4000_0003, 1, [0; 6]), fails(libc::ENOSYS));
        assert_eq!(run(&program, NATIVE, X32 | 1, [0; 6]), fails(libc::ENOSYS));
        assert_eq!(run(&program, NATIVE, u32::MAX, [0; 6]), fails(libc::ENOSYS));
        assert_eq!(run(&program, NATIVE, 1, [0; 6]), ALLOW);
    }

    #[test]
    fn cases_are_tried_in_order_and_need_all_their_tests() {
        let rule = Rule {
            number: 41,
            cases: vec![
                (vec![Test::Masked(0, u32::MAX, 1)], Action::Allow),
                (vec![Test::Masked(0, u32::MAX, 2), Test::Masked(1, 0xf, 1)], Action::Ask),
                (vec![Test::AnyOf(2, 0x6)], Action::Fail(5)),
            ],
            otherwise: Action::Fail(1),
        };
        let program = program(vec![rule]);
        let answer = |args| run(&program, NATIVE, 41, args);
        assert_eq!(answer([1, 0, 0, 0, 0, 0]), ALLOW);
        assert_eq!(answer([2, 0x81, 0, 0, 0, 0]), libc::SECCOMP_RET_USER_NOTIF);
        assert_eq!(answer([2, 0x82, 0, 0, 0, 0]), fails(1));
        assert_eq!(answer([3, 0, 4, 0, 0, 0]), fails(5));
        assert_eq!(answer([3, 0, 1, 0, 0, 0]), fails(1));
    }
}
