import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { NEVER, Observable, tap } from 'rxjs';
import { whileAllowed } from '../../src/engine/while-allowed.ts';
import { eventually } from '../support/eventually.ts';

/** Work that tells when it begins and ends. */
function watched() {
  const events: string[] = [];
  const work$ = new Observable<never>((subscriber) => {
    events.push('begun');
    const inner = NEVER.pipe(tap()).subscribe(subscriber);
    return () => {
      events.push('ended');
      inner.unsubscribe();
    };
  });
  return { events, work$ };
}

describe('whileAllowed', () => {
  it('runs work while it is allowed, and again when it is allowed again', async () => {
    const { events, work$ } = watched();
    let isAllowed = false;
    const running = whileAllowed(
      () => isAllowed,
      async () => {
        events.push('settled');
      },
      work$,
    ).subscribe();
    await delay(120);
    assert.deepEqual(events, []);
    for (const round of [1, 2]) {
      isAllowed = true;
      await eventually('it runs', () => events.length === 3 * round - 1);
      isAllowed = false;
      await eventually('it ends', () => events.length === 3 * round);
    }
    running.unsubscribe();
    assert.deepEqual(events, ['settled', 'begun', 'ended', 'settled', 'begun', 'ended']);
  });

  it('begins nothing before what was left behind is settled, nor when it is forbidden meanwhile', async () => {
    const { events, work$ } = watched();
    let isAllowed = true;
    const settles: (() => void)[] = [];
    const running = whileAllowed(
      () => isAllowed,
      () => new Promise((resolve) => settles.push(resolve)),
      work$,
    ).subscribe();
    await eventually('it waits', () => settles.length === 1);
    isAllowed = false;
    await delay(120);
    settles[0]?.();
    isAllowed = true;
    await eventually('it waits again', () => settles.length === 2);
    assert.deepEqual(events, []);
    settles[1]?.();
    await eventually('it runs', () => events.length === 1);
    running.unsubscribe();
    assert.deepEqual(events, ['begun', 'ended']);
  });
});
