import assert from 'node:assert/strict';
import { createBootNote } from '../../src/engine/boot-note.ts';
import { manualClock } from '../support/clock.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const DAY_MS = 86_400_000;

describe('createBootNote', () => {
  /** A machine that runs on while its engines come and go, the first of which has noted its calendar. */
  async function machine() {
    const clock = manualClock(NOON);
    const { notes } = createMemoryStore();
    let startedAt = -5_000;
    const open = () =>
      createBootNote(notes, { wall: () => clock.wall(), sinceBoot: () => clock.mono() - startedAt });
    const first = open();
    await first.keep(first.bootedAt());
    return {
      clock,
      notes,
      open,
      first,
      reboot() {
        startedAt = clock.mono();
      },
    };
  }

  it('tells what has passed where the calendar was not set', async () => {
    const { clock, open } = await machine();
    const at = clock.wall();
    clock.advance(7_000);
    assert.equal(open().elapsedMs(at), 7_000);
  });

  it('tells what has passed since boot where the calendar was set back', async () => {
    const { clock, open } = await machine();
    const at = clock.wall();
    clock.advance(60_000);
    clock.step(-50_000);
    assert.equal(open().elapsedMs(at), 60_000);
  });

  it('tells no less than the calendar, which may be right where the machine was started again', async () => {
    const { clock, open, reboot } = await machine();
    const at = clock.wall();
    clock.advance(60_000);
    reboot();
    clock.advance(1_000);
    assert.equal(open().elapsedMs(at), 61_000);
    clock.step(DAY_MS);
    assert.equal(open().elapsedMs(at), DAY_MS + 61_000);
  });

  it('takes it for long ago where the calendar is behind by more than a correction', async () => {
    const { clock, open } = await machine();
    const at = clock.wall();
    clock.step(-2_000);
    assert.equal(open().elapsedMs(at), 0);
    clock.step(-60_000);
    assert.equal(open().elapsedMs(at), DAY_MS);
  });

  it('goes by the calendar under which the log ends', async () => {
    const { clock, open, first } = await machine();
    clock.step(-50_000);
    await first.keep(first.bootedAt());
    const at = clock.wall();
    clock.advance(10_000);
    assert.equal(open().elapsedMs(at), 10_000);
  });

  it('writes nothing while the calendar is not set', async () => {
    const { clock, notes, first } = await machine();
    let writes = 0;
    const { set } = notes;
    notes.set = (name, value) => {
      writes += 1;
      return set(name, value);
    };
    clock.advance(DAY_MS);
    await first.keep(first.bootedAt());
    clock.step(40);
    await first.keep(first.bootedAt());
    assert.equal(writes, 0);
    clock.step(-10_000);
    await first.keep(first.bootedAt());
    assert.equal(writes, 1);
  });
});
