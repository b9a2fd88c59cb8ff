import { INPUTS, type SettingsFact } from '../../streams/internal.ts';
import type { AccountConfig } from '../config/accounts.ts';
import type { Config } from '../config/config.ts';
import {
  beginEngine,
  type EngineDeps,
  type OpeningEngine,
  openStandby,
  type StandbyEngine,
} from '../engine/engine.ts';
import { type Endpoints, viaOf } from '../sources/endpoints.ts';
import type { HttpExchange } from '../sources/http-exchange.ts';
import { atSpeed, type SourceSettings } from '../sources/settings.ts';
import type { Source } from '../sources/source.ts';
import { createSources } from '../sources/sources.ts';
import { withPolling } from './account-polling.ts';
import { type Machine, thisMachine } from './machine.ts';
import type { Shutdown } from './shutdown.ts';

export interface EngineParts
  extends Pick<
    EngineDeps,
    'store' | 'latest' | 'clock' | 'sinceBoot' | 'onHeaders' | 'agreedNow' | 'report' | 'tickMs'
  > {
  readonly config: Config;
  readonly endpoints: Endpoints;
  readonly sourceSettings?: Partial<SourceSettings>;
  /** How many times faster than real time the calendar runs; 1 unless given. */
  readonly speed?: number;
  readonly machine?: Machine;
}

/** Begins to open the engine with its sources, as configured. */
export async function startEngine(parts: EngineParts, shutdown: Shutdown): Promise<OpeningEngine> {
  const opening = await beginEngine(depsOf(parts));
  // Where it does not open, whoever waits for it is told, and there is nothing to stop.
  const known = opening.opened.catch(() => undefined);
  shutdown.add(async () => {
    opening.giveUp();
    await (await known)?.stop();
  });
  return opening;
}

/** The same engine, which asks the outside world nothing yet, and which the caller stops. */
export function standByEngine(parts: EngineParts): Promise<StandbyEngine> {
  return openStandby(depsOf(parts));
}

function depsOf(parts: EngineParts): EngineDeps {
  const { config, endpoints, speed = 1, sourceSettings, machine = thisMachine } = parts;
  return {
    ...parts,
    // A calendar that is sped up moves away from it at all times.
    sinceBoot: speed === 1 ? parts.sinceBoot : undefined,
    random: machine.random,
    sources: createSources(
      withPolling(endpoints, config),
      atSpeed({ ...sourceSettingsOf(config), ...sourceSettings }, speed),
    ).map((source) => askingWith(machine.fetchFor(source.name), source)),
    settings: settingsOf(config, endpoints),
    retentionDays: config.retentionDays,
    checkpointMs: config.checkpointSeconds * 1_000,
    disk: () => machine.diskUse(config.data),
    startWorker: machine.startWorker,
  };
}

function askingWith(ask: HttpExchange, source: Source): Source {
  return { ...source, run: (context) => source.run({ ...context, fetch: ask }) };
}

function sourceSettingsOf({ historyDays, posts }: Config): Partial<SourceSettings> {
  return {
    historyDays,
    postsPeriodMs: posts.periodMs,
    postsRecheckPeriodMs: posts.recheckPeriodMs,
    listPeriodMs: posts.listPeriodMs,
    deletionsPeriodMs: posts.deletionsPeriodMs,
    deletionsHorizonMs: posts.deletionsHorizonMs,
  };
}

function settingsOf({ accounts, staleAfterMs }: Config, endpoints: Endpoints): SettingsFact {
  return {
    kind: 'settings',
    accounts: accounts.map((account) => ({
      id: account.id,
      rule: account.rule,
      via: viaOf(account.id, endpoints),
      ...ownLimits(account, staleAfterMs),
      ...(account.prior && { prior: account.prior }),
    })),
    staleAfterMs,
  };
}

/** Only what differs is logged, as most accounts have the limits of all. */
function ownLimits({ staleAfterMs: own }: AccountConfig, all: Config['staleAfterMs']) {
  const differing = INPUTS.filter((input) => own[input] !== all[input]);
  if (differing.length === 0) return {};
  return { staleAfterMs: Object.fromEntries(differing.map((input) => [input, own[input]])) };
}
