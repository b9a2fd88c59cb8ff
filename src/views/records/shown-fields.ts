import { type AccountPolicy, PAID_FIELDS, type PaidField } from '../../contract/account.ts';

const PAID_STREAMS = ['predictions', 'signals', 'velocity'] as const;
type PaidStream = (typeof PAID_STREAMS)[number];

/** The streams that each field comes from. An edge is shown only beside the probability that it belongs to. */
const STREAMS_OF: Readonly<Record<PaidField, readonly PaidStream[]>> = {
  velocity_counted_1h: ['velocity'],
  velocity_all_1h: ['velocity'],
  forecast: ['predictions'],
  settlement: ['predictions'],
  sleep_probability: ['predictions'],
  model_version: ['predictions'],
  forecast_id: ['predictions'],
  forecast_ts: ['predictions'],
  distribution: ['predictions'],
  flip_risk: ['predictions'],
  moved: ['predictions'],
  model_prob: ['predictions'],
  edge: ['predictions', 'signals'],
  signal: ['predictions', 'signals'],
};

/** What readers of a tier see of the PRO fields of an account's predictions. */
export interface ShownFields {
  readonly streams: ReadonlySet<PaidStream>;
  /** Those of the fields that are seen, in the same order. */
  pick<Fields extends object>(fields: Fields): Partial<Fields>;
}

export function shownFields({ hasVelocity, freeFields }: AccountPolicy) {
  const ofAccount = PAID_FIELDS.filter((field) => hasVelocity || !STREAMS_OF[field].includes('velocity'));
  const FREE = only(ofAccount.filter((field) => freeFields.includes(field)));
  return {
    FREE,
    PRO: only(ofAccount),
    /** The streams that change nothing that FREE sees. */
    paidStreams: PAID_STREAMS.filter((stream) => !FREE.streams.has(stream)),
  };
}

function only(fields: readonly PaidField[]): ShownFields {
  const seen: ReadonlySet<string> = new Set(fields);
  return {
    streams: new Set(fields.flatMap((field) => STREAMS_OF[field])),
    pick(all) {
      const picked: Partial<typeof all> = {};
      for (const name in all) if (seen.has(name)) picked[name] = all[name];
      return picked;
    },
  };
}
