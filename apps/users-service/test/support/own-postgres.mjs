export { throwawayPostgres } from '../../../../tools/stores/infra.mjs';
