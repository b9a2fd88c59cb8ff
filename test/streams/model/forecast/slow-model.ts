import { Temporal } from 'temporal-polyfill';
import { HOUR_MS } from './synthetic.ts';

/**
 * The formulas of the model written down once more, as slowly and plainly as possible, to compare with: everything is
 * computed anew from the list of posts, with the platform's own functions and time zones.
 */

const TAUS = [0.25, 1, 3, 7, 14, 28, 56];

function clock(hour: number): { readonly hour: number; readonly weekday: number } {
  const at = Temporal.Instant.fromEpochMilliseconds(hour * HOUR_MS).toZonedDateTimeISO('America/New_York');
  return { hour: at.hour, weekday: at.dayOfWeek - 1 };
}

export function slowModel(posts: ArrayLike<number>, fromHour: number, nowHour: number) {
  const counts = new Map<number, number>();
  for (const at of Array.from(posts)) {
    const hour = Math.floor(at / HOUR_MS);
    counts.set(hour, (counts.get(hour) ?? 0) + 1);
  }
  const countOf = (hour: number) => (hour < nowHour ? (counts.get(hour) ?? 0) : 0);
  const hours = Array.from({ length: nowHour - fromHour }, (_, index) => fromHour + index);
  const clocks = new Map([...hours, nowHour].map((hour) => [hour, clock(hour)]));
  const clockOf = (hour: number) => clocks.get(hour) ?? clock(hour);

  const weekdaysAt = (mark: number) => {
    const midnights = hours.filter((hour) => hour > fromHour && clockOf(hour).hour === 0 && hour <= mark);
    if (clockOf(mark).hour === 0 && mark === nowHour) midnights.push(mark);
    const days = midnights.slice(1).map((end, index) => {
      const start = midnights[index] ?? 0;
      const posts = hours
        .filter((hour) => hour >= start && hour < end)
        .reduce((sum, hour) => sum + countOf(hour), 0);
      return { posts, weekday: clockOf(start).weekday };
    });
    const weeks = Array.from({ length: Math.min(26, Math.floor(days.length / 7)) }, (_, week) =>
      days.slice(days.length - 7 * (week + 1), days.length - 7 * week),
    ).filter((week) => week.reduce((sum, { posts }) => sum + posts, 0) >= 7);
    const shares = [0, 1, 2, 3, 4, 5, 6].map((weekday) =>
      weeks.map((week) => {
        const total = week.reduce((sum, { posts }) => sum + posts, 0);
        return (7 * (week.find((day) => day.weekday === weekday)?.posts ?? 0)) / total;
      }),
    );
    if (weeks.length < 3) return shares.map(() => 1);
    const mean = (of: readonly number[]) => of.reduce((sum, value) => sum + value, 0) / of.length;
    const means = shares.map(mean);
    const variances = shares.map((share, day) =>
      mean(share.map((value) => (value - (means[day] ?? 0)) ** 2)),
    );
    const noise = mean(variances) / (weeks.length - 1);
    const between = means.reduce((sum, value) => sum + (value - 1) ** 2, 0) / 6;
    const trust = Math.max(0, 1 - noise / between);
    return means.map((value) => 1 + trust * (value - 1));
  };

  const profileAt = (mark: number) => {
    const used = hours.filter((hour) => hour < mark && hour >= mark - 56 * 24);
    const mean = (of: readonly number[]) =>
      of.reduce((sum, value) => sum + value, 0) / Math.max(1, of.length);
    const bins = (size: number, binOf: (hour: number) => number) =>
      Array.from({ length: size }, (_, bin) => mean(used.filter((hour) => binOf(hour) === bin).map(countOf)));
    const normal = (values: readonly number[]) => values.map((value) => value / mean(values));
    const raw = bins(24, (hour) => clockOf(hour).hour);
    const raised = raw.map((value) => value + 0.02 * mean(raw));
    const kernel = [-3, -2, -1, 0, 1, 2, 3].map((step) => Math.exp(-0.5 * step * step));
    const smooth = raised.map((_, hour) =>
      kernel.reduce((sum, weight, step) => sum + weight * (raised[(hour + step - 3 + 24) % 24] ?? 0), 0),
    );
    return { byHour: normal(smooth), byWeekday: weekdaysAt(mark) };
  };

  const marks = [...hours.slice(1), nowHour].filter((hour) => clockOf(hour).hour % 6 === 0);
  const profiles = new Map(marks.map((mark) => [mark, profileAt(mark)]));
  const factorAt = (hour: number, known = hour) => {
    const profile = profiles.get(marks.findLast((mark) => mark <= known) ?? -1);
    const { hour: h, weekday } = clockOf(hour);
    return profile === undefined ? 1 : (profile.byHour[h] ?? 1) * (profile.byWeekday[weekday] ?? 1);
  };
  const factors = new Map(hours.map((hour) => [hour, factorAt(hour)]));

  const rates = TAUS.map((tau) => {
    const before = Math.exp(-(nowHour - fromHour) / (24 * tau));
    let posts = 0.001 + 3.6 * before;
    let mass = 0.001 + 6 * before;
    for (const hour of hours) {
      const weight = Math.exp(-(nowHour - 1 - hour) / (24 * tau));
      posts += weight * countOf(hour);
      mass += weight * (factors.get(hour) ?? 1);
    }
    return posts / mass;
  });
  const levels = rates.map((rate) => Math.log(rate + 0.01));
  const base = Math.log((rates[5] ?? 0) + 0.0005);

  const unevennessAt = (mark: number) => {
    const days = Array.from({ length: 14 }, (_, day) => {
      const from = mark - 24 * (day + 1);
      return from < fromHour
        ? []
        : [Array.from({ length: 24 }, (_unused, h) => countOf(from + h)).reduce((a, b) => a + b)];
    }).flat();
    const mean = days.reduce((a, b) => a + b) / days.length;
    const variance = days.reduce((sum, day) => sum + (day - mean) ** 2, 0) / days.length;
    return Math.log((variance + mean) / (mean * mean + 1) + 0.02);
  };
  const settled = marks.filter((mark) => mark - fromHour >= 480).map(unevennessAt);
  const meanUnevenness = settled.reduce((a, b) => a + b, 0) / settled.length;

  const massAhead = (count: number) =>
    Array.from({ length: count }, (_, step) => factorAt(nowHour + step, nowHour)).reduce((a, b) => a + b);
  return { levels, base, unevenness: unevennessAt(nowHour), meanUnevenness, massAhead };
}
