/** The package's public interface, for programs that embed the service. The streams have their own. */

export { KEPT_STREAMS, STREAM_NAMES } from '../streams/index.ts';
export type { AccountConfig } from './config/accounts.ts';
export {
  type Config,
  type ConfigInput,
  parseConfig,
  type WorldConfig,
} from './config/config.ts';
export {
  ConfigError,
  type Fault,
  RequestError,
  ServiceError,
  SourceError,
  StartError,
  StoreError,
} from './errors.ts';
export type { Difference } from './research/difference.ts';
export type { LogPosition } from './research/log-position.ts';
export { type ReplayOptions, replay } from './research/replay.ts';
export { type StreamDigest, type Verdict, type VerifyOptions, verify } from './research/verify.ts';
export { openService, type Service } from './service/service.ts';
export { openStore, type StoreOptions } from './store/lmdb/open-store.ts';
export type { Checkpoint, Checkpoints, Journal, KeptOutput, Notes, Outputs, Store } from './store/store.ts';
export {
  openWorld,
  type World,
  type WorldAddresses,
  type WorldControl,
  type WorldOptions,
} from './world/world.ts';
