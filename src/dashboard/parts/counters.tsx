import { deltaWords } from '../delta-words.ts';
import { agoText, countText, durationText } from '../format.ts';
import type { AccountState, Counters, Lag } from '../state/records.ts';

type Input = Counters['stale'][number];

interface TileProps {
  readonly name: string;
  readonly about: string;
  readonly value: number | null;
  readonly words: string;
  readonly tone: 'level' | 'off' | 'unknown' | 'own';
  readonly isStale: boolean;
  readonly ageMs: number | undefined;
  readonly lag: Lag['seen'] | undefined;
  readonly id: string;
}

function Tile({ name, about, value, words, tone, isStale, ageMs, lag, id }: TileProps) {
  return (
    <article class={`tile ${tone} ${isStale ? 'is-stale' : ''}`} data-counter={id}>
      <header>
        <h4>{name}</h4>
        <span class={isStale ? 'tag warn' : 'tag quiet'}>
          {isStale ? 'stale' : ageMs === undefined ? 'no answer yet' : 'fresh'}
        </span>
      </header>
      <p class="about">{about}</p>
      <p class="value num" data-value={value ?? ''}>
        {countText(value)}
      </p>
      <p class="words">{words}</p>
      <p class="age num">{ageMs === undefined ? ' ' : agoText(ageMs)}</p>
      <dl class="lags num">
        {(['p50_ms', 'p90_ms', 'p99_ms'] as const).map((level) => (
          <div key={level}>
            <dt>{level.slice(0, 3)}</dt>
            <dd>{durationText(lag?.[level])}</dd>
          </div>
        ))}
      </dl>
      <p class="sample num">{`lag of 24 h, n ${countText(lag?.n ?? 0)}`}</p>
    </article>
  );
}

/** The three counts of an event, and what lies between them. */
export function CounterTiles(props: {
  readonly event: Counters;
  readonly account: AccountState;
  readonly ages: Readonly<Partial<Record<Input, number>>>;
  readonly silent: readonly string[];
}) {
  const { event, ages, silent } = props;
  const { lag } = props.account;
  const isStale = (input: Input) => event.stale.includes(input) || silent.includes(input);
  const toneOf = (delta: number | null) => (delta === null ? 'unknown' : delta === 0 ? 'level' : 'off');
  return (
    <div class="tiles" aria-live="off">
      <Tile
        id="real"
        name="Real"
        about="our own count"
        value={event.real_counter}
        words={
          event.real_counter === null ? 'posts not known without a hole' : deletedWords(event.deleted_count)
        }
        tone="own"
        isStale={isStale('posts')}
        ageMs={ages.posts}
        lag={lag?.seen}
      />
      <Tile
        id="oracle"
        name="Oracle"
        about="settles on this"
        value={event.market_oracle_counter}
        words={deltaWords('Oracle', event.settlement_delta)}
        tone={toneOf(event.settlement_delta)}
        isStale={isStale('oracle')}
        ageMs={ages.oracle}
        lag={lag?.oracle}
      />
      <Tile
        id="ui"
        name="UI"
        about="traders see this"
        value={event.market_ui_counter}
        words={deltaWords('UI', event.display_delta)}
        tone={toneOf(event.display_delta)}
        isStale={isStale('ui')}
        ageMs={ages.ui}
        lag={lag?.ui}
      />
    </div>
  );
}

function deletedWords(deleted: number | null): string {
  if (deleted === null || deleted === 0) return 'none deleted';
  return `${deleted} deleted since`;
}
