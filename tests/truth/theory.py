"""What the figures must be, computed without ringload: timelines, what a halt does to them, and the usual tests of statistics."""
import bisect
import math

SECOND = 1_000_000_000


def constant(rate, seconds):
    """Due times of all slots in nanoseconds from the start: k/R for k/R < d."""
    return [k * SECOND / rate for k in range(math.ceil(seconds * rate - 1e-9))]


def staged(stages):
    """Stages are (seconds, rate): slots where the integral of the rate is 0, 1, 2, ..."""
    due, before, slots = [], 0.0, 0.0
    for seconds, rate in stages:
        while len(due) < slots + seconds * rate - 1e-9:
            due.append((before + (len(due) - slots) / rate) * SECOND)
        before, slots = before + seconds, slots + seconds * rate
    return due


def start_of(arrivals, due):
    """The instant from which the plan fits best without any request before its time; a request may be late but never early."""
    return min(at - when for at, when in zip(arrivals, due))


def lateness(arrivals, due):
    """How much later than planned each request came, in nanoseconds, the least late one at 0."""
    start = start_of(arrivals, due)
    return [at - when - start for at, when in zip(arrivals, due)]


def cleanest(runs):
    """Arrivals of the same plan in several runs, as one: what was late in one was not in another. Runs are aligned by their medians."""
    first = runs[0]
    aligned = [first]
    for run in runs[1:]:
        shifts = sorted(there - here for here, there in zip(first, run))
        aligned.append([at - shifts[len(shifts) // 2] for at in run])
    return sorted(min(at) for at in zip(*aligned))


def rank(values, percent):
    """Nearest rank, as the reports define percentiles."""
    values = sorted(values)
    return values[max(1, math.ceil(len(values) * percent / 100)) - 1]


def frozen(due, stop, thaw, capacity):
    """Corrected latencies of a schedule whose target stood still from `stop` to `thaw` and then worked off `capacity` requests per
    nanosecond; what is not held up takes no time."""
    free, out = stop, []
    for when in due:
        if when < stop:
            out.append(0.0)
            continue
        free = max(free, thaw, when)
        out.append(free - when)
        free += 1 / capacity
    return out


def kolmogorov_smirnov(values, distribution):
    """The largest distance of the values' distribution from the given one."""
    values = sorted(values)
    n = len(values)
    return max(max((i + 1) / n - distribution(x), distribution(x) - i / n) for i, x in enumerate(values))


def kolmogorov_smirnov_limit(n):
    """At a level of 1 per cent, for n above 35."""
    return 1.628 / math.sqrt(n)


def count_between(ascending, low, high):
    return bisect.bisect_left(ascending, high) - bisect.bisect_left(ascending, low)


def mean_and_interval(values):
    """The mean and half its interval of confidence at 95 per cent (Student's t)."""
    t = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
    n = len(values)
    mean = math.fsum(values) / n
    if n < 2:
        return mean, math.inf
    spread = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1))
    return mean, t.get(n, 2.0) * spread / math.sqrt(n)
