export { throwawayPostgres } from '../../../../tools/stores/infra.mjs';
export { archiveWal, restoreTo, takeBackup } from '../../../../tools/stores/postgres-backup.mjs';
