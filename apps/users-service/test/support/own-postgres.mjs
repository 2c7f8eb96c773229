export { throwawayPostgres } from '../../../../tools/stores/infra.mjs';
export { archiveWal, restoreTo, takeBackup } from './postgres-backup.mjs';
