"""What contestants print, read into one shape: how many answers, how many went wrong, and latencies in microseconds.

Every reader is a plain function of the text, so that the tests can feed it recorded outputs. A reader says None when the text is not
a result; it never guesses.
"""
import json
import re
from dataclasses import dataclass, field


@dataclass
class Reading:
    answers: int
    errors: int = 0
    latency_us: dict = field(default_factory=dict)  # 'p50', 'p99', 'p99.9': only those that the tool prints
    note: str = ''  # the tool's own doubts about its figures


_UNIT_US = {'us': 1.0, 'ms': 1e3, 's': 1e6, 'm': 60e6}


def _time_us(text):
    number, unit = re.fullmatch(r'([\d.]+)([a-z]+)', text).groups()
    return float(number) * _UNIT_US[unit]


def _number(pattern, text):
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


def read_wrk(text):
    found = re.search(r'^\s*(\d+) requests in ', text, re.M)
    if not found:
        return None
    reading = Reading(int(found[1]))
    reading.errors = _number(r'Non-2xx or 3xx responses: (\d+)', text)
    sockets = re.search(r'Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)', text)
    if sockets:
        reading.errors += sum(int(n) for n in sockets.groups())
    for percent, value in re.findall(r'^\s*(50|99|99\.9)(?:\.0+)?%\s+([\d.]+(?:us|ms|s|m))\s*$', text, re.M):
        reading.latency_us[f'p{percent}'] = _time_us(value)
    tail = re.search(r'^p99\.9 ([\d.]+) us$', text, re.M)  # printed by the Lua script of this bench
    if tail:
        reading.latency_us['p99.9'] = float(tail[1])
    return reading


def read_h2load(text):
    found = re.search(r'requests: \d+ total, \d+ started, \d+ done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout', text)
    if not found:
        return None
    codes = re.search(r'status codes: (\d+) 2xx', text)
    answers = int(codes[1]) if codes else int(found[1])
    return Reading(answers, sum(int(n) for n in found.groups()[1:]))


def read_hey(text):
    codes = re.findall(r'^\s*\[(\d+)\]\s+(\d+) responses', text, re.M)
    if not codes:
        return None
    reading = Reading(sum(int(n) for _, n in codes), sum(int(n) for code, n in codes if not code.startswith('2')))
    failed = text.partition('Error distribution:')[2]
    reading.errors += sum(int(n) for n in re.findall(r'^\s*\[(\d+)\]', failed, re.M))
    for percent, seconds in re.findall(r'^\s*(50|99)% in ([\d.]+) secs', text, re.M):
        reading.latency_us[f'p{percent}'] = float(seconds) * 1e6
    return reading


def read_ab(text):
    """ab prints percentiles in whole milliseconds, which says nothing here; they are left out."""
    found = re.search(r'^Complete requests:\s+(\d+)', text, re.M)
    if not found:
        return None
    return Reading(int(found[1]), _number(r'(?m)^Failed requests:\s+(\d+)', text) + _number(r'(?m)^Non-2xx responses:\s+(\d+)', text))


def read_ringload(text):
    """The JSON report. What was cut off by the interrupt is no error; everything else that is not an answer is."""
    begin = text.find('{')
    if begin < 0:
        return None
    try:
        report = json.JSONDecoder().raw_decode(text[begin:])[0]
        summary = report['summary']
        reading = Reading(int(summary['responses']), int(summary['failed'] or 0) + int(summary['transport_errors'] or 0))
    except (ValueError, KeyError, TypeError):
        return None
    latency = report.get('latency_ms') or {}
    for key, name in (('p50', 'p50'), ('p99', 'p99'), ('p999', 'p99.9')):
        if latency.get(key) is not None:
            reading.latency_us[name] = latency[key] * 1e3
    audit = report.get('audit') or {}
    if audit.get('verdict') not in (None, 'valid'):
        reading.note = f'{audit["verdict"]}: {audit.get("reason") or "no reason given"}'
    return reading


def read_pattern(pattern):
    """A reader for any tool: the first group of the pattern is the number of answers."""

    def read(text):
        found = re.search(pattern, text)
        return Reading(int(found[1])) if found else None

    return read


def read_any(text):
    """Tries the known shapes. wrk's 'N requests in' is also what the bare loops print."""
    for reader in (read_wrk, read_h2load, read_hey, read_ab, read_ringload):
        reading = reader(text)
        if reading is not None:
            return reading
    return None
