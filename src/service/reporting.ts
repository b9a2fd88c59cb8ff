import { HOUR_MS } from '../../streams/internal.ts';
import type { EngineReport } from '../engine/engine.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Logger } from './logger.ts';

/** A source may refuse the same thing with every answer. The same fault is logged again after an hour. */
const REPEAT_MS = HOUR_MS;
const MOST_FAULTS = 1_000;

/** The operator is warned when this share of the disk is used, as the store has no size limit. */
const ALARM_SHARE = 0.7;

/** Turns the reports of the engine into log lines and metrics. */
export function reportTo(log: Logger, metrics: Metrics): (report: EngineReport) => void {
  let isDiskRefusing = false;
  let isAlarmed = false;
  const refusals = new Map<string, number>();
  const loggedAt = new Map<string, number>();

  function logRefusal(source: string, reason: string | null): void {
    const fault = `${source}: ${reason}`;
    const now = performance.now();
    if (now - (loggedAt.get(fault) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return;
    if (loggedAt.size >= MOST_FAULTS) loggedAt.clear();
    loggedAt.set(fault, now);
    log.warn({ source, reason }, 'refused what a source read');
  }

  return (report) => {
    switch (report.type) {
      case 'turn':
        metrics.journalCommitted(report.journalMs);
        metrics.outputsCommitted(report.outputsMs);
        if (isDiskRefusing) log.info('the disk takes writes again');
        isDiskRefusing = false;
        for (const output of report.outputs) {
          if (output.stream === 'failures')
            log.error({ ...output.record, seq: output.seq }, 'a pipeline failed');
        }
        return;
      case 'refused_write':
        if (!isDiskRefusing)
          log.error({ err: report.error }, 'the disk refuses writes; nothing is lost, trying again');
        isDiskRefusing = true;
        return;
      case 'broken':
        log.error({ err: report.error }, 'what was computed could not be stored; only a restart recovers');
        return;
      case 'writes_held':
        if (!isDiskRefusing)
          log.error({ ms: Math.round(report.ms) }, 'the disk does not finish a write; readers are served on');
        isDiskRefusing = true;
        return;
      case 'recovering':
        // The command line shows it.
        return;
      case 'recovered':
        log.info(
          { head: report.head, replayed: report.replayed, ms: Math.round(report.ms) },
          'recovered the log',
        );
        return;
      case 'source': {
        const { name, state, restarts, refused, lastError } = report.status;
        const isRefusal = refused > (refusals.get(name) ?? 0);
        refusals.set(name, refused);
        if (isRefusal) logRefusal(name, lastError);
        else if (report.error === undefined) log.debug({ source: name, state }, 'source');
        else if (state === 'open') log.warn({ source: name, restarts, reason: lastError }, 'source is down');
        else log.info({ source: name, restarts, reason: lastError }, 'source failed, restarting');
        return;
      }
      case 'delivered':
        metrics.delivered(report.ms);
        return;
      case 'used':
        metrics.apiUsed(report.source, report.use);
        return;
      case 'simulated':
        metrics.simulated(report.request, report.ms);
        return;
      case 'simulator_failed':
        log.error(
          { err: report.error, restartMs: report.restartMs },
          'a simulation worker failed, restarting',
        );
        return;
      case 'simulation_dropped': {
        const { type, account, now } = report.request;
        const { reason, error } = report;
        // A full queue only delays history, which is requested again.
        const level = reason === 'queue_full' ? 'debug' : 'error';
        log[level]({ err: error, request: type, account, now, reason }, 'a simulation was dropped');
        return;
      }
      case 'disk': {
        metrics.diskUsed(report.storeBytes, report.freeBytes);
        const { usedShare, freeBytes, storeBytes } = report;
        if (usedShare >= ALARM_SHARE && !isAlarmed) {
          const usedPercent = Math.round(usedShare * 100);
          log.warn({ usedPercent, freeBytes, storeBytes }, 'the disk of the data folder is getting full');
        }
        isAlarmed = usedShare >= ALARM_SHARE;
        return;
      }
      case 'checkpoint':
        log.debug({ seq: report.seq, bytes: report.bytes }, 'saved a checkpoint');
        return;
      case 'pruned': {
        const { fromSeq, firstAt, lastAt } = report;
        const time = (at: number) => new Date(at).toISOString();
        log.info(
          { fromSeq, firstAt: time(firstAt), lastAt: time(lastAt) },
          'dropped the oldest part of the log, as it is older than the retention',
        );
        return;
      }
      case 'maintenance_failed':
        log.error({ err: report.error }, 'a maintenance task failed, trying again');
        return;
    }
  };
}
