import assert from 'node:assert/strict';
import { ROLLING_WINDOWS, rollingSkill, skillByRegime } from '../../../src/research/backtest/skill.ts';
import { scoredRow as row } from './scored-row.ts';

const DAY_MS = 86_400_000;

describe('skill over time and by regime', () => {
  it('looks back on as many windows each time, and has no point before there are so many', () => {
    const rows = Array.from({ length: ROLLING_WINDOWS + 2 }, (_, index) =>
      row(index, 100, { crps: index < 2 ? 10 : 5 }),
    );
    const found = rollingSkill(rows);
    assert.equal(found.length, 3);
    assert.ok(Math.abs((found[0]?.gain ?? 0) - ((2 * 10 + 24 * 5) / 260 - 1)) < 1e-12);
    assert.equal(found[2]?.gain, -0.5);
    assert.equal(found[2]?.at, (ROLLING_WINDOWS + 2) * 2 * DAY_MS);
    assert.deepEqual(rollingSkill(rows.slice(3)), []);
  });

  it('tells windows that jumped from steady ones, by the one that was over when they opened', () => {
    const found = skillByRegime([
      row(0, 100),
      row(1, 160, { crps: 12 }),
      row(2, 150),
      row(3, 99, { crps: 8 }),
      row(4, 140),
    ]);
    assert.deepEqual(
      found.map(({ name, windows, gain, coverage }) => [name, windows, Math.round(gain * 100), coverage]),
      [
        ['jumped up', 1, 20, 0],
        ['steady', 2, -50, 0],
        ['jumped down', 1, -20, 1],
      ],
    );
  });
});
