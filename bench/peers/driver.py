"""Scanners that install from PyPI, on the texts of a JSON list: one line of JSON for each scanner.

Read on standard input by `ringfence bench guards --peers`; the list's path is the first argument. A scanner has so many seconds;
what it got through until then counts. Loading is not timed.
"""
import json
import os
import sys
import time
from importlib.metadata import PackageNotFoundError, version

SECONDS = 25

# Nobody fetches a model while being measured.
os.environ.setdefault("HF_HUB_OFFLINE", "1")


def prompt_armor():
    from prompt_armor import analyze

    return lambda text: analyze(text).decision.value == "block"


def llm_injection_guard():
    from llm_injection_guard import InjectionDetector

    detector = InjectionDetector()
    return lambda text: detector.scan(text).is_injection


def injectguard():
    from injectguard import scan

    return lambda text: scan(text).is_injection


SCANNERS = {
    "prompt-armor": prompt_armor,
    "llm-injection-guard": llm_injection_guard,
    "injectguard": injectguard,
}


def measured(name, load, texts):
    try:
        line = {"name": name, "version": version(name)}
        flags = load()
        flags("a first text, to load what is loaded late")
    except PackageNotFoundError:
        return {"name": name, "absent": f"not installed: pip install {name}"}
    except Exception as e:
        return {"name": name, "absent": f"does not load: {type(e).__name__}"}
    ns, flagged = [], []
    end = time.monotonic() + SECONDS
    for text in texts:
        if time.monotonic() > end:
            break
        start = time.perf_counter_ns()
        try:
            found = bool(flags(text))
        except Exception:
            # A scanner that fails on a text lets it through.
            found = False
        ns.append(time.perf_counter_ns() - start)
        flagged.append(found)
    return {**line, "ns": ns, "flagged": flagged}


with open(sys.argv[1], encoding="utf-8") as file:
    given = json.load(file)
real = sys.stdout
sys.stdout = sys.stderr
for name, load in SCANNERS.items():
    print(json.dumps(measured(name, load, given)), file=real, flush=True)
