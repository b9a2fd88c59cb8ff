import { Command } from 'commander';
import { type Config, parseConfig } from '../config/config.ts';
import { envOf, SETTING_KEYS, SETTINGS } from '../config/settings.ts';
import type { Service } from '../service/service.ts';
import { printBanner } from './banner.ts';
import { boundHeap } from './bound-heap.ts';
import { exitCodeOf } from './failure.ts';
import { heapRoomDoubt } from './heap-room.ts';
import { loadConfig } from './load-config.ts';
import { addManual } from './manual.ts';
import { addSettings, unknownArguments } from './options.ts';
import type { ProcessLike } from './process-like.ts';
import { createStartNews, type StartNews } from './start-news.ts';
import { listenForStop } from './stop-signals.ts';
import { packageVersion } from './version.ts';

/** Between two looks at how much of the past was read. */
const LOOK_MS = 500;

type Flags = Readonly<Record<string, unknown>>;

async function start(flags: Flags, args: readonly string[], proc: ProcessLike): Promise<void> {
  const { env, stdout, stderr } = proc;
  // Log lines would push the banner off the screen; a configured level wins.
  const defaults = stdout.isTTY && stderr.isTTY ? ({ logLevel: 'warn' } as const) : {};
  const config = loadConfig(parseConfig, { flags, unknownArguments: unknownArguments(args), env, defaults });
  const stop = listenForStop(proc);
  try {
    const { createLog } = await import('./log.ts');
    const { openConfigured } = await import('../service/open-configured.ts');
    const news = createStartNews(proc, config);
    const options = { version: packageVersion(), onRecovering: news.recovering };
    const log = createLog(config.logLevel, stderr);
    const accounts = config.accounts.length;
    const doubt = heapRoomDoubt(accounts);
    if (doubt !== undefined) log.warn({ accounts }, doubt);
    const service = await openConfigured(config, log, options);
    const leaveHeap = boundHeap(() => service.historyPercent() >= 100, accounts);
    news.endProgress();
    if (!stop.signal.aborted) printBanner(service, config, proc);
    const unwatch = watchService(service, config, news);
    const end = await Promise.race([stop.requested, service.damaged, service.over]);
    unwatch();
    leaveHeap();
    if (!end) news.stopping();
    // A store that is damaged may not take the last writes.
    if (end) stop.limit(exitCodeOf(end));
    await service.stop();
    // The process ends with an error, so that whatever runs it starts it again.
    if (end) throw end;
    news.stopped();
  } finally {
    stop.release();
  }
}

/** Shows how much of the past was read, until all of it was, and new posts when asked. */
function watchService(service: Service, { showPosts }: Config, news: StartNews): () => void {
  const look = () => {
    const percent = service.historyPercent();
    if (percent < 100) return news.history(percent);
    news.historyRead();
    clearInterval(looking);
  };
  const looking = setInterval(look, LOOK_MS);
  look();
  const unwatchPosts = showPosts ? service.watchPosts(news.post) : undefined;
  return () => {
    clearInterval(looking);
    unwatchPosts?.();
    news.endProgress();
  };
}

export function startCommand(proc: ProcessLike): Command {
  const command = new Command('start')
    // The parser would stop at the first unknown option; the configuration lists all of them.
    .allowUnknownOption()
    .allowExcessArguments()
    .action((flags: Flags, { args }: Command) => start(flags, args, proc));
  return addManual(addSettings(command, SETTING_KEYS), {
    summary: 'run the engine and serve its readers',
    description:
      'Reads the outside world, logs everything it reads, derives counters, forecasts and signals from the log and ' +
      'serves them over HTTP. Without any option it runs against an embedded world: no account, no network. ' +
      'One engine per data folder. Logs go to stderr as JSON lines. SIGTERM and SIGINT stop it within 25 s; ' +
      'being killed at any instant loses nothing.',
    environment: [
      [envOf('postsToken'), SETTINGS.postsToken.help],
      ['TALLYWIRE_*', 'each option under its name; a flag wins over it, and it wins over the config file'],
    ],
    examples: [
      ['tallywire start', 'run the embedded world on port 8080'],
      ['tallywire start --port 0 --data demo --json', 'take any free port and print it'],
      ['tallywire start --show-posts', 'see each post as it is found'],
      ['tallywire start --payments demo', 'sell single calls for made-up money'],
      ['TALLYWIRE_POSTS_TOKEN=… tallywire start --world live', 'read the live world'],
      [
        'tallywire start --world live --bus nats://a,nats://b,nats://c --bus-replicas 3',
        'lead the shard main, or stand by for the engine that does',
      ],
      ['tallywire start --world live', "the same with posts from the oracle's list, minutes late"],
    ],
    exitCodes: [
      [0, 'stopped on request'],
      [1, 'could not start or go on, or was ended by force'],
      [2, 'bad usage or configuration; every fault is listed'],
      [75, 'another engine leads the shard; started again, this one stands by'],
    ],
  });
}
