"""What a bench run shows: the machine it ran on, and tables in Markdown."""
import os
import platform
import re
import subprocess


def first_line(command, pattern=None):
    """The first line a program prints (or the first that matches), or '' if there is no such program."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ''
    lines = [line.strip() for line in done.stdout.decode(errors='replace').splitlines() if line.strip()]
    if pattern:
        lines = [line for line in lines if re.search(pattern, line)]
    return lines[0] if lines else ''


def _read(path):
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return ''


def machine():
    """Facts without which a figure means nothing."""
    cpu = re.search(r'model name\s*:\s*(.+)', _read('/proc/cpuinfo'))
    memory = re.search(r'MemTotal:\s*(\d+)', _read('/proc/meminfo'))
    base = '/sys/devices/system'
    return {'cpu': cpu[1] if cpu else platform.machine(), 'cpus': os.cpu_count(),
            'memory_gib': round(int(memory[1]) / 2**20, 1) if memory else None, 'kernel': platform.release(),
            'clock': _read(f'{base}/clocksource/clocksource0/current_clocksource') or 'unknown',
            'governor': _read(f'{base}/cpu/cpu0/cpufreq/scaling_governor') or 'none',
            'load': _read('/proc/loadavg').split(' ')[0], 'compiler': first_line(['c++', '--version']) or 'none',
            'python': platform.python_version()}


def machine_lines(facts, versions):
    lines = [f'- machine: {facts["cpu"]}, {facts["cpus"]} CPUs, {facts["memory_gib"]} GiB, governor {facts["governor"]}, '
             f'clock {facts["clock"]}, load {facts["load"]} at the start',
             f'- kernel {facts["kernel"]}, {facts["compiler"]}, Python {facts["python"]}']
    return '\n'.join(lines + [f'- {name}: {text}' for name, text in versions.items()])


def latency_text(latency_us, key):
    if key not in latency_us:
        return '-'
    value = latency_us[key]
    return f'{value / 1e3:.2f} ms' if value >= 1e4 else f'{value:.0f} us'


def table(rows, base):
    """One duel. Ratios are to `base`, higher is better; +- is the median distance from the median over the repetitions."""
    lines = ['| contestant | requests/s | x | CPU us/request | user | system | CPU x | spread | RSS MiB | p50 | client CPU | target CPU '
             '| bottleneck |',
             '|---|--:|--:|--:|--:|--:|--:|---|--:|--:|--:|--:|---|']
    for row in rows:
        name = f'**{row["name"]}**' if row['name'] == base else row['name']
        errors = f' ({row["errors"]} errors)' if row['errors'] else ''
        lines.append(
            f'| {name}{errors} | {row["requests_per_second"]:,.0f} | {row["rate_ratio"]:.2f} +-{row["rate_ratio_mad"]:.2f} '
            f'| {row["cpu_us"]:.2f} | {row["user_us"]:.2f} | {row["system_us"]:.2f} | {row["cpu_ratio"]:.2f} +-{row["cpu_ratio_mad"]:.2f} '
            f'| {row["cpu_ratio_min"]:.2f}..{row["cpu_ratio_max"]:.2f} | {row["rss_mib"]:.1f} | {latency_text(row["latency_us"], "p50")} '
            f'| {row["client_share"]:.0%} | {row["target_share"]:.0%} | {row["bottleneck"]} |')
    return '\n'.join(lines)
