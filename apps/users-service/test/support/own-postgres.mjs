import * as infra from '../../../../tools/stores/infra.mjs';
import { makeStandby } from './postgres-backup.mjs';

export { archiveWal, restoreTo, takeBackup } from './postgres-backup.mjs';

export const throwawayPostgres = (title, { standbyOf } = {}) =>
  infra.throwawayPostgres(title, standbyOf && { prepare: (home) => makeStandby(home, standbyOf) });
