import { type KeyRegistry, openKeyRegistry } from '../../access/keys/key-registry.ts';
import type { PlaceSettings } from '../../access/limits/grants/places.ts';
import { steadyClock } from '../../access/limits/steady-clock.ts';
import type { Tier } from '../../access/tiers.ts';
import type { UsageTracking } from '../../access/usage/tracking.ts';
import type { Bus, Place } from '../../bus/bus.ts';
import type { Time } from '../../bus/time.ts';
import type { PaymentService } from '../../payments/payment-service.ts';
import type { PaymentTerms } from '../../payments/terms.ts';
import { createPeriodicWrite } from '../../resilience/periodic-write.ts';
import type { Payments, UsageStore } from '../../store/store.ts';
import { openAccessLog } from '../access/access-log.ts';
import type { AccessStore } from '../access/apply-change.ts';
import { shareAccess } from '../access/shared-access.ts';
import { shareKeys } from '../access/shared-keys.ts';
import type { CallersPorts } from './answer-commands.ts';
import { openEngineGrants } from './engine-grants.ts';
import { type Sale, tellSale } from './remote-payments.ts';
import { createUsageIntake } from './usage-intake.ts';

interface LeadCallersDeps {
  readonly bus: Pick<Bus, 'shared'>;
  readonly store: AccessStore;
  /** Appends an entry of the kind `access` in the leader's term. */
  readonly append: (bytes: Uint8Array) => Promise<Place>;
  /** Told that the entry at a place is in the store. */
  readonly applied: (place: Place) => void;
  readonly time: Time;
  readonly clock: { readonly wall: () => number; readonly mono: () => number };
  /** Of edges, in the ledger of limits. */
  readonly places?: PlaceSettings;
  /** Opens the payment service over the shared payments; undefined when no calls are sold. */
  readonly openPayments: (
    payments: Payments,
  ) => Promise<{ readonly service: PaymentService; readonly terms: PaymentTerms } | undefined>;
  /** Opens the usage of all callers over the shared store; it is stopped here. */
  readonly openUsage: (store: UsageStore, tierOf: (keyId: string) => Tier | undefined) => UsageTracking;
  readonly report: (error: unknown) => void;
  /** Called when a change that is on the bus can never be made here. */
  readonly broken?: ((error: unknown) => void) | undefined;
}

/** What the leader keeps of callers, for the length of its term. */
export interface LedCallers extends CallersPorts {
  readonly registry: KeyRegistry;
  readonly tracking: UsageTracking;
  stop(): Promise<void>;
}

/** Enough for most clusters: of a limit, half is set aside in as many parts. */
const PLACES: PlaceSettings = { places: 8, placeMs: 600_000 };
const LAST_USED_MS = 60_000;
const SALE_MS = 5_000;

/** Opens what is kept of callers, at the beginning of a term. */
export async function leadCallers(deps: LeadCallersDeps): Promise<LedCallers> {
  const { bus, store, append, applied, time, clock, places = PLACES, report } = deps;
  const log = openAccessLog({ store, append, applied, report, broken: deps.broken });
  const shared = shareAccess(store, log);
  const keys = shareKeys(shared.keys, bus.shared('keys'));
  const registry = openKeyRegistry(keys, clock.wall);
  const tracking = deps.openUsage(shared.usage, registry.tierOf);
  // Even from here on, whatever the clock is set to.
  const grants = openEngineGrants({
    log,
    stored: store.grants,
    settings: places,
    now: steadyClock(clock),
    time,
    report,
  });
  const payments = await deps.openPayments(shared.payments);
  await keys.tellAll();
  const lastUsed = createPeriodicWrite({ everyMs: LAST_USED_MS, write: () => registry.flush(), report });
  lastUsed.start();
  let told: string | undefined;
  const sale = createPeriodicWrite({
    everyMs: SALE_MS,
    report,
    async write() {
      const isOpen = payments?.service.offer('/', '/') !== undefined;
      const now: Sale = { terms: payments?.terms ?? null, isOpen };
      const name = `${isOpen}`;
      if (name === told) return;
      await tellSale(bus.shared('callers'), now);
      told = name;
    },
  });
  await sale.flush();
  sale.start();
  return {
    registry,
    tracking,
    waitlist: shared.waitlist,
    payments: payments?.service,
    usage: createUsageIntake({ tracking, marks: shared.marks, used: registry.used, now: clock.wall }),
    grants,
    async stop() {
      await Promise.all([lastUsed.stop(), sale.stop(), tracking.stop(), payments?.service.close()]);
      await log.close();
    },
  };
}
