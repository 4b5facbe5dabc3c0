"""Coefficients of the polynomial in src/hazard.c.

Prints those of p, in ascending powers of x = (t - 5)/(t + 5), with

    (1 - Phi(t)) / phi(t) = p(x) / (1 + t),   t >= 0,

the Chebyshev expansion cut off where its terms are below 2e-17, and the largest
relative error of p in double precision. Needs Python 3 with mpmath:

    python3 data-raw/mills-ratio.py
"""

from mpmath import mp, mpf

DEGREE = 23
POINTS = 80  # of the interpolation; 60 more terms than are kept

mp.dps = 60


def mills(t):
    if t < 60:
        return mp.sqrt(mp.pi / 2) * mp.exp(t * t / 2) * mp.erfc(t / mp.sqrt(2))
    terms = ((-1) ** k * mp.fac2(2 * k - 1) / t ** (2 * k) for k in range(30))
    return sum(terms) / t


def scaled(x):
    t = 5 * (1 + x) / (1 - x)
    return mills(t) * (1 + t)


def chebyshev():
    angle = [mp.pi * (k + mpf(1) / 2) / POINTS for k in range(POINTS)]
    value = [scaled(mp.cos(a)) for a in angle]
    half = [
        2 * sum(v * mp.cos(j * a) for v, a in zip(value, angle)) / POINTS
        for j in range(DEGREE + 1)
    ]
    half[0] /= 2
    return half


def monomials(c):
    before, now = [mpf(1)], [mpf(0), mpf(1)]  # T_0, T_1
    total = [c[0]] + [mpf(0)] * DEGREE
    for j in range(1, DEGREE + 1):
        for power, a in enumerate(now):
            total[power] += c[j] * a
        after = [mpf(0)] + [2 * a for a in now]
        for power, a in enumerate(before):
            after[power] -= a
        before, now = now, after
    return total


def horner(coefficients, x):
    total = 0.0
    for c in reversed(coefficients):
        total = total * x + c
    return total


if __name__ == "__main__":
    exact = monomials(chebyshev())
    for c in exact:
        print(mp.nstr(c, 20) + ",")
    rounded = [float(c) for c in exact]
    worst = 0
    for k in range(1000):
        x = -1 + 1.999 * k / 1000
        want = scaled(mpf(x))
        worst = max(worst, abs(mpf(horner(rounded, x)) / want - 1))
    print("largest relative error", mp.nstr(worst, 3))
