import assert from 'node:assert/strict';
import { createMetrics } from '../../src/observability/metrics.ts';

describe('metrics of an engine on a bus', () => {
  it('are read anew at each scrape', async () => {
    const metrics = createMetrics();
    let term = 3;
    metrics.watchCluster(() => ({
      isLeading: term > 0,
      isConnected: term > 0,
      term,
      place: 12,
      lagMs: 250,
      heldMs: 1_500,
      hasAlarm: false,
      divergedStores: 1,
    }));
    const figures = async () =>
      Object.fromEntries(
        [...(await metrics.text()).matchAll(/^tallywire_cluster_(\w+) (\S+)$/gm)].map(
          ([, name = '', value]) => [name, Number(value)],
        ),
      );
    const leading = {
      leading: 1,
      connected: 1,
      term: 3,
      place: 12,
      lag_seconds: 0.25,
      held_seconds: 1.5,
      alarm: 0,
      diverged_stores: 1,
    };
    assert.deepEqual(await figures(), leading);
    term = 0;
    assert.deepEqual(await figures(), { ...leading, leading: 0, connected: 0, term: 0 });
  });
});
