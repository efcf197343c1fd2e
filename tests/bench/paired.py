"""Medians, quartiles and ratios of samples taken in rounds, with one sample of each kind per round."""

import random
import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Summary:
    count: int
    least: float
    first_quartile: float
    median: float
    third_quartile: float


@dataclass(frozen=True)
class Ratio:
    """Computed round by round; low and high bound the median with 95 % confidence (bootstrap)."""

    median: float
    first_quartile: float
    third_quartile: float
    low: float
    high: float

    def verdict(self, limit):
        if self.high <= limit:
            return "met"
        if self.low > limit:
            return "missed"
        return "met, but the confidence interval extends beyond the limit" if self.median <= limit else \
            "missed, but the confidence interval extends below the limit"


def summary(samples):
    first, median, third = quartiles(samples)
    return Summary(len(samples), min(samples), first, median, third)


def quartiles(samples):
    if len(samples) == 1:
        return samples * 3
    return statistics.quantiles(samples, n=4, method="inclusive")


def ratio(samples, reference, resamples=2000):
    ratios = [sample / base for sample, base in zip(samples, reference, strict=True)]
    first, median, third = quartiles(ratios)
    chance = random.Random(1)  # so that the same samples give the same report
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(resamples))
    return Ratio(median, first, third, medians[round(0.025 * resamples)], medians[round(0.975 * resamples) - 1])
