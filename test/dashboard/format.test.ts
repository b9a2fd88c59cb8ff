import assert from 'node:assert/strict';
import {
  agoText,
  countdownText,
  countText,
  deltaText,
  durationText,
  percentText,
  pointsText,
  sourceText,
  windowText,
} from '../../src/dashboard/format.ts';

describe('format', () => {
  it('shows a dash for an unknown figure, and zero for zero', () => {
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

  it('rounds ages down to their unit', () => {
    assert.deepEqual([-5, 59_400, 59_600, 3_599_400, 7_300_000].map(agoText), [
      '0 s ago',
      '59 s ago',
      '1 min ago',
      '59 min ago',
      '2 h ago',
    ]);
  });

  it('says which counter is behind or ahead, and by how much', () => {
    assert.equal(deltaText('UI', 4), 'UI is 4 behind');
    assert.equal(deltaText('UI', -1), 'UI is 1 ahead');
    assert.equal(deltaText('Oracle', 0), 'Oracle agrees');
    assert.equal(deltaText('Oracle', null), 'Oracle not known yet');
  });

  it('names sources with their account', () => {
    const named = (source: string) => sourceText(source, (account) => account.toUpperCase());
    assert.deepEqual(['posts/account_a', 'crypto'].map(named), ['posts of ACCOUNT_A', 'crypto']);
  });
});
