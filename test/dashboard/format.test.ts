import assert from 'node:assert/strict';
import {
  countdownText,
  countText,
  durationText,
  percentText,
  pointsText,
  windowText,
} from '../../src/dashboard/format.ts';

describe('format', () => {
  it('shows a dash for what is not known, and zero for zero', () => {
    assert.deepEqual([countText(null), percentText(undefined), durationText(null)], ['–', '–', '–']);
    assert.deepEqual([countText(0), percentText(0), pointsText(0)], ['0', '0.0 %', '0.0']);
  });

  it('signs differences, and never a rounded zero', () => {
    assert.deepEqual([pointsText(0.1475), pointsText(-0.02), pointsText(-0.0001)], ['+14.8', '−2.0', '0.0']);
  });

  it('counts down to the second and never below zero', () => {
    assert.equal(countdownText(90_061_999), '1 d 01:01:01');
    assert.equal(countdownText(59_999), '00:00:59');
    assert.equal(countdownText(-5), '00:00:00');
  });

  it('chooses the unit of a duration by its size', () => {
    assert.deepEqual([33, 1_500, 180_000, 9_000_000].map(durationText), [
      '33 ms',
      '1.5 s',
      '3.0 min',
      '2.5 h',
    ]);
  });

  it('shortens titles to their windows', () => {
    assert.equal(windowText('Account A # posts November 13 - November 15, 2026?'), 'Nov 13–15');
    assert.equal(windowText('Account A # posts October 30 - November 2, 2026?'), 'Oct 30 – Nov 2');
    assert.equal(windowText('Account B # posts in November 2026?'), 'Nov 2026');
    assert.equal(windowText('something else'), 'something else');
  });
});
