export { throwawayPostgres } from '../../../../tools/infra.mjs';
