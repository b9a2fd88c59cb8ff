import assert from 'node:assert/strict';
import { pino } from 'pino';
import { createMetrics } from '../../src/observability/metrics.ts';
import { reportTo } from '../../src/service/reporting.ts';

describe('reportTo', () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { level: 'info', base: null, timestamp: false },
    { write: (line) => lines.push(JSON.parse(line)) },
  );
  beforeEach(() => lines.splice(0));

  const WARN = 40;
  const source = (refused: number, lastError: string | null, name = 'events') => ({
    type: 'source' as const,
    status: { name, state: 'running' as const, restarts: 0, refused, refusedAt: null, lastError },
    error: undefined,
  });

  it('warns of what a source refused, with the source and the fault', () => {
    const report = reportTo(log, createMetrics());
    report(source(0, null));
    report(source(1, 'event 7 cannot be read: title'));
    report(source(2, 'event 8 has no end'));
    assert.deepEqual(
      lines,
      ['event 7 cannot be read: title', 'event 8 has no end'].map((reason) => ({
        level: WARN,
        source: 'events',
        reason,
        msg: 'refused what a source read',
      })),
    );
  });

  it('logs what retention dropped', () => {
    const day = Date.UTC(2026, 7, 1);
    reportTo(log, createMetrics())({ type: 'pruned', fromSeq: 7, firstAt: day, lastAt: day + 86_399_000 });
    assert.deepEqual(lines, [
      {
        level: 30,
        fromSeq: 7,
        firstAt: '2026-08-01T00:00:00.000Z',
        lastAt: '2026-08-01T23:59:59.000Z',
        msg: 'dropped the oldest part of the log, as it is older than the retention',
      },
    ]);
  });

  it('does not repeat a fault that comes with each answer, nor take a later status for a refusal', () => {
    const report = reportTo(log, createMetrics());
    for (let refused = 1; refused <= 1_000; refused++) report(source(refused, `fault ${refused % 2}`));
    report(source(1_000, 'fault 0'));
    report(source(1, 'fault 0', 'prices'));
    assert.deepEqual(
      lines.map((line) => [line.source, line.reason]),
      [
        ['events', 'fault 1'],
        ['events', 'fault 0'],
        ['prices', 'fault 0'],
      ],
    );
  });

  it('still says that a source which refused an answer is restarted', () => {
    const report = reportTo(log, createMetrics());
    const refusal = source(1, '/events sent payload');
    report(refusal);
    const status = { ...refusal.status, state: 'waiting' as const, restarts: 1 };
    report({ type: 'source', status, error: new Error('/events sent payload') });
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['refused what a source read', 'source failed, restarting'],
    );
  });
});
