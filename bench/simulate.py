"""What bench/simulate.c does, with whole arrays for its loops and the same arguments."""
import sys, time
import numpy as np
mean, days, rounds = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
EVEN_STEP, ODD_STEP, DAY_GENERATOR = 31643, 21473, 2305
tables = np.array(sys.stdin.read().split(), dtype=float)
day_table, level_table = tables[:4096], tables[4096:]
course, path = np.arange(4096, dtype=np.uint32), np.arange(32768, dtype=np.uint32)
u = np.uint32
four = path & u(0xfffffffc)

def shift(seed, dimension):
    h = (seed ^ (dimension + 1) * 0x9e3779b1) * 0x85ebca6b & 0xffffffff
    h = (h ^ h >> 15) * 0x2c1b3c6d & 0xffffffff
    h = (h ^ h >> 12) * 0x297a2d39 & 0xffffffff
    return u((h ^ h >> 15) >> 17)

def draw(seed):
    halves = np.zeros((2, 4096))
    for day in range(days):
        step = u(pow(DAY_GENERATOR, day // 2, 4096))
        halves[day % 2] += mean / days * day_table[course * step + shift(seed, day + 3) & u(4095)]
    even = halves[0][(path * u(EVEN_STEP) + shift(seed, 1) & u(32767)) >> u(3)]
    odd = halves[1][(path * u(ODD_STEP) + shift(seed, 2) & u(32767)) >> u(3)]
    return level_table[(four + shift(seed, 0) & u(32767)) >> u(3)] * (even + odd)

def gather(means):
    at = (10 * np.sqrt(means)).astype(np.int64)
    counts, sums = np.bincount(at), np.bincount(at, means)
    node = np.arange(len(counts))
    upper = (sums * 100 - counts * node * node) / (2 * node + 1)
    return (np.dot(counts - upper, node) + np.dot(upper, node + 1)) / len(means)

for seed in range(20): gather(draw(seed))
started = time.process_time()
total = sum(gather(draw(seed)) for seed in range(rounds))
print((time.process_time() - started) * 1000 / rounds, total)
