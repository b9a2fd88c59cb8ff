import { agoText, countText, deltaText, durationText, unknownCountText } from '../format.ts';
import type { Counters, Lag } from '../state/records.ts';
import type { Input } from '../state/staleness.ts';
import { Term } from './term.tsx';

interface Tile {
  readonly id: 'real' | 'oracle' | 'ui';
  readonly input: Input;
  readonly name: 'Real' | 'Oracle' | 'UI';
  readonly about: string;
  readonly value: number | null;
  readonly comment: string;
  readonly tone: 'level' | 'off' | 'unknown' | 'own';
  readonly lag: Lag['seen'] | undefined;
}

function tilesOf(event: Counters, lag: Lag | undefined): readonly Tile[] {
  const { real_counter: real, settlement_delta, display_delta } = event;
  const comparedWith = (who: string, count: number | null, delta: number | null) => ({
    comment: count !== null && real === null ? 'not compared yet' : deltaText(who, delta),
    tone: delta === null ? ('unknown' as const) : delta === 0 ? ('level' as const) : ('off' as const),
  });
  return [
    {
      id: 'real',
      input: 'posts',
      name: 'Real',
      about: event.via === 'oracle_list' ? "from the oracle's list" : 'our own count',
      value: real,
      comment: real === null ? unknownCountText(event.history_percent) : deletedText(event.deleted_count),
      tone: 'own',
      lag: lag?.seen,
    },
    {
      id: 'oracle',
      input: 'oracle',
      name: 'Oracle',
      about: 'settles on this',
      value: event.market_oracle_counter,
      ...comparedWith('Oracle', event.market_oracle_counter, settlement_delta),
      lag: lag?.oracle,
    },
    {
      id: 'ui',
      input: 'ui',
      name: 'UI',
      about: 'traders see this',
      value: event.market_ui_counter,
      ...comparedWith('UI', event.market_ui_counter, display_delta),
      lag: lag?.ui,
    },
  ];
}

/** The three counts of an event and their differences. */
export function CounterTiles(props: {
  readonly event: Counters;
  readonly lag: Lag | undefined;
  readonly ages: ReadonlyMap<Input, number>;
  readonly stale: readonly Input[];
}) {
  return (
    <div class="tiles">
      {tilesOf(props.event, props.lag).map((tile) => {
        const isStale = props.stale.includes(tile.input);
        const ageMs = props.ages.get(tile.input);
        return (
          <article
            key={tile.id}
            class={`tile ${tile.tone} ${isStale ? 'is-stale' : ''}`}
            data-counter={tile.id}
          >
            <header>
              <h3>
                {tile.name} <Term word={tile.name} />
              </h3>
              <span class={isStale ? 'tag warn' : 'tag quiet'}>
                {isStale ? 'stale' : ageMs === undefined ? 'no answer yet' : 'fresh'}
              </span>
            </header>
            <p class="about">{tile.about}</p>
            <p class="value num" data-value={tile.value ?? ''}>
              {countText(tile.value)}
            </p>
            <p class="words" title={tile.comment}>
              {tile.comment}
            </p>
            <p class="age num">{ageMs === undefined ? ' ' : agoText(ageMs)}</p>
            <dl class="lags num">
              {(['p50_ms', 'p90_ms', 'p99_ms'] as const).map((level) => (
                <div key={level}>
                  <dt>{level.slice(0, 3)}</dt>
                  <dd>{durationText(tile.lag?.[level])}</dd>
                </div>
              ))}
            </dl>
            <p class="sample num">
              {`lag of 24 h, n ${countText(tile.lag?.n)} `}
              {tile.id === 'real' ? <Term word="Lag" /> : null}
            </p>
          </article>
        );
      })}
    </div>
  );
}

function deletedText(deleted: number | null): string {
  if (deleted === null) return 'deletions unknown';
  if (deleted === 0) return 'none deleted';
  return `${deleted} deleted since`;
}
