"""Reference values of the tilted escort moments, to 17 digits.

Writes tests/testthat/fixtures/tilted.csv. Needs Python 3 with mpmath; run it
from anywhere; it takes some ten minutes:

    python3 data-raw/tilted-moments.py

One row a cavity St(df, mean = z, var = 1) in a d-dimensional latent vector and a
positive label; neg = P(recorded + | truly -), pos = P(recorded - | truly +), so
the likelihood is lo = neg below zero and hi = 1 - pos above it. The formulas are
the printed ones [Ding, Vishwanathan, Qi 2011, eqs 38-47], which cancel for
z << 0 and large df: they are evaluated with DIGITS decimal digits, many more
than they lose. Every row with df in CHECKED is compared with the integral of
the escort density, which cancels nowhere.

Columns: the case (df, z, neg, pos, d); log_z1, log_zp; mu = mean, w = variance
of the tilted escort, alpha = mu - z; flip = P(label is wrong | cavity); then
derivatives, *_z with respect to z, *_lo and *_hi with respect to lo and hi.
"""

import os

import mpmath as mp
from mpmath import mpf

DIGITS = 120
mp.mp.dps = DIGITS
INF = mp.inf
CHECKED = (mpf("0.5"), mpf(3), mpf(29), mpf(100), mpf(10) ** 8, INF)


def density(z, v):
    """Of a standard t with v degrees of freedom, INF for the normal."""
    if v == INF:
        return mp.npdf(z)
    log_c = mp.loggamma((v + 1) / 2) - mp.loggamma(v / 2) - mp.log(mp.pi * v) / 2
    return mp.exp(log_c - (v + 1) / 2 * mp.log1p(z * z / v))


def cdf(z, v):
    if v == INF:
        return mp.erfc(-z / mp.sqrt(2)) / 2
    tail = tail_mass(abs(z), v)
    return tail if z <= 0 else 1 - tail


def tail_mass(t, v):
    """P(T > t), by the incomplete beta function, at large v by quadrature."""
    x = v / (v + t * t)
    if v <= 10**4 or x < mpf("0.5"):
        return mp.betainc(v / 2, mpf(1) / 2, 0, x, regularized=True) / 2
    return half_line(lambda s: mpf(1), t, v, v + 1) * density(t, v)


def half_line(weight, t, v, power):
    """int_0^inf weight(s) [(1 + (t + s)^2/v)/(1 + t^2/v)]^(-power/2) ds"""
    rate = t * power / (v + t * t) if v != INF else t
    width = 1 / mp.sqrt(power / v) if v != INF else mpf(1)
    unit = min(1 / rate, width) if rate > 0 else width

    def integrand(s):
        step = s * unit
        if v == INF:
            return weight(step) * mp.exp(-step * (t + step / 2))
        rise = step * (2 * t + step) / (v + t * t)
        return weight(step) * mp.exp(-power / 2 * mp.log1p(rise))

    return unit * mp.quad(integrand, [0, 1, 4, 16, 64, 256, INF])


def parts(z, v):
    """f_v(z), F_v(z) and F_{v+2}(z sqrt((v+2)/v))"""
    f, F = density(z, v), cdf(z, v)
    F2 = F if v == INF else cdf(z * mp.sqrt((v + 2) / v), v + 2)
    return f, F, F2


def tilted(z, v, lo, hi, d, known=None):
    f, F, F2 = known or parts(z, v)
    q = 1 if v == INF else 1 + 2 / (v + d)
    lo_q = lo**q if lo > 0 else mpf(0)
    hi_q = hi**q
    Z1 = lo_q * (1 - F) + hi_q * F
    Zp = lo * (1 - F) + hi * F
    Z2 = lo_q * (1 - F2) + hi_q * F2
    alpha = (hi_q - lo_q) * f / Z2
    mu = z + alpha
    return {
        "log_z1": mp.log(Z1),
        "log_zp": mp.log(Zp),
        "mu": mu,
        "w": Z1 / Z2 - alpha * mu,
        "alpha": alpha,
        "flip": lo * (1 - F) / Zp,
    }


def integrated(z, v, lo, hi, d):
    """mu and w from the mixture of the whole escort and its part above zero"""
    t, inner = abs(z), INF if v == INF else v + 3
    mass, one, two = (
        half_line(lambda s, k=k: s**k, t, v, inner) for k in range(3)
    )
    if z > 0:  # the part above zero is the whole less the part below
        scale = parts(z, v)[2]
        below = 1 - scale
        m, s2 = -one / mass, two / mass  # E x and E x^2 below zero
        whole = z * z + 1
        D1 = (z - below * m) / scale
        V1 = (whole - below * s2) / scale - D1**2
    else:
        D1 = one / mass
        V1 = two / mass - D1**2
    q = 1 if v == INF else 1 + 2 / (v + d)
    lo_q = lo**q if lo > 0 else mpf(0)
    F2 = parts(z, v)[2]
    Z2 = lo_q * (1 - F2) + hi**q * F2
    w0, w1 = lo_q / Z2, (hi**q - lo_q) * F2 / Z2
    return {"mu": w0 * z + w1 * D1, "w": w0 + w1 * V1 + w0 * w1 * (D1 - z) ** 2}


def row(z, v, neg, pos, d):
    lo, hi = mpf(neg), 1 - mpf(pos)
    z, known = mpf(z), parts(mpf(z), v)
    value = tilted(z, v, lo, hi, d, known)
    names = ("log_z1", "log_zp", "alpha", "w")

    def slopes(x, at):  # central differences, right to some 50 digits
        h = mpf(10) ** (-DIGITS // 4) * max(abs(x), mpf(10) ** -12)
        up, down = at(x + h), at(x - h)
        return [(up[name] - down[name]) / (2 * h) for name in names]

    by_z = slopes(z, lambda x: tilted(x, v, lo, hi, d))
    by_hi = slopes(hi, lambda x: tilted(z, v, lo, x, d, known))
    if lo > 0:
        by_lo = slopes(lo, lambda x: tilted(z, v, x, hi, d, known))
    else:
        by_lo = [mp.nan] * 4
    return value, by_z + by_lo + by_hi


def grid():
    far = [-1e6, -1e4, -1e3, -300, -100, -40, -20, -10, -7, -5.5, -5, -4.9, -4]
    near = [-3, -2, -1, -0.25, 0, 0.25, 1, 3, 8, 40, 1e3]
    dfs = [0.5, 1, 2, 3, 5, 10, 15, 20, 29, 31, 50, 100, 1e3, 1e4, 1e6, 1e8, INF]
    for v in dfs:  # no flips: the hard tail
        for z in far + near:
            yield v, z, 0.0, 0.0, 40
    for v in [0.5, 3, 10, 29, 31, 100, 1e4, 1e8, INF]:
        for eps in [1e-9, 0.02, 0.1, 0.45]:
            for z in [-1e3, -40, -10, -5.5, -4.9, -2, -0.25, 0, 1, 5, 40]:
                yield v, z, eps, eps, 40
    for v in [3, 10, 100, INF]:  # unequal flip rates, other dimensions
        for z in [-20, -3, -1, 0.5, 4]:
            yield v, z, 0.05, 0.2, 1
            yield v, z, 0.0, 0.2, 7
            yield v, z, 0.3, 0.0, 300


def text(x):
    return "NA" if mp.isnan(x) else mp.nstr(x, 17, strip_zeros=True)


def main():
    names = (
        "log_z1 log_zp mu w alpha flip log_z1_z log_zp_z alpha_z w_z log_z1_lo "
        "log_zp_lo alpha_lo w_lo log_z1_hi log_zp_hi alpha_hi w_hi"
    ).split()
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.path.join(folder, "tests", "testthat", "fixtures", "tilted.csv")
    worst, rows = mpf(0), 0
    with open(path, "w", newline="\n") as out:
        out.write(",".join("df z neg pos d".split() + names) + "\n")
        for v, z, neg, pos, d in grid():
            df = INF if v == INF else mpf(v)
            value, slopes = row(z, df, neg, pos, d)
            if df in CHECKED:
                other = integrated(mpf(z), df, mpf(neg), 1 - mpf(pos), d)
                for name, x in other.items():
                    gap = abs(x - value[name]) / max(abs(value[name]), value["w"])
                    worst = max(worst, gap)
                    assert gap < mpf(10) ** -20, (v, z, neg, name, mp.nstr(gap, 3))
            case = ["Inf" if v == INF else repr(v), repr(z), repr(neg), repr(pos)]
            first = [value[n] for n in names[:6]]
            out.write(",".join(case + [str(d)] + [text(x) for x in first + slopes]))
            out.write("\n")
            rows += 1
    print(rows, "rows; integrals agree to", mp.nstr(worst, 2))


if __name__ == "__main__":
    main()
