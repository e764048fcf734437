//! The terminal as a person uses it: keys that interrupt and stop, size, modes, colours, an interactive shell.

use crate::terminal::Terminal;
use crate::tools::need;
use crate::world::{World, everybody};
use rustix::termios::LocalModes;

fn shell(world: &World, line: &str) -> Terminal {
    need(&["setsid", "bash", "stty", "tty"]);
    Terminal::start(world, &world.line(["bash", "-c", line]))
}

/// A person's own shell outside, with job control, in which a run is started.
fn outer_shell(world: &World) -> Terminal {
    let mut terminal = Terminal::start(world, &["bash", "--norc", "--noprofile", "--noediting", "-i"].map(Into::into));
    // The echo of the line must not look like the prompt.
    terminal.keys("PS1='out''er> '\n");
    terminal.sees("outer> ");
    terminal
}

/// A line that starts a shell line in a box.
fn typed(world: &World, line: &str) -> String {
    let quoted = |w: &std::ffi::OsString| format!("'{}'", w.to_str().expect("UTF-8").replace('\'', "'\\''"));
    let words: Vec<String> = world.line(["bash", "-c", line]).iter().map(quoted).collect();
    words.join(" ") + "\n"
}

#[test]
fn the_terminal_is_one() {
    everybody(|world| {
        let line = "tty; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo three; stty size; echo $TERM; tput colors
                    printf '\\033[31mred\\033[0m\\n'; stty -a | grep -o ' icanon'; echo to the terminal > /dev/tty; exit 5";
        let mut terminal = shell(&world, line);
        for text in [
            "/dev/pts/",
            "three\r\n",
            "33 101\r\n",
            "xterm-256color\r\n",
            "256\r\n",
            "\x1b[31mred\x1b[0m\r\n",
            " icanon",
            "to the terminal",
        ] {
            terminal.sees(text);
        }
        assert_eq!(terminal.end().code(), Some(5));
    });
}

#[test]
fn a_new_size_is_told() {
    everybody(|world| {
        let mut terminal = shell(&world, "trap 'stty size' WINCH; echo ready; while :; do sleep 0.02; done");
        terminal.sees("ready");
        terminal.resize(50, 120);
        terminal.sees("50 120");
    });
}

#[test]
fn lines_and_their_end_are_read() {
    everybody(|world| {
        let mut terminal = shell(&world, "read line; echo got $line; cat; echo and the end");
        terminal.keys("wrong\x15typed\n");
        terminal.sees("got typed");
        terminal.keys("a line\n\x04");
        terminal.sees("a line\r\na line\r\n");
        terminal.sees("and the end");
        assert!(terminal.end().success());
    });
}

/// Ctrl-C interrupts the command, which may catch it; the run cleans up after itself.
#[test]
fn interrupt() {
    everybody(|world| {
        let mut terminal = shell(&world, "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.02; done");
        terminal.sees("ready");
        terminal.keys("\x03");
        terminal.sees("caught");
        assert_eq!(terminal.end().code(), Some(9));
        assert_eq!(std::fs::read_dir(world.repo()).expect("the repo").count(), 0, "something was left in the repo");
        assert!(terminal.modes().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO));
    });
}

/// What is not caught ends the run as it would end the command: bash tells by the signal, and stops its own list.
#[test]
fn interrupt_ends_what_does_not_catch() {
    everybody(|world| {
        let mut terminal = outer_shell(&world);
        terminal.keys(&typed(&world, "echo ready; exec sleep 1000"));
        terminal.sees("\r\nready");
        terminal.keys("\x03");
        terminal.sees("outer> ");
        terminal.keys("echo code $?\n");
        terminal.sees("code 130");
    });
}

#[test]
fn quit_key() {
    everybody(|world| {
        let mut terminal = shell(&world, "trap 'echo caught; exit 4' QUIT; echo ready; while :; do sleep 0.02; done");
        terminal.sees("ready");
        terminal.keys("\x1c");
        terminal.sees("caught");
        assert_eq!(terminal.end().code(), Some(4));
    });
}

/// A program in raw mode gets the keys themselves, and the terminal is as before when it is gone.
#[test]
fn raw_mode() {
    everybody(|world| {
        let mut terminal = shell(&world, "stty raw -echo; echo ready; dd bs=1 count=3 2>/dev/null | od -An -tx1; exit");
        terminal.sees("ready");
        terminal.keys("\x03\x1ax");
        terminal.sees("03 1a 78");
        assert!(terminal.end().success());
        assert!(terminal.modes().local_modes.contains(LocalModes::ICANON | LocalModes::ISIG));
    });
}

/// Ctrl-Z stops the run for the shell outside; `fg` brings it back, `bg` lets it go on.
#[test]
fn stop_and_foreground() {
    everybody(|world| {
        let mut terminal = outer_shell(&world);
        let before = terminal.modes();
        terminal.keys(&typed(&world, "echo ready; sleep 0.2; read line; echo got $line; exit 6"));
        terminal.sees("\r\nready");
        terminal.keys("\x1a");
        terminal.sees("Stopped");
        terminal.sees("outer> ");
        assert_eq!(
            terminal.modes().local_modes.contains(LocalModes::ECHO),
            before.local_modes.contains(LocalModes::ECHO)
        );
        terminal.keys("echo still $((20 + 2))\n");
        terminal.sees("still 22");
        terminal.keys("fg\n");
        terminal.keys("a line\n");
        terminal.sees("got a line");
        terminal.sees("outer> ");
        terminal.keys("echo code $?\n");
        terminal.sees("code 6");
    });
}

#[test]
fn in_the_background() {
    everybody(|world| {
        let mut terminal = outer_shell(&world);
        terminal.keys(
            &(typed(&world, "echo started; sleep 0.1; exit 3").trim_end().to_owned()
                + " > out & wait $!; echo code $?\n"),
        );
        terminal.sees("\r\ncode 3");
        assert_eq!(world.read("out"), "started\n");
    });
}

/// Job control of a shell inside.
#[test]
fn an_interactive_shell() {
    everybody(|world| {
        let mut terminal = Terminal::start(&world, &world.line(["bash", "--norc", "--noprofile", "--noediting", "-i"]));
        terminal.keys("PS1='in''ner> '\n");
        terminal.sees("inner> ");
        terminal.keys("bash -c 'echo u\"\"p; while read key; do echo got $key; done'\n");
        terminal.sees("up\r\n");
        terminal.keys("\x1a");
        terminal.sees("Stopped");
        terminal.keys("jobs\n");
        terminal.sees("[1]+  Stopped");
        // What is typed after `fg` is the job's, and its answer says that it has the terminal again.
        terminal.keys("fg\n");
        terminal.keys("one\n");
        terminal.sees("got one");
        terminal.keys("\x03");
        terminal.sees("inner> ");
        terminal.keys("echo code $?\n");
        terminal.sees("code 130");
        terminal.keys("sleep 1000 & kill %1; wait; echo $((40 + 2)) jobs done\n");
        terminal.sees("42 jobs done");
        let warned = terminal.shown();
        assert!(!warned.contains("job control") && !warned.contains("ioctl"), "{warned}");
        terminal.keys("exit 8\n");
        assert_eq!(terminal.end().code(), Some(8));
    });
}

/// Only some streams on the terminal: the others are what they are.
#[test]
fn half_a_terminal() {
    everybody(|world| {
        let mut terminal = outer_shell(&world);
        let line = typed(&world, "[ -t 0 ] && echo in >&2; [ -t 1 ] || echo no out >&2; echo through");
        terminal.keys(&(line.trim_end().to_owned() + " | cat\n"));
        terminal.sees("| cat\r\n");
        let shown = terminal.until("outer> ");
        // Two ways lead to the screen, so the order is anybody's; but every line is one, at its left edge.
        let mut lines: Vec<&str> = shown.split_terminator("\r\n").collect();
        lines.sort_unstable();
        assert_eq!(lines, ["in", "no out", "through"], "{shown:?}");
    });
}

/// Output on the terminal and input from elsewhere: there is a terminal to ask on, and it is not the person's own.
#[test]
fn the_other_half() {
    everybody(|world| {
        let mut terminal = outer_shell(&world);
        let before = terminal.modes();
        let line = "[ -t 0 ] || echo no in; [ -t 1 ] && echo out; cat; stty size < /dev/tty; stty -echo <&2; read key < /dev/tty; echo got $key";
        terminal.keys(&("echo piped | ".to_owned() + &typed(&world, line)));
        for text in ["\r\nno in\r\n", "out\r\n", "piped\r\n", "33 101\r\n"] {
            terminal.sees(text);
        }
        terminal.keys("a key\n");
        terminal.sees("got a key\r\n");
        terminal.sees("outer> ");
        assert_eq!(terminal.modes().local_modes, before.local_modes, "the command changed the real terminal");
        let line = typed(&world, "[ -t 2 ] && stty -echo <&2; tty <&2 > out");
        terminal.keys(&(line.trim_end().to_owned() + " < /dev/null > /dev/null; echo done $?\n"));
        terminal.sees("\r\ndone 0");
        assert_eq!(terminal.modes().local_modes, before.local_modes, "the command changed the real terminal");
    });
}
